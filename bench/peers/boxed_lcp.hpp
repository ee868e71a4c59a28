#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "bench/peers/peer.hpp"

namespace carom::peers {

/// A planar step in the form that game physics solves with Dantzig's method: A x = b + y for
/// x = [lambda_n; lambda_t] with 0 <= lambda_n <= cap and |lambda_t| <= mu lambda_n, where a row of
/// friction names its normal and `high` holds mu. Such solvers fix the bounds of friction after a
/// pass over the normals, so where friction changes lambda_n they solve another problem than the
/// LCP; the residual shows how often.
///
/// Not timed: A, and z with the beta and gamma that suit x best. Timed: b and the bounds, copies of
/// all of these and A (the solvers overwrite them), and solving.
template <class Real, class Solve>
class BoxedSolver : public LcpSolver {
 public:
  /// `solve(size, A, x, b, y, low, high, normal_of)` with A row by row, `stride` apart.
  BoxedSolver(const LcpSet& set, int stride, Solve solve)
      : set_(set), m_(set.contacts), size_(2 * m_), stride_(stride), solve_(solve) {
    const auto entries = static_cast<std::size_t>(size_) * static_cast<std::size_t>(stride_);
    matrix_.resize(entries);
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) {
        matrix_[static_cast<std::size_t>(i * stride_ + j)] =
            static_cast<Real>(set.matrix[row_of(i) * set.size() + row_of(j)]);
      }
      normal_of_.push_back(i < m_ ? -1 : i - m_);
    }
    for (std::vector<Real>* array : {&x_, &b_, &y_, &low_, &high_}) {
      array->resize(static_cast<std::size_t>(size_));
    }
  }

  bool solve(int lcp) override {
    const double* w = set_.constant_of(lcp);
    for (std::size_t i = 0; i < x_.size(); ++i) {
      const int row = static_cast<int>(i);
      const int cone = set_.size() - m_ + normal_of_[i];
      x_[i] = 0;
      b_[i] = static_cast<Real>(-w[row_of(row)]);
      high_[i] = static_cast<Real>(row < m_ ? w[row] : friction(cone));
      low_[i] = row < m_ ? 0 : -high_[i];
    }
    scratch_ = matrix_;
    normal_scratch_ = normal_of_;
    return solve_(size_, scratch_.data(), x_.data(), b_.data(), y_.data(), low_.data(),
                  high_.data(), normal_scratch_.data());
  }

  void solution(int lcp, double* z) const override {
    const auto x = [&](int i) { return static_cast<double>(x_[static_cast<std::size_t>(i)]); };
    const auto speed_after = [&](int i) {
      double sum = set_.constant_of(lcp)[row_of(i)];
      for (int j = 0; j < size_; ++j) {
        sum += set_.matrix[row_of(i) * set_.size() + row_of(j)] * x(j);
      }
      return sum;
    };
    for (int i = 0; i < m_; ++i) {
      z[i] = std::max(-speed_after(i), 0.0);
      z[m_ + i] = x(i);
      z[2 * m_ + 2 * i] = std::max(x(m_ + i), 0.0);
      z[2 * m_ + 2 * i + 1] = std::max(-x(m_ + i), 0.0);
      z[set_.size() - m_ + i] = std::fabs(speed_after(m_ + i));
    }
  }

 private:
  /// The LCP's row of lambda_n, or of friction along the first direction.
  int row_of(int i) const { return i < m_ ? m_ + i : 2 * m_ + 2 * (i - m_); }
  double friction(int cone) const {
    return set_.matrix[cone * set_.size() + m_ + cone - (set_.size() - m_)];
  }

  const LcpSet& set_;
  int m_;
  int size_;
  int stride_;
  Solve solve_;
  std::vector<Real> matrix_;
  std::vector<Real> scratch_;
  std::vector<Real> x_, b_, y_, low_, high_;
  std::vector<int> normal_of_;
  std::vector<int> normal_scratch_;
};

}  // namespace carom::peers
