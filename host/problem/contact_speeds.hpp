#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <vector>

namespace carom {

/// Velocities in contact coordinates: the normal speeds, then the tangential speeds. Each speed is
/// a sum in the order of the velocity's entries; a few sums are computed side by
/// side, by vector instructions with the same bits.
class ContactSpeeds {
 public:
  ContactSpeeds(const Eigen::MatrixXd& normal_jacobian, const Eigen::MatrixXd& tangent_jacobian)
      : size_(static_cast<std::size_t>(normal_jacobian.rows() + tangent_jacobian.rows())),
        velocities_(static_cast<std::size_t>(normal_jacobian.cols())),
        rows_(padded_size() * velocities_, 0.0) {
    const auto m = static_cast<std::size_t>(normal_jacobian.rows());
    for (std::size_t i = 0; i < size_; ++i) {
      double* const group = &rows_[(i - i % lanes) * velocities_ + i % lanes];
      for (std::size_t j = 0; j < velocities_; ++j) {
        const auto column = static_cast<Eigen::Index>(j);
        group[j * lanes] = i < m ? normal_jacobian(static_cast<Eigen::Index>(i), column)
                                 : tangent_jacobian(static_cast<Eigen::Index>(i - m), column);
      }
    }
  }

  /// m + m d
  std::size_t size() const { return size_; }
  /// The least multiple of `lanes` that is not below size().
  std::size_t padded_size() const { return (size_ + lanes - 1) / lanes * lanes; }

  /// @param velocity nv
  /// @param speed padded_size(), zeros at the end
  void operator()(const double* velocity, double* speed) const {
    const double* entry = rows_.data();
    for (std::size_t i = 0; i < size_; i += lanes) {
      Group sum = Group::Zero();
      for (std::size_t j = 0; j < velocities_; ++j, entry += lanes) {
        sum += Eigen::Map<const Group>(entry) * velocity[j];
      }
      Eigen::Map<Group>(speed + i) = sum;
    }
  }

 private:
  static constexpr int lanes = 4;
  using Group = Eigen::Array<double, lanes, 1>;
  std::size_t size_;
  std::size_t velocities_;
  std::vector<double> rows_;  // groups of `lanes` rows, each group column by column
};

}  // namespace carom
