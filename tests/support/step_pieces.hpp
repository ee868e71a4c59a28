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

}  // namespace carom::test
