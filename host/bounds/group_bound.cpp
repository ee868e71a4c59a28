#include "host/bounds/group_bound.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "host/bounds/beyond_hulls.hpp"

namespace carom {
namespace {

/// Whether an impulse of one contact changes a speed of another.
bool acts(const ImpactGeometry& geometry, int one, int other) {
  for (int direction = 0; direction < geometry.directions(); ++direction) {
    const IntegerVector& edge = geometry.edge(one, direction);
    const RationalVector change(edge.begin(), edge.end());
    if (!dot(geometry.normal(other), change).is_zero()) return true;
    for (int slip = 0; slip < geometry.directions() && !geometry.frictionless(other); ++slip) {
      if (!dot(geometry.slip(other, slip), change).is_zero()) return true;
    }
  }
  return false;
}

std::vector<std::vector<int>> groups_of(const ImpactGeometry& geometry) {
  std::vector<std::vector<int>> groups;
  for (int contact = 0; contact < geometry.contacts(); ++contact) {
    const auto joined = std::ranges::partition(groups, [&](const std::vector<int>& group) {
      return std::ranges::none_of(group, [&](int other) {
        return acts(geometry, contact, other) || acts(geometry, other, contact);
      });
    });
    std::vector<int> all = {contact};
    for (const std::vector<int>& group : joined) all.insert(all.end(), group.begin(), group.end());
    groups.erase(joined.begin(), joined.end());
    groups.push_back(std::move(all));
  }
  for (std::vector<int>& group : groups) std::ranges::sort(group);
  return groups;
}

ImpactProblem problem_of(const ImpactProblem& whole, const std::vector<int>& contacts) {
  const int d = whole.tangent_dimension();
  std::vector<int> rows;
  ImpactProblem part = whole;
  part.contact_names.clear();
  for (const int contact : contacts) {
    for (int a = 0; a < d; ++a) rows.push_back(contact * d + a);
    part.contact_names.push_back(whole.contact_names[static_cast<std::size_t>(contact)]);
  }
  part.normal_jacobian = whole.normal_jacobian(contacts, Eigen::all);
  part.tangent_jacobian = whole.tangent_jacobian(rows, Eigen::all);
  part.friction = whole.friction(contacts);
  part.restitution = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(contacts.size()));
  return part;
}

}  // namespace

std::vector<ImpactProblem> problems_of_groups(const ImpactProblem& problem,
                                              const ImpactGeometry& geometry) {
  std::vector<ImpactProblem> problems;
  for (const std::vector<int>& group : groups_of(geometry)) {
    problems.push_back(problem_of(problem, group));
  }
  return problems;
}

OuterBound sum_of_groups(const ImpactProblem& problem, const ImpactGeometry& geometry,
                         const std::vector<BoundDirection>& wanted,
                         std::span<const OuterBound> bounds) {
  OuterBound bound;
  bound.method = BoundMethod::groups;
  bound.status = BoundStatus::closed;
  bound.verified = Verified::exact;
  const RationalVector before(problem.pre_impact_velocity.begin(),
                              problem.pre_impact_velocity.end());
  std::vector<std::pair<Rational, Rational>> ends;
  for (const BoundDirection& one : wanted) {
    const Rational value = dot(RationalVector(one.row.begin(), one.row.end()), before);
    ends.emplace_back(value, value);
  }
  bool is_empty = false;
  for (const OuterBound& its : bounds) {
    bound.rounds = std::max(bound.rounds, its.rounds);
    // Its own contacts' speeds come first.
    auto end = its.directions.end() - static_cast<std::ptrdiff_t>(wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i, ++end) {
      is_empty = is_empty || std::isnan(end->low);
      if (is_empty) break;
      const Rational value = dot(RationalVector(end->row.begin(), end->row.end()), before);
      ends[i].first += exact(end->low) - value;
      ends[i].second += exact(end->high) - value;
    }
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    bound.directions.push_back({wanted[i].name, wanted[i].row,
                                is_empty ? nan : rounded_down(ends[i].first),
                                is_empty ? nan : rounded_up(ends[i].second)});
  }
  take_ends(problem.velocities(), {}, bound);
  bound.kinetic_energy = energy_before(geometry);
  return bound;
}

}  // namespace carom
