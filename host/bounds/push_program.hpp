#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "host/bounds/step_space.hpp"

namespace carom {

/// Who pushes: an edge of a contact's friction cone, or the contact, by any of its edges.
struct Pusher {
  static constexpr int any = -1;

  int contact;
  int direction;

  bool operator==(const Pusher&) const = default;
  bool covers(const Pusher& edge) const {
    return edge.contact == contact && (direction == any || edge.direction == direction);
  }
};

/// A condition on a velocity: normal . y + constant <= 0, with a unit vector.
struct PushCondition {
  Eigen::VectorXd normal;
  double constant;
  double error;  ///< of normal . y + constant
};

/// What a StepSpace says of pushes: a step has an impulse along an edge only if the velocity after
/// it obeys the edge's conditions. The contact does not separate, and along the edge's friction
/// direction its slip is least.
class PushSpace {
 public:
  /// @param tolerance m/s, by which outcomes may approach
  PushSpace(const StepSpace& space, double tolerance);

  int contacts() const { return contacts_; }
  const Eigen::VectorXd& start() const { return start_; }
  /// All edges; of a contact without friction, one.
  const std::vector<Pusher>& edges() const { return edges_; }
  /// The change of y along an edge, a unit vector.
  auto push(std::size_t edge) const { return pushes_.col(static_cast<Eigen::Index>(edge)); }
  const std::vector<PushCondition>& conditions(const Pusher& pusher) const;
  /// Of a velocity that separates.
  const std::vector<PushCondition>& separation() const { return separation_; }
  /// Of the start and of each push.
  double error() const { return error_; }
  /// No y is longer: 1, and a little for errors.
  double longest() const { return longest_; }
  /// What goal . y is at most for any goal of unit length.
  double most() const { return longest_ + error_; }
  /// A vector whose product with each push is at least 1.
  const Eigen::VectorXd& support() const { return support_; }

 private:
  int contacts_;
  int directions_;
  Eigen::VectorXd start_;
  std::vector<Pusher> edges_;
  Eigen::MatrixXd pushes_;
  std::vector<std::vector<PushCondition>> conditions_;  // contacts x (any, then each direction)
  std::vector<PushCondition> separation_;
  Eigen::VectorXd support_;
  double error_;
  double longest_;
};

/// The convex program over all impacts whose pushers have their last pushes in a given order: from
/// the start, stage by stage, y changes by pushes of those that are not done, until a pusher has
/// its last one and y obeys its conditions. No y is longer than 1, and the last one separates. The
/// program maximises goal . y of the outcome.
///
/// It is solved by its dual, with barriers (Boyd & Vandenberghe 2004, 11.3): each iterate proves an
/// upper bound.
class PushProgram {
 public:
  /// @param goal a unit vector
  /// @param order pushers by their last pushes, the first one first; the others may push always
  /// @param idle of each edge, whether it never pushes
  /// @param known a bound that is proved already
  PushProgram(const PushSpace& space, const Eigen::VectorXd& goal, std::vector<Pusher> order,
              std::vector<char> idle, double known);

  const std::vector<Pusher>& order() const { return order_; }
  const std::vector<char>& idle() const { return idle_; }

  /// No impact of this order has more. Of an order that is impossible, it falls to -1 or below.
  double bound() const { return bound_; }
  bool is_impossible() const { return bound_ <= -1.0; }
  bool is_solved() const { return is_solved_; }

  /// Lowers the bound until the program is solved, or the bound is below `enough`.
  /// @returns products that this took
  std::int64_t solve(double enough);

  /// The pusher whose use in the solution breaks its conditions most.
  /// @returns false if none breaks any
  bool find_wrong(Pusher& wrong) const;

 private:
  static constexpr double least_barrier = 1e-8;

  /// Multipliers of a stage: of its equation (z), and of the conditions at its end.
  struct Stage {
    std::vector<std::size_t> edges;  ///< that may push
    Eigen::MatrixXd pushes;          ///< of the edges
    const std::vector<PushCondition>* conditions;
    Eigen::VectorXd multipliers;
    Eigen::MatrixXd rows;       ///< r x multipliers: of what is left of the goal at its end
    Eigen::VectorXd constants;  ///< of the multipliers in the bound
    Eigen::VectorXd errors;     ///< of the bound, for each unit of a multiplier
  };
  struct Step {
    std::vector<Eigen::VectorXd> of;  ///< each stage
    double slope = 0.0;
  };

  Eigen::Index size() const { return goal_.size(); }
  /// What of the goal is left to the length of y at the end of a stage.
  Eigen::VectorXd rest(std::size_t stage) const;
  /// How far each edge is from a push that the bound would not hold for; at the solution, inverse
  /// to its impulse.
  Eigen::VectorXd slacks(const Stage& stage) const;
  /// Instead of the length of a rest, given its square: what its barrier makes of it.
  double smoothed(double square) const;
  /// What is minimised; infinite where a barrier is crossed.
  double value() const;
  double proved() const;
  Step newton_step() const;
  /// y at the end of a stage.
  Eigen::VectorXd velocity(std::size_t stage) const;
  void move(const Step& step, double part);

  const PushSpace* space_;
  Eigen::VectorXd goal_;
  std::vector<Pusher> order_;
  std::vector<char> idle_;
  std::vector<Stage> stages_;
  double barrier_ = 1.0;  ///< of which the multipliers are the best
  double bound_;
  bool is_solved_ = false;
};

}  // namespace carom
