#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

namespace carom {

/// The derivative of a function of a number at 0, from four values: the error is h^4 of the fifth
/// derivative, which for h = 1e-3 is of the size of rounding, 1e-13.
template <class Function>
auto four_point_slope(const Function& function, double scale = 1.0) {
  const double h = 0x1p-10 * scale;
  using Value = std::decay_t<decltype(function(0.0))>;
  const Value near = function(h) - function(-h);
  const Value far = function(2.0 * h) - function(-2.0 * h);
  return Value((near * 8.0 - far) / (12.0 * h));
}

/// The Jacobian of a vector's function.
template <class Function>
Eigen::MatrixXd jacobian_of(const Function& function, const Eigen::VectorXd& x) {
  Eigen::MatrixXd jacobian;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const Eigen::VectorXd column = four_point_slope(
        [&](double h) {
          Eigen::VectorXd moved = x;
          moved(k) += h;
          return Eigen::VectorXd(function(moved));
        },
        std::max(1.0, std::abs(x(k))));
    if (k == 0) jacobian.resize(column.size(), x.size());
    jacobian.col(k) = column;
  }
  return jacobian;
}

}  // namespace carom
