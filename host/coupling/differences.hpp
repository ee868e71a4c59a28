#pragma once

#include <Eigen/Core>
#include <type_traits>

namespace carom {

/// The derivative of a function of a number at 0, from eight values: the error is h^8 of the ninth
/// derivative, far below rounding, 3e-14, for functions that bend over a tenth of the scale.
template <class Function>
auto slope_of(const Function& function, double scale = 1.0) {
  const double h = 0x1p-8 * scale;
  constexpr double weights[] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  const auto pair = [&](int k) {
    using Value = std::decay_t<decltype(function(0.0))>;
    return Value((function(k * h) - function(-k * h)) * (weights[k - 1] / h));
  };
  auto sum = pair(1);
  for (int k = 2; k <= 4; ++k) sum += pair(k);
  return sum;
}

/// The Jacobian of a vector's function. @param scale of each entry of x
template <class Function>
Eigen::MatrixXd jacobian_of(const Function& function, const Eigen::VectorXd& x,
                            const Eigen::VectorXd& scale) {
  Eigen::MatrixXd jacobian;
  for (Eigen::Index k = 0; k < x.size(); ++k) {
    const Eigen::VectorXd column = slope_of(
        [&](double h) {
          Eigen::VectorXd moved = x;
          moved(k) += h;
          return Eigen::VectorXd(function(moved));
        },
        scale(k));
    if (k == 0) jacobian.resize(column.size(), x.size());
    jacobian.col(k) = column;
  }
  return jacobian;
}

}  // namespace carom
