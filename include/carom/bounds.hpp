#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/law.hpp"
#include "carom/outputs.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/stage_observer.hpp"

namespace carom {

/// Of which impacts an outer bound speaks.
enum class BoundScope {
  any_h,      ///< steps of the law with any caps, any h and any choice among solutions
  inclusion,  ///< paths of the differential inclusion (Halm & Posa, Eq. 39): the limit h -> 0
};

/// How far a bound reaches.
enum class BoundStatus {
  closed,   ///< any number of steps
  n_steps,  ///< at most OuterBound::steps steps
  none,     ///< nothing is known of the scope
};

/// Why a bound is to be believed.
enum class Verified {
  exact,      ///< rational arithmetic on the problem's doubles; for the inclusion, in widened cells
  no,         ///< of the inclusion: closed, but only in cells that are not widened
  certified,  ///< every program has a proof that allows for rounding; of steps, for residuals, too
};

/// A quantity direction . v.
struct BoundDirection {
  std::string name;
  Eigen::VectorXd row;  ///< nv
};

struct BoundOptions {
  BoundScope scope = BoundScope::any_h;
  int rounds = 10;  ///< 1 ... 1000, after which hulls that do not close are given up
  /// 0 for a bound of any number of steps; else the number of steps to bound, or, beyond the limits
  /// of hulls, as many as `programs` linear programs are enough for.
  int steps = 0;
  std::uint64_t programs = 1000000;
  /// Where hulls do not close, or are beyond their limits, convex programs for each end of a
  /// quantity at most, each of the impacts whose contacts have their last pushes in one order; 0:
  /// hulls that do not close bound as many steps as they have rounds, and beyond their limits the
  /// energy alone bounds.
  int orders = 100;
  double termination_tolerance = 1e-8;          ///< m/s, >= 0: outcomes separate within this
  std::vector<BoundDirection> directions = {};  ///< besides the contact speeds
  bool stated_alone = false;  ///< no orders are told apart for contact speeds and coordinates
};

/// What outcomes have of a quantity, rounded outwards. NaN where no velocity within the bound
/// separates.
struct BoundedQuantity {
  std::string name;     ///< "A normal", "A tangential" (" 1", " 2" in space), or as stated
  Eigen::VectorXd row;  ///< nv: the quantity is row . v
  double low = 0.0;
  double high = 0.0;
};

/// A convex part of the bound, cut to separating velocities.
struct BoundPiece {
  std::string cell;  ///< of the last step, a code per contact (docs/bounds.md); "" before any
  Eigen::MatrixXd vertices;  ///< vertices x nv, m/s, rounded to nearest; of BoundMethod::hulls
  Eigen::MatrixXd normals;   ///< conditions x nv, unit rows: normals v <= offsets
  Eigen::VectorXd offsets;   ///< conditions, m/s, rounded to nearest
};

/// How a bound was found.
enum class BoundMethod {
  hulls,      ///< convex hulls of what steps reach, cell by cell
  energy,     ///< impulses only take kinetic energy: wide
  templates,  ///< linear programs over a polytope of fixed normals: for BoundOptions::steps
  groups,     ///< the sum of bounds of groups of contacts that do not act on one another
  orders,     ///< convex programs over orders of last pushes: where hulls do not bound
};

/// A set that no outcome leaves: a union of convex pieces.
struct OuterBound {
  BoundScope scope = BoundScope::any_h;
  BoundMethod method = BoundMethod::hulls;
  BoundStatus status = BoundStatus::none;
  Verified verified = Verified::no;
  int steps = 0;               ///< of status n_steps
  int rounds = 0;              ///< until hulls closed, or were given up
  bool out_of_work = false;    ///< the next round would have passed the limit of work; not in files
  std::uint64_t programs = 0;  ///< that were solved
  std::uint64_t loose_programs = 0;  ///< of them: proved, but less tight than computed
  /// First, contact by contact, the normal speed and the d tangential speeds; then those stated.
  std::vector<BoundedQuantity> directions;
  /// Least and greatest value of each coordinate of an outcome, 2 x nv, rounded outwards.
  RowMatrix box = {};
  double kinetic_energy = 0.0;  ///< the largest of an outcome, J
  std::vector<BoundPiece> pieces;

  bool closed() const { return status == BoundStatus::closed; }
};

/// Whether outcomes have a bound: those of the laws set_valued, simultaneous and sequential without
/// restitution, where impulses can not cancel.
bool has_bound(const ImpactProblem& problem, const Law& law);

/// @throws InputError if an option, the law or the problem allows no such bound
void validate(const BoundOptions& options, const ImpactProblem& problem, const Law& law);

/// What can certainly not happen: bounds of the outcomes, tight for few contacts, and of any number
/// (docs/bounds.md).
/// The laws set_valued, simultaneous and sequential obey `any_h`, only the first
/// has an `inclusion`.
/// @param poll called some 20 times a second by the calling thread, with the share of the proof
/// that is done (0 where nobody knows); what it throws ends the call
/// @throws InputError if the problem, an option or the law breaks a rule
OuterBound outer_bound(const ImpactProblem& problem, const BoundOptions& options,
                       const Law& law = law::SetValued{},
                       const std::function<void(double)>& poll = {});

/// A bound, and beside it the outcomes that were found.
struct BoundCheck {
  OuterBound bound;
  /// Of each of bound.directions the least and the greatest value found; empty without outcomes.
  std::vector<double> found_low = {};
  std::vector<double> found_high = {};
  std::uint64_t trajectories = 0;  ///< that check_bound() sampled for outcomes to compare
  std::uint64_t outcomes = 0;      ///< that were compared: of status n_steps, of so many steps
  std::uint64_t outside = 0;       ///< of them: farther outside than rounding explains
  /// How far the farthest lies outside, m/s; not positive if all are inside. NaN without a bound.
  double worst = std::numeric_limits<double>::quiet_NaN();

  /// Adds rows of outcomes (n x nv). @param allowance m/s, for `outside`
  void add(const RowMatrixView& outcomes, double allowance);
};

/// By how much a computed outcome may lie outside the bound of exact steps, m/s: far more than what
/// the accepted residual explains, and far less than what a user would see.
double bound_allowance(const ImpactProblem& problem);

/// Bounds the outcomes of a run and compares the bound with all of them, which are sampled again.
/// @param sampling resolved; its law and termination tolerance are those of the bound; with 0
/// trajectories, nothing is compared
/// @param directions besides those of `options`
/// @param observer is told of the stages "proof" and "comparison with trajectories"
/// @throws InputError as outer_bound()
BoundCheck check_bound(const ImpactProblem& problem, const SamplingOptions& sampling,
                       const BoundOptions& options, const Outputs& directions = {},
                       const StageObserver& observer = {});

/// How far a velocity lies outside, m/s: the largest violation of a condition of the piece where
/// that is least; <= 0 inside. For an outcome that was computed in doubles, what the residual of
/// its steps allows is no contradiction (docs/bounds.md).
double excess(const OuterBound& bound, const Eigen::VectorXd& velocity);

/// Names in scenarios, flags, files and reports.
const char* scope_name(BoundScope scope);
const char* method_name(BoundMethod method);
const char* verified_name(Verified verified);
/// "closed", "at most 10 steps" or "none".
std::string status_text(const OuterBound& bound);

}  // namespace carom
