#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <future>
#include <limits>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "carom/bounds.hpp"
#include "carom/error.hpp"
#include "host/bounds/beyond_hulls.hpp"
#include "host/bounds/exact_hulls.hpp"
#include "host/bounds/group_bound.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"
#include "host/problem/no_restitution.hpp"

namespace carom {
namespace {

// Work grows with the square of the number of cells, and fast with the dimension of the pieces.
constexpr std::size_t most_cells = 300;
constexpr std::size_t most_dimensions = 5;
// Where pieces do not close with less, they hardly ever do. Half a minute of one processor.
constexpr std::int64_t most_work = 4'000'000'000;
// Paths of the inclusion are limits of steps whose velocities miss their cells by less than any
// slack: this one, of the fastest contact before the impact, is far above rounding, and adds to the
// bounds as little.
constexpr double relative_slack = 0x1p-30;
// Where pieces of cells with slack do not close soon, they gain vertices for ever.
constexpr int most_rounds_with_slack = 4;

Eigen::VectorXd nearest(const RationalVector& vector) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(vector.size()));
  for (std::size_t i = 0; i < vector.size(); ++i) {
    result(static_cast<Eigen::Index>(i)) = rounded_up(vector[i]);
  }
  return result;
}

/// The pieces' part that separates.
struct Separated {
  std::string cell;
  Polyhedron piece;
};

std::vector<Separated> separated(const ReachableHulls& hulls, const ImpactGeometry& geometry,
                                 const std::vector<VelocityCell>& cells, double tolerance) {
  std::vector<Condition> conditions;
  for (int contact = 0; contact < geometry.contacts(); ++contact) {
    RationalVector row = geometry.normal(contact);
    row.front() += exact(tolerance);
    conditions.push_back({primitive(row), false});
  }
  std::vector<Separated> result;
  for (std::size_t i = 0; i < hulls.pieces.size(); ++i) {
    // Cuts leave superfluous conditions, which the hull of what is left has not.
    Polyhedron piece = Polyhedron::hull(hulls.pieces[i].cut(conditions).generators());
    if (piece.empty()) continue;
    result.push_back({i < cells.size() ? cells[i].code : "", std::move(piece)});
  }
  return result;
}

BoundedQuantity extremes(const std::vector<Separated>& pieces, const ImpactGeometry& geometry,
                         std::string name, const Eigen::VectorXd& direction) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  BoundedQuantity result{std::move(name), direction, nan, nan};
  const RationalVector row = geometry.row({direction.begin(), direction.end()});
  bool first = true;
  Rational low;
  Rational high;
  for (const Separated& part : pieces) {
    for (const IntegerVector& point : part.piece.generators()) {
      const Rational value = dot(row, RationalVector(point.begin(), point.end())) / point.front();
      if (first || value < low) low = value;
      if (first || value > high) high = value;
      first = false;
    }
  }
  if (!first) {
    result.low = rounded_down(low);
    result.high = rounded_up(high);
  }
  return result;
}

/// Conditions gradient . v <= offset in velocities, each gradient divided by its length.
class Rows {
 public:
  Rows(const ImpactGeometry& geometry, const Eigen::VectorXd& start)
      : start_(start.begin(), start.end()), geometry_(&geometry) {
    for (const RationalVector& row : geometry.unreachable()) add(row, Rational(0), true);
  }

  void add(const Condition& condition) {
    RationalVector gradient = geometry_->gradient(condition.row);
    for (Rational& entry : gradient) entry = -entry;
    add(gradient, Rational(condition.row.front()), condition.equality);
  }

  void write(BoundPiece& piece) const {
    const auto count = static_cast<Eigen::Index>(offsets_.size());
    piece.normals.resize(count, static_cast<Eigen::Index>(start_.size()));
    piece.offsets.resize(count);
    for (Eigen::Index i = 0; i < count; ++i) {
      piece.normals.row(i) = normals_[static_cast<std::size_t>(i)];
      piece.offsets(i) = offsets_[static_cast<std::size_t>(i)];
    }
  }

 private:
  /// gradient . (v - v-) <= most
  void add(const RationalVector& gradient, const Rational& most, bool equality) {
    Rational largest = 0;
    for (const Rational& entry : gradient) {
      largest = std::max<Rational>(largest, multiprecision::abs(entry));
    }
    if (largest.is_zero()) return;  // w >= 0
    RationalVector scaled;
    for (const Rational& entry : gradient) scaled.push_back(entry / largest);
    Eigen::VectorXd row = nearest(scaled);
    const double length = row.norm();
    row /= length;
    const double offset = rounded_up((most + dot(gradient, start_)) / largest) / length;
    normals_.push_back(row);
    offsets_.push_back(offset);
    if (!equality) return;
    normals_.emplace_back(-row);
    offsets_.push_back(-offset);
  }

  RationalVector start_;
  const ImpactGeometry* geometry_;
  std::vector<Eigen::VectorXd> normals_;
  std::vector<double> offsets_;
};

BoundPiece describe(const Separated& part, const ImpactGeometry& geometry, Rows rows,
                    Rational& energy) {
  BoundPiece piece;
  piece.cell = part.cell;
  piece.vertices.resize(static_cast<Eigen::Index>(part.piece.generators().size()),
                        geometry.velocities());
  Eigen::Index vertex = 0;
  for (const IntegerVector& point : part.piece.generators()) {
    piece.vertices.row(vertex++) = nearest(geometry.velocity(point));
    energy = std::max<Rational>(energy, geometry.kinetic_energy(point));
  }
  for (const Condition& condition : part.piece.conditions()) rows.add(condition);
  rows.write(piece);
  return piece;
}

double fastest_contact(const ImpactProblem& problem) {
  const Eigen::VectorXd& v = problem.pre_impact_velocity;
  return std::max((problem.normal_jacobian * v).cwiseAbs().maxCoeff(),
                  (problem.tangent_jacobian * v).cwiseAbs().maxCoeff());
}

/// Hulls of a scope, and what they prove.
struct Proof {
  ReachableHulls hulls;
  std::vector<VelocityCell> cells;
  BoundStatus status;
  Verified verified;
};

Proof steps_with_any_h(const ImpactGeometry& geometry, int rounds, bool goes_on, ProofWork& work) {
  Proof proof{{}, velocity_cells(geometry, 0), BoundStatus::closed, Verified::exact};
  proof.hulls =
      reachable_hulls(geometry, proof.cells, {.goes_on = goes_on, .most_rounds = rounds}, work);
  if (!proof.hulls.closed) proof.status = BoundStatus::n_steps;
  return proof;
}

Proof paths_of_inclusion(const ImpactGeometry& geometry, int rounds, double slack,
                         ProofWork& work) {
  Proof proof{{}, velocity_cells(geometry, exact(slack)), BoundStatus::closed, Verified::exact};
  proof.hulls = reachable_hulls(
      geometry, proof.cells,
      {.tight = true, .most_rounds = std::min(rounds, most_rounds_with_slack)}, work);
  if (proof.hulls.closed) return proof;
  proof.verified = Verified::no;
  proof.cells = velocity_cells(geometry, 0);
  work.renew(most_work);
  proof.hulls =
      reachable_hulls(geometry, proof.cells, {.tight = true, .most_rounds = rounds}, work);
  if (!proof.hulls.closed) proof.status = BoundStatus::none;
  return proof;
}

/// Whether a contact approaches before the impact.
bool approaches(const ImpactProblem& problem) {
  const RationalVector before(problem.pre_impact_velocity.begin(),
                              problem.pre_impact_velocity.end());
  return std::ranges::any_of(problem.normal_jacobian.rowwise(), [&](const auto& normal) {
    return dot(RationalVector(normal.begin(), normal.end()), before) < 0;
  });
}

bool within_reach(const ImpactGeometry& geometry) {
  return geometry.directions() <= most_lettered_directions &&
         geometry.dimension() <= most_dimensions && cell_count(geometry, most_cells) <= most_cells;
}

OuterBound prove(const ImpactProblem& problem, const BoundOptions& options, bool goes_on,
                 ProofWork& work);

/// Nothing if the contacts are one group, or hulls do not bound all groups.
std::optional<OuterBound> bound_by_groups(const ImpactProblem& problem,
                                          const ImpactGeometry& geometry,
                                          const BoundOptions& options, ProofWork& work) {
  const std::vector<ImpactProblem> groups = problems_of_groups(problem, geometry);
  const auto is_small = [](const ImpactProblem& group) {
    return within_reach(ImpactGeometry(group));
  };
  if (groups.size() < 2 || !std::ranges::all_of(groups, is_small)) return std::nullopt;
  BoundOptions of_group = options;
  of_group.orders = 0;  // hulls or nothing
  of_group.directions = bounded_quantities(problem, options);
  const bool collides = approaches(problem);
  std::vector<OuterBound> bounds;
  for (const ImpactProblem& group : groups) {
    bounds.push_back(prove(group, of_group, /*goes_on=*/collides, work));
    if (!bounds.back().closed() || bounds.back().method != BoundMethod::hulls) return std::nullopt;
  }
  return sum_of_groups(problem, geometry, of_group.directions, bounds);
}

/// @param problem that obeys the rules
/// @param goes_on whether steps are taken where no contact approaches
/// @throws OutOfWork if the work is stopped
OuterBound prove(const ImpactProblem& problem, const BoundOptions& options, bool goes_on,
                 ProofWork& work) {
  const ImpactGeometry geometry(problem);
  OuterBound bound;
  bound.scope = options.scope;
  if (!within_reach(geometry)) {
    if (options.steps == 0 && options.scope == BoundScope::any_h) {
      if (auto found = bound_by_groups(problem, geometry, options, work)) return *found;
      work.renew(most_work);
    }
    bound_beyond_hulls(problem, geometry, options, work, bound);
    return bound;
  }
  const double slack = relative_slack * fastest_contact(problem);
  // Hulls of a round hold what a step reaches.
  const int rounds = options.steps > 0 ? options.steps : options.rounds;
  const Proof proof = options.scope == BoundScope::any_h
                          ? steps_with_any_h(geometry, rounds, goes_on, work)
                          : paths_of_inclusion(geometry, options.rounds, slack, work);
  bound.rounds = proof.hulls.rounds;
  bound.out_of_work = proof.hulls.out_of_work;
  if (proof.status != BoundStatus::closed && options.steps == 0) {
    work.renew(most_work);
    OuterBound wider = bound;
    bound_beyond_hulls(problem, geometry, options, work, wider);
    // Of the energy alone, less is worth knowing than of some steps.
    if (proof.status == BoundStatus::none || wider.method == BoundMethod::orders) return wider;
  }
  bound.status = proof.status;
  bound.verified = proof.verified;
  if (bound.status == BoundStatus::n_steps) bound.steps = proof.hulls.rounds;

  const std::vector<Separated> pieces =
      separated(proof.hulls, geometry, proof.cells, options.termination_tolerance);
  for (const BoundDirection& one : bounded_quantities(problem, options)) {
    bound.directions.push_back(extremes(pieces, geometry, one.name, one.row));
  }
  take_box(bound, problem.velocities());
  const Rows rows(geometry, problem.pre_impact_velocity);
  Rational energy = 0;
  for (const Separated& part : pieces) {
    bound.pieces.push_back(describe(part, geometry, rows, energy));
  }
  bound.kinetic_energy = rounded_up(energy);
  return bound;
}

}  // namespace

bool has_bound(const ImpactProblem& problem, const Law& law) {
  return steps_by_cones(law) && !rebounds(problem, law) && friction_cone_support(problem);
}

void validate(const BoundOptions& options, const ImpactProblem& problem, const Law& law) {
  for_each_option(
      [](const OptionInfo& info, const auto& value) { check_range("bound", info, value); },
      options);
  if (!steps_by_cones(law)) {
    throw InputError(
        fmt::format("law is {} (must be set_valued, simultaneous or sequential for a "
                    "bound)",
                    law_name(law)));
  }
  require_no_restitution(problem, "for a bound");
  if (options.scope == BoundScope::inclusion && !std::holds_alternative<law::SetValued>(law)) {
    throw InputError(
        fmt::format("scope is inclusion (must be any-h for the law {}, which makes "
                    "large steps)",
                    law_name(law)));
  }
  if (!friction_cone_support(problem)) {
    throw InputError(
        "friction: the contacts' friction cones together are not pointed (must be, "
        "for a bound: impulses without end could cancel)");
  }
  if (options.steps > 0 && options.scope == BoundScope::inclusion) {
    throw InputError("steps is for the scope any-h (a path of the inclusion has no steps)");
  }
  if (options.steps > 0 && problem.friction_directions > most_lettered_directions) {
    throw InputError(fmt::format("friction_directions is {} (must be at most {} to bound steps)",
                                 problem.friction_directions, most_lettered_directions));
  }
  if (!std::isfinite(options.termination_tolerance) || options.termination_tolerance < 0.0) {
    throw InputError(fmt::format("termination_tolerance is {} (must be finite and >= 0)",
                                 options.termination_tolerance));
  }
  Outputs outputs;
  for (const BoundDirection& direction : options.directions) {
    if (direction.row.size() != problem.velocities()) {
      throw InputError(
          fmt::format("direction \"{}\" has {} entries (must have {}: one per velocity)",
                      direction.name, direction.row.size(), problem.velocities()));
    }
    add_output(direction.row, direction.name, outputs);
  }
  validate(outputs, problem);
}

OuterBound outer_bound_here(const ImpactProblem& given, const BoundOptions& options, const Law& law,
                            ProofWatch watch) {
  const ImpactProblem problem = validated(given);
  validate(options, problem, law);
  ProofWork work(most_work, std::move(watch));
  return prove(problem, options, /*goes_on=*/false, work);
}

OuterBound outer_bound(const ImpactProblem& given, const BoundOptions& options, const Law& law,
                       const std::function<void(double)>& poll) {
  if (!poll) return outer_bound_here(given, options, law, {});
  // One thread alone may have nothing to do until the others have done all.
  std::atomic<bool> stopped = false;
  std::atomic<double> done = 0.0;
  auto proof = std::async(std::launch::async, [&] {
    return outer_bound_here(
        given, options, law,
        {.stops = [&] { return stopped.load(); }, .told = [&](double share) { done = share; }});
  });
  try {
    do {
      poll(done);
    } while (proof.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready);
  } catch (...) {
    stopped = true;
    proof.wait();
    throw;
  }
  return proof.get();
}

double excess(const OuterBound& bound, const Eigen::VectorXd& velocity) {
  double least = std::numeric_limits<double>::infinity();
  for (const BoundPiece& piece : bound.pieces) {
    if (piece.normals.cols() != velocity.size()) {
      throw InputError(
          fmt::format("velocity has {} entries (must have {}: one per velocity of the "
                      "bound)",
                      velocity.size(), piece.normals.cols()));
    }
    least = std::min(least, (piece.normals * velocity - piece.offsets).maxCoeff());
  }
  return least;
}

}  // namespace carom
