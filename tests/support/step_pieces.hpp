#pragma once

#include <Eigen/Core>
#include <string>
#include <utility>
#include <vector>

#include "host/problem/step_lcp.hpp"
#include "kernels/signs/solution_piece.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom::test {

/// A piece of a step's solutions in the words of tests/data/all_solutions.
struct FoundPiece {
  std::string signs;
  int orientation;
  Eigen::VectorXd velocity, other;  ///< ends
};

/// The steps of a problem in box form.
class StepPieces {
 public:
  static constexpr int max_coordinates = 30;
  using Box = BoxForm<max_coordinates>;
  using Piece = SolutionPiece<max_coordinates>;

  explicit StepPieces(const ImpactProblem& problem)
      : shape_(shape_of(problem)), data_(flatten(problem, 1.0, 1.0)) {}

  StepLcpView view() const { return {shape_, data_.data()}; }
  /// Contact speeds, m (1 + d).
  Eigen::VectorXd before(const Eigen::VectorXd& velocity) const {
    Eigen::VectorXd speeds(shape_.impulses());
    contact_speeds(view(), velocity.data(), speeds.data());
    return speeds;
  }
  /// Caps as speeds.
  Eigen::VectorXd as_speeds(const Eigen::VectorXd& cap) const {
    return cap * view().impulse_unit();
  }

  Box box(const Eigen::VectorXd& velocity, const Eigen::VectorXd& cap) const {
    const Eigen::VectorXd cap_speed = as_speeds(cap);
    return Box(view(), before(velocity).data(), cap_speed.data(),
               summed_speed(view(), velocity.data()));
  }

  FoundPiece describe(const Box& box, const Piece& piece, const Eigen::VectorXd& velocity) const {
    FoundPiece its{"", piece.orientation, velocity, velocity};
    for (int c = 0; c < box.coordinates(); ++c) {
      its.signs += piece.sign[c] == plus    ? '+'
                   : piece.sign[c] == zero  ? '0'
                   : piece.sign[c] == minus ? '-'
                                            : '.';
    }
    for (const auto& [end, place] : {std::pair(0, &its.velocity), {piece.ends - 1, &its.other}}) {
      Eigen::VectorXd impulse(shape_.impulses());
      box.impulses_of(piece.x[end], impulse.data());
      apply_impulse(view(), impulse.data(), place->data());
    }
    return its;
  }

 private:
  ProblemShape shape_;
  std::vector<double> data_;
};

/// Without friction, contact 1 falls at 1 m/s, and contact 0 rests. An impulse of contact 1, up to
/// its cap, lifts contact 0 by as much speed: the velocity after the step is (cap, cap - 1), cap <=
/// 0.5.
inline ImpactProblem lifted_contact() {
  ImpactProblem problem;
  problem.mass_matrix = Eigen::Matrix2d::Identity();
  problem.normal_jacobian.resize(2, 2);
  problem.normal_jacobian << 1.0, 0.0, 1.0, 1.0;
  problem.tangent_jacobian = Eigen::MatrixXd::Zero(2, 2);
  problem.tangent_jacobian << 0.0, 1.0, 1.0, -1.0;
  problem.friction = Eigen::VectorXd::Zero(2);
  problem.pre_impact_velocity = Eigen::Vector2d(0.0, -1.0);
  return problem;
}

}  // namespace carom::test
