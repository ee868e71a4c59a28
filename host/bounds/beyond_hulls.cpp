#include "host/bounds/beyond_hulls.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>

#include "carom/outputs.hpp"
#include "host/bounds/push_order.hpp"
#include "host/bounds/template_bound.hpp"

namespace carom {
namespace {

constexpr double up = std::numeric_limits<double>::infinity();

/// A root that is not below that of `square`.
double root_above(const Rational& square) {
  const double above = rounded_up(square);
  return above <= 0.0 ? 0.0
                      : std::nextafter(std::sqrt(above), std::numeric_limits<double>::infinity());
}

/// What the kinetic energy alone proves: an exact solution of a step has no more of it than the
/// velocity before, since impulses push where a contact approaches and friction opposes its slip.
std::vector<BoundedQuantity> ends_by_energy(const ImpactProblem& problem,
                                            const ImpactGeometry& geometry,
                                            const BoundOptions& options) {
  const std::vector<BoundDirection> wanted = bounded_quantities(problem, options);
  RationalMatrix rows;
  for (const BoundDirection& one : wanted) {
    rows.emplace_back();
    for (const double entry : one.row) rows.back().push_back(exact(entry));
  }
  const std::vector<ImpactGeometry::Reach> reaches = geometry.within_energy(rows);
  std::vector<BoundedQuantity> ends;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const auto& [centre, square] = reaches[i];
    const double reach = root_above(square);
    ends.push_back({wanted[i].name, wanted[i].row,
                    std::nextafter(rounded_down(centre) - reach, -up),
                    std::nextafter(rounded_up(centre) + reach, up)});
    const auto stride = 1 + static_cast<std::size_t>(problem.tangent_dimension());
    if (i < stride * static_cast<std::size_t>(problem.contacts()) &&
        i % stride == 0) {  // it separates
      ends.back().low = std::max(ends.back().low, -options.termination_tolerance);
    }
  }
  return ends;
}

/// Tightens the ends to what the orders of last pushes allow: for any number of steps.
/// @returns the programs that this took
std::uint64_t tighten_by_orders(const StepSpace& space, const BoundOptions& options,
                                ProofWork& work, std::span<BoundedQuantity> ends) {
  constexpr std::int64_t most_products = 200'000'000;  // for each order, a third of a second
  const PushSpace pushes(space, options.termination_tolerance);
  const std::size_t searches = 2 * ends.size();
  if (searches == 0) return 0;
  const OrderLimits limits{options.orders,
                           options.orders * most_products / static_cast<std::int64_t>(searches)};
  std::atomic<std::uint64_t> programs = 0;
  std::atomic<std::size_t> done = 0;
  const auto greatest = [&](const StepSpace::Speed& speed, double sign) {
    const OrderBound found = bound_by_orders(pushes, sign * speed.normal, limits, work);
    programs += found.programs;
    work.tell(static_cast<double>(++done) / static_cast<double>(searches));
    return speed.length * (found.most + sign * speed.constant + speed.error);
  };
  tbb::parallel_for(std::size_t{0}, searches, [&](std::size_t i) {
    BoundedQuantity& end = ends[i / 2];
    const StepSpace::Speed speed = space.speed(end.row);
    if (speed.length == 0.0) return;
    if (i % 2 == 0) {
      end.high = std::min(end.high, greatest(speed, 1.0));
    } else {
      end.low = std::max(end.low, -greatest(speed, -1.0));
    }
  });
  return programs;
}

/// Conditions of a piece, m/s.
void add_condition(BoundPiece& piece, const Eigen::VectorXd& row, double most) {
  const double length = std::max(row.norm(), std::numeric_limits<double>::min());
  const Eigen::Index count = piece.offsets.size();
  piece.normals.conservativeResize(count + 1, row.size());
  piece.offsets.conservativeResize(count + 1);
  piece.normals.row(count) = row / length;
  piece.offsets(count) = most / length;
}

/// Tightens the ends to what the template says of separating velocities.
void tighten(const StepSpace& space, const TemplateBound& found, double tolerance,
             std::vector<BoundedQuantity>& ends, StepProgram::Counts& counts) {
  // Far more than what rounding does to a sum of a few products, of coordinates up to 1.
  constexpr double rounding = 1e-12;
  std::vector<ProgramRow> rows;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    rows.push_back({found.rows[i], found.offsets(static_cast<Eigen::Index>(i)), true});
  }
  for (int i = 0; i < space.contacts(); ++i) {
    const StepSpace::Speed speed = space.normal(i);
    StepSpace::keep(rows, speed, 1, tolerance / speed.length + rounding);
  }
  StepProgram program(space.limits(), std::move(rows), counts);
  for (Eigen::Index e = 0; e < space.limits().edges.cols(); ++e) {
    program.forbid(static_cast<std::size_t>(e));
  }
  if (program.proved_empty()) {
    for (BoundedQuantity& end : ends) end.low = end.high = std::numeric_limits<double>::quiet_NaN();
    return;
  }
  for (BoundedQuantity& end : ends) {
    const StepSpace::Speed speed = space.speed(end.row);
    if (speed.length == 0.0) continue;
    const double margin = rounding * (1.0 + std::abs(speed.constant));
    const double high = program.maximum(speed.normal) + speed.constant + margin;
    const double low = -program.maximum(-speed.normal) + speed.constant - margin;
    end.high = std::min(end.high, speed.length * high);
    end.low = std::max(end.low, speed.length * low);
  }
}

}  // namespace

std::vector<BoundDirection> bounded_quantities(const ImpactProblem& problem,
                                               const BoundOptions& options) {
  std::vector<BoundDirection> list;
  const int d = problem.tangent_dimension();
  for (int i = 0; i < problem.contacts(); ++i) {
    const std::string& name = problem.contact_names[static_cast<std::size_t>(i)];
    list.push_back({name + " " + axis_name(d, 0), problem.normal_jacobian.row(i)});
    for (int t = 0; t < d; ++t) {
      list.push_back({name + " " + axis_name(d, 1 + t), problem.tangent_jacobian.row(i * d + t)});
    }
  }
  list.insert(list.end(), options.directions.begin(), options.directions.end());
  for (int j = 0; j < problem.velocities(); ++j) {
    list.push_back({"", Eigen::VectorXd::Unit(problem.velocities(), j)});
  }
  return list;
}

void take_box(OuterBound& bound, int velocities) {
  const std::size_t first = bound.directions.size() - static_cast<std::size_t>(velocities);
  bound.box.resize(2, velocities);
  for (int j = 0; j < velocities; ++j) {
    const BoundedQuantity& quantity = bound.directions[first + static_cast<std::size_t>(j)];
    bound.box(0, j) = quantity.low;
    bound.box(1, j) = quantity.high;
  }
  bound.directions.resize(first);
}

void take_ends(int velocities, BoundPiece piece, OuterBound& bound) {
  piece.vertices.resize(0, velocities);
  piece.normals.conservativeResize(piece.offsets.size(), velocities);
  for (const BoundedQuantity& quantity : bound.directions) {
    add_condition(piece, quantity.row, quantity.high);
    add_condition(piece, -quantity.row, -quantity.low);
  }
  take_box(bound, velocities);
  bound.pieces.push_back(std::move(piece));
}

double energy_before(const ImpactGeometry& geometry) {
  IntegerVector start(geometry.dimension() + 1);
  start.front() = 1;
  return rounded_up(geometry.kinetic_energy(start));
}

void bound_beyond_hulls(const ImpactProblem& problem, const ImpactGeometry& geometry,
                        const BoundOptions& options, ProofWork& work, OuterBound& bound) {
  bound.method = BoundMethod::energy;
  bound.status = BoundStatus::closed;
  bound.verified = Verified::exact;
  bound.directions = ends_by_energy(problem, geometry, options);
  BoundPiece piece;
  std::optional<StepSpace> space;
  if (stopping_impulse(problem) > 0.0) space.emplace(problem, geometry.dimension());
  const bool can_tighten = space && space->is_precise();
  if (options.orders > 0 && can_tighten) {
    bound.method = BoundMethod::orders;
    bound.verified = Verified::certified;
    std::span<BoundedQuantity> ends = bound.directions;
    if (options.stated_alone) {
      const auto coordinates = static_cast<std::size_t>(problem.velocities());
      ends = ends.last(coordinates + options.directions.size()).first(options.directions.size());
    }
    bound.programs = tighten_by_orders(*space, options, work, ends);
  }
  if (options.steps > 0 && can_tighten) {
    TemplateBound found = template_bound(*space, options.steps, options.programs, work);
    if (found.steps > 0) {
      bound.method = BoundMethod::templates;
      bound.status = BoundStatus::n_steps;
      bound.verified = Verified::certified;
      bound.steps = bound.rounds = found.steps;
      tighten(*space, found, options.termination_tolerance, bound.directions, found.counts);
      for (std::size_t i = 0; i < found.rows.size(); ++i) {
        add_condition(piece, space->gradient(found.rows[i]),
                      found.offsets(static_cast<Eigen::Index>(i)));
      }
    }
    bound.programs += found.counts.solved;
    bound.loose_programs = found.counts.loose;
  }
  take_ends(problem.velocities(), std::move(piece), bound);
  bound.kinetic_energy = energy_before(geometry);
}

}  // namespace carom
