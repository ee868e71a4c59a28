#include "host/roll/compliant_arrays.hpp"

#include "host/problem/decompositions.hpp"
#include "host/roll/biped_numbers.hpp"

namespace carom {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::vector<double> flat(const RowMatrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

}  // namespace

CompliantArrays::CompliantArrays(const CompliantSystem& system)
    : view_(std::visit([this](const auto& motion) { return flatten(motion); }, system.motion)),
      lowest_(system.lowest.begin(), system.lowest.end()),
      highest_(system.highest.begin(), system.highest.end()) {}

CompliantArrays::View CompliantArrays::flatten(const Springs& springs) {
  const Cholesky inverse(springs.mass_matrix);
  const Eigen::Index m = springs.normal_jacobian.rows();
  RowMatrix law(m, 3);
  law << springs.contact_stiffness, springs.contact_damping, springs.contact_preload;
  arrays_ = {flat(springs.mass_matrix),
             flat(inverse.solve(springs.force)),
             flat(inverse.solve(springs.stiffness)),
             flat(inverse.solve(springs.damping)),
             flat(springs.normal_jacobian.transpose()),
             flat(springs.gap_offset),
             flat(inverse.solve(springs.normal_jacobian.transpose()).transpose()),
             flat(law)};
  return SpringsView{static_cast<int>(springs.mass_matrix.rows()),
                     static_cast<int>(m),
                     arrays_[0].data(),
                     arrays_[1].data(),
                     arrays_[2].data(),
                     arrays_[3].data(),
                     arrays_[4].data(),
                     arrays_[5].data(),
                     arrays_[6].data(),
                     arrays_[7].data()};
}

CompliantArrays::View CompliantArrays::flatten(const SpringPlate& plate) {
  arrays_ = {flat(plate.positions)};
  const double masses = plate.mass * static_cast<double>(plate.positions.size());
  return PlateView{static_cast<int>(plate.positions.size()),
                   arrays_[0].data(),
                   plate.height,
                   plate.mass,
                   plate.mass / plate.inertia,
                   plate.stiffness / masses,
                   plate.damping / masses,
                   plate.gravity,
                   plate.steepest};
}

CompliantArrays::View CompliantArrays::flatten(const PiecewiseAffine& table) {
  arrays_ = {{}, {}, flat(table.guards.transpose()), flat(table.guard_offset)};
  for (std::size_t s = 0; s < table.matrices.size(); ++s) {
    const std::vector<double> matrix = flat(table.matrices[s]);
    const std::vector<double> vector = flat(table.vectors[s]);
    arrays_[0].insert(arrays_[0].end(), matrix.begin(), matrix.end());
    arrays_[1].insert(arrays_[1].end(), vector.begin(), vector.end());
  }
  return PiecewiseAffineView{static_cast<int>(table.guards.cols()),
                             static_cast<int>(table.guards.rows()),
                             arrays_[0].data(),
                             arrays_[1].data(),
                             arrays_[2].data(),
                             arrays_[3].data()};
}

CompliantArrays::View CompliantArrays::flatten(const SpringBiped& biped) {
  BipedView view;
  for_each_biped_number([](const char*, NumberRule, double from, double& to) { to = from; }, biped,
                        view);
  return view;
}

}  // namespace carom
