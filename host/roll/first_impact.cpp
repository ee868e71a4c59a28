#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "carom/roll.hpp"
#include "host/base/field_error.hpp"
#include "host/roll/body_length.hpp"
#include "host/roll/first_impact_notes.hpp"
#include "host/roll/impact_in_time.hpp"
#include "host/roll/roll_plan.hpp"
#include "kernels/cpu/run_items.hpp"

namespace carom {
namespace {

/// An impact, the state right before it, and the pairs that touch.
struct CapturedImpact {
  ImpactProblem problem;
  RigidState state;
  std::vector<std::size_t> pairs;
};

/// Of each pair (row), whether its gap depends on a coordinate (column).
Eigen::ArrayXX<bool> dependence(const RigidMechanism& mechanism,
                                const std::vector<double>& position) {
  constexpr double shift = 1e-3;  // m or rad
  const std::vector<double> gaps = mechanism.gaps(position);
  Eigen::ArrayXX<bool> depends(gaps.size(), position.size());
  for (std::size_t j = 0; j < position.size(); ++j) {
    std::vector<double> shifted = position;
    shifted[j] += shift;
    const std::vector<double> its = mechanism.gaps(shifted);
    for (std::size_t pair = 0; pair < gaps.size(); ++pair) {
      depends(static_cast<Eigen::Index>(pair), static_cast<Eigen::Index>(j)) =
          its[pair] != gaps[pair];
    }
  }
  return depends;
}

/// Whether a pair is a contact of the impact, or one contact with one of them.
bool is_part(const RigidMechanism& mechanism, const CapturedImpact& impact, std::size_t pair,
             double window) {
  return std::ranges::any_of(impact.pairs, [&](std::size_t its) {
    return its == pair || mechanism.are_one_contact(impact.state.position, its, pair, window);
  });
}

/// Pairs that do not touch, but so nearly that they may have been meant to, of bodies that have a
/// part in the impact or would have one then. Not a corner beside the end of an edge whose own
/// corner touches.
/// @param near the largest such gap, m
std::vector<std::string> near_contacts(const RigidMechanism& mechanism,
                                       const CapturedImpact& impact, double window, double near) {
  const std::vector<double> gaps = mechanism.gaps(impact.state.position);
  const auto is_near = [&](double gap) { return gap > window && gap <= near; };
  if (std::ranges::none_of(gaps, is_near)) return {};
  const Eigen::ArrayXX<bool> depends = dependence(mechanism, impact.state.position);
  std::set<std::size_t> joined(impact.pairs.begin(), impact.pairs.end());
  Eigen::Array<bool, 1, Eigen::Dynamic> moved(depends.cols());  // coordinates that these pairs move
  moved = false;
  const auto join = [&](std::size_t pair) {
    moved = moved || depends.row(static_cast<Eigen::Index>(pair));
  };
  for (const std::size_t pair : joined) join(pair);
  for (std::size_t before = 0; before != joined.size();) {
    before = joined.size();
    for (std::size_t pair = 0; pair < gaps.size(); ++pair) {
      const auto its = depends.row(static_cast<Eigen::Index>(pair));
      if (gaps[pair] <= near && (its && moved).any() && joined.insert(pair).second) join(pair);
    }
  }
  std::vector<std::string> found;
  for (const std::size_t pair : joined) {
    if (!is_near(gaps[pair]) || is_part(mechanism, impact, pair, near)) continue;
    found.push_back(fmt::format("{} ({:.1g} m)", mechanism.system().contacts[pair], gaps[pair]));
  }
  return found;
}

/// Pairs that touch and approach as the impact begins, but are none of its contacts.
std::vector<std::string> other_impacts(const RigidMechanism& mechanism,
                                       const CapturedImpact& impact, double window,
                                       double impact_speed) {
  constexpr double moment = 1e-6;  // s
  std::vector<double> way = impact.state.velocity;
  for (double& part : way) part *= moment;
  const std::vector<double> gaps = mechanism.gaps(impact.state.position);
  const std::vector<double> later = mechanism.gaps(mechanism.moved(impact.state.position, way));
  std::vector<std::string> found;
  for (std::size_t pair = 0; pair < gaps.size(); ++pair) {
    const bool approaches = later[pair] - gaps[pair] < -impact_speed * moment;
    if (!(gaps[pair] <= window) || !approaches) continue;
    if (is_part(mechanism, impact, pair, window)) continue;
    found.push_back(mechanism.system().contacts[pair]);
  }
  return found;
}

/// @throws InputError if there is no impact
CapturedImpact capture_first_impact(const RigidWorld& world, double duration, double window) {
  const RigidMechanism mechanism(world);
  struct Found {
    const std::vector<std::string>& names;
    std::optional<ImpactProblem> problem;
    std::vector<std::size_t> pairs;
  } found{mechanism.system().contacts, std::nullopt, {}};
  const auto capture = [](const void* context, const RolloutImpact& impact) {
    auto& its = *const_cast<Found*>(static_cast<const Found*>(context));
    its.problem = problem_of(impact);
    for (int a = 0; a < impact.contacts; ++a) {
      its.pairs.push_back(static_cast<std::size_t>(impact.pair[a]));
      its.problem->contact_names.push_back(its.names[its.pairs.back()]);
    }
    return RolloutStatus::impact_failed;  // the motion ends here
  };
  RollOptions options;
  options.duration = duration;
  options.events = 0;
  options.window = window;
  options = resolved(options, world);
  require_gaps(mechanism, mechanism.start().position, options.window, "the world");
  RollMemory memory;
  memory.position = mechanism.start().position;
  memory.velocity = mechanism.start().velocity;
  const RolloutPlan plan = make_plan(mechanism, options, {duration}, memory);
  Rollouts row;
  static_cast<RolloutShape&>(row) = plan.shape;
  row.resize(1);
  mechanism.with_view([&](const auto& view) {
    item_runner().rollouts(view)(view, plan, {capture, &found}, 0, 1, view_of(row));
  });
  if (!found.problem) {
    if (is_whole(row.status[0])) {
      throw NoImpact(
          "system", fmt::format("no contact approaches within {} s (must be an impact)", duration));
    }
    throw FieldError("system",
                     fmt::format("the motion ends before an impact, in {} (must be an impact)",
                                 failure_text(row.status[0])));
  }
  if (mechanism.restitution()) {
    found.problem->restitution =
        Eigen::VectorXd::Constant(found.problem->contacts(), *mechanism.restitution());
  }
  // The motion ended before the impact changed anything.
  CapturedImpact impact{
      validated(std::move(*found.problem)), {row.position, row.velocity}, found.pairs};
  const double near = std::min(1e-3, small_gap * shortest_body(world).length);
  if (const auto pairs = near_contacts(mechanism, impact, window, near); !pairs.empty()) {
    impact.problem.doubts.push_back(make_note(
        "near_contacts",
        fmt::format("these are near, but not among the contacts of this impact: {}; where they are "
                    "meant to touch, let `window` in [roll] be larger than their gaps",
                    first_names(pairs))));
  }
  if (const auto pairs = other_impacts(mechanism, impact, window, plan.impact_speed);
      !pairs.empty()) {
    impact.problem.doubts.push_back(note_on_other_impacts(pairs));
  }
  impact.problem.doubts.push_back(note_on_first_impact(row.first_time[0]));
  return impact;
}

}  // namespace

FirstImpact find_first_impact(const PlanarWorld& stated, double duration, double window) {
  PlanarWorld world = validated(stated);
  CapturedImpact found = capture_first_impact(world, duration, window);
  const std::vector<PlanarCoordinate> coordinates = coordinates_of(world);
  for (std::size_t i = 0; i < coordinates.size(); ++i) {
    PlanarBody& body = world.bodies[coordinates[i].body];
    body.position(coordinates[i].part) = found.state.position[i];
    body.velocity(coordinates[i].part) = found.state.velocity[i];
  }
  FirstImpact impact{std::move(found.problem), validated(std::move(world)), {}};
  const std::vector<PlanarTouch> all = touches(impact.world);
  for (const std::size_t pair : found.pairs) impact.contacts.push_back(all[pair]);
  return impact;
}

ImpactProblem first_impact(const RigidWorld& world, double duration, double window) {
  return capture_first_impact(world, duration, window).problem;
}

}  // namespace carom
