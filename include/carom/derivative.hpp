#pragma once

#include <Eigen/Core>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// A mechanical system with n coordinates and m frictionless one-sided constraints
/// (Pace & Burden, Eq. 1): M(q) q'' = force(q, q') + Da' lambda, a(q) >= 0. SI units.
struct Motion {
  std::function<Eigen::MatrixXd(const Eigen::VectorXd& q)> mass;  ///< n x n, positive definite
  std::function<Eigen::VectorXd(const Eigen::VectorXd& q)> gaps;  ///< a, m
  std::function<Eigen::MatrixXd(const Eigen::VectorXd& q)> gap_jacobian;  ///< Da, m x n
  /// All generalised forces but those of contacts, with those of inertia (Coriolis), n.
  std::function<Eigen::VectorXd(const Eigen::VectorXd& q, const Eigen::VectorXd& velocity)> force;
  Eigen::VectorXd restitution = {};             ///< m, 0 (plastic: stays closed) ... 1; empty: 0
  std::vector<std::string> contact_names = {};  ///< m; empty = A, B, C, ...
  /// m x n: how far each coordinate may go before a gap bends, all else bending over 1. Derivatives
  /// are differences over up to a sixty-fourth of it. Empty: 1, or the coordinate if that is
  /// greater.
  Eigen::MatrixXd scale = {};
  /// Which smooth piece of a gap holds where it is closed, such as an edge or a corner; -1: the
  /// differences would reach into another one. Empty: all gaps are smooth.
  std::function<int(const Eigen::VectorXd& q, int contact)> piece = {};
};

/// A motion from a start at time 0 to an end, and a disturbance of the start.
struct StartedMotion {
  Motion motion;
  std::vector<std::string> coordinates = {};  ///< n names
  Eigen::VectorXd start = {};                 ///< 2n, [q, q']
  Eigen::VectorXd direction = {};             ///< 2n
  double end = 0.0;                           ///< s
};

/// What one order of contacts at an impact leads to.
struct ImpactOrder {
  std::vector<int> contacts = {};  ///< the impacts, in turn
  Eigen::VectorXd velocity = {};   ///< n, afterwards
  std::vector<int> closed = {};    ///< contacts that stay closed
  /// 2n x 2n: derivative of the state after by the state before, [q, q'], with the time that a
  /// disturbed impact comes earlier or later.
  Eigen::MatrixXd saltation = {};
};

/// One or several contacts that close at one instant.
struct ImpactInMotion {
  double time = 0.0;  ///< s
  std::vector<int> contacts = {};
  double slowest = 0.0;  ///< the least approach speed, m/s; derivatives grow with its inverse
  /// In which contacts can close: any that approaches can be next, also one that an earlier impact
  /// has driven to approach.
  std::vector<ImpactOrder> orders = {};
  bool all_orders = true;      ///< false: there are more than 1,000, of which `orders` are some
  bool continuous = true;      ///< these orders lead to one velocity and the same closed contacts
  bool differentiable = true;  ///< they are all, and lead to one derivative, too
};

/// The outcome as the disturbance becomes small, from one side.
struct SidedOutcome {
  Eigen::VectorXd state = {};  ///< 2n, [q, q'] at the end
  Eigen::VectorXd slope = {};  ///< 2n, per unit of the disturbance
  std::vector<ImpactInMotion> impacts = {};
};

struct OutcomeDerivative {
  bool continuous = true;
  bool differentiable = true;
  /// 2n x 2n, where there is one: derivative of the state at the end by that at the start.
  std::optional<Eigen::MatrixXd> derivative = {};
  /// Contacts that are closed at the start and whose gaps, or rates of gaps, the direction changes:
  /// then slopes are those of no motion. The derivative is for the other directions.
  std::vector<int> not_kept = {};
  SidedOutcome right;  ///< start + h direction, h > 0
  SidedOutcome left;   ///< start - h direction: its slope, too, is that for growing h
};

/// The derivative of the state at `end` by the state at 0, in a direction (docs/linearise.md).
/// @param start      2n, [q, q']; a contact whose gap and speed are 0 is closed
/// @param direction  2n
/// @throws InputError if something has a wrong shape, a contact grazes or closes at `end`, contacts
/// are redundant, or the direction leaves undecided which contact is first where it matters
OutcomeDerivative derivative(const Motion& motion, const Eigen::VectorXd& start, double end,
                             const Eigen::VectorXd& direction);
inline OutcomeDerivative derivative(const StartedMotion& its) {
  return derivative(its.motion, its.start, its.end, its.direction);
}

/// The impact of a problem alone, its configuration fixed: each order of its contacts. The lower
/// right nv x nv of a saltation is the derivative by the pre-impact velocity. Contacts that rest
/// are closed before the impact.
/// @throws InputError as above, or if a contact has friction
ImpactInMotion derivative(const ImpactProblem& problem);

}  // namespace carom
