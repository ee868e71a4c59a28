#include "host/sampling/default_impulse_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "carom/sampling_options.hpp"
#include "host/laws/law_list.hpp"
#include "host/modes/mode_table.hpp"
#include "host/modes/solution_finder.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/problem/default_steps.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {
namespace {

/// The caps of free steps: hardly a step reaches them, even where friction nearly jams. Where it
/// jams, a step needs the impulse that stops the slip, however slowly contacts approach.
double free_cap(const ImpactProblem& problem, double stopping) {
  constexpr double beyond = 1e6;
  constexpr double beyond_slip = 1e3;
  const Eigen::VectorXd& v = problem.pre_impact_velocity;
  const double speed = std::max((problem.normal_jacobian * v).cwiseAbs().maxCoeff(),
                                (problem.tangent_jacobian * v).cwiseAbs().maxCoeff());
  const Eigen::VectorXd admittances = delassus_matrix(problem).diagonal().head(problem.contacts());
  return std::max(beyond * stopping, beyond_slip * speed / admittances.minCoeff());
}

struct Push {
  double largest_normal;  ///< impulse of a contact, N·s
  Eigen::VectorXd velocity;
};

/// Steps of one problem without limits to the impulses of the contacts that take part.
class FreeSteps {
 public:
  /// @param problem validated
  /// @param all every solution of a step: those of contacts that jam, too, as they separate
  FreeSteps(const ImpactProblem& problem, double cap, bool all) : problem_(problem), cap_(cap) {
    constexpr bool capped = true;
    constexpr bool by_modes = false;  // a table of them takes far longer than a few searches
    if (all) {
      finder_.emplace(problem, capped, by_modes);
    } else {
      data_ = flatten(problem, 1.0, 1.0);
    }
  }

  bool have_all() const { return finder_.has_value(); }

  /// Those that end below the cap.
  std::vector<Push> from(const Eigen::VectorXd& before, std::uint64_t taking_part) const {
    Eigen::VectorXd caps(problem_.contacts());
    for (int i = 0; i < caps.size(); ++i) caps(i) = (taking_part >> i & 1) != 0 ? cap_ : 0.0;
    std::vector<Push> pushes = have_all() ? all_of(before, caps) : one_of(before, caps);
    std::erase_if(pushes, [&](const Push& push) { return !(push.largest_normal < cap_); });
    return pushes;
  }

 private:
  std::vector<Push> one_of(const Eigen::VectorXd& before, const Eigen::VectorXd& caps) const {
    const StepSolution step = solve_flat_step(problem_, data_, before, caps);
    if (step.status != Status::separated) return {};
    return {{step.normal_impulse.maxCoeff(), step.post_velocity}};
  }

  std::vector<Push> all_of(const Eigen::VectorXd& before, const Eigen::VectorXd& caps) const {
    constexpr int most_nodes = 10'000;
    std::vector<Push> pushes;
    for (StepAnswer& answer : finder_->find(before, caps, most_nodes).answers) {
      pushes.push_back({answer.normal_impulse.maxCoeff(), std::move(answer.velocity)});
    }
    return pushes;
  }

  const ImpactProblem& problem_;
  std::vector<double> data_;
  double cap_;
  std::optional<SolutionFinder> finder_;
};

/// Sets of contacts, as bits: all sets of few contacts, else each alone and all together.
std::vector<std::uint64_t> sets_of_contacts(int contacts) {
  constexpr int few = 3;
  const std::uint64_t all = (std::uint64_t{1} << contacts) - 1;
  std::vector<std::uint64_t> sets;
  if (contacts <= few) {
    for (std::uint64_t set = 1; set <= all; ++set) sets.push_back(set);
    return sets;
  }
  for (int i = 0; i < contacts; ++i) sets.push_back(std::uint64_t{1} << i);
  sets.push_back(all);
  return sets;
}

/// The largest normal impulse of free steps, one after the other from the velocity before the
/// impact, in each of which some contacts take part: breadth first, so many steps at most.
double largest_impulse(const ImpactProblem& problem, const FreeSteps& steps, int most_steps) {
  constexpr double rounding = 1e-9;  // of the largest speed of a contact, or entry of the velocity
  const std::vector<std::uint64_t> sets = sets_of_contacts(problem.contacts());
  std::vector<Eigen::VectorXd> velocities = {problem.pre_impact_velocity};
  const auto normal_speeds = [&](const Eigen::VectorXd& v) -> Eigen::VectorXd {
    return problem.normal_jacobian * v;
  };
  const double least_approach = rounding * normal_speeds(velocities.front()).cwiseAbs().maxCoeff();
  const double same = rounding * velocities.front().cwiseAbs().maxCoeff();
  double largest = 0.0;
  int taken = 0;
  for (std::size_t next = 0; next < velocities.size(); ++next) {
    const Eigen::VectorXd before = velocities[next];
    const Eigen::VectorXd speeds = normal_speeds(before);
    if (!(speeds.minCoeff() < -least_approach)) continue;
    for (const std::uint64_t set : sets) {
      bool approaches = false;
      for (int i = 0; i < problem.contacts(); ++i) {
        approaches |= (set >> i & 1) != 0 && speeds(i) < -least_approach;
      }
      if (!approaches && !steps.have_all()) continue;
      if (taken++ == most_steps) return largest;
      for (Push& push : steps.from(before, set)) {
        largest = std::max(largest, push.largest_normal);
        const bool is_known = std::ranges::any_of(velocities, [&](const Eigen::VectorXd& known) {
          return (known - push.velocity).cwiseAbs().maxCoeff() <= same;
        });
        if (!is_known) velocities.push_back(std::move(push.velocity));
      }
    }
  }
  return largest;
}

}  // namespace

double default_impulse_step(const ImpactProblem& given) {
  constexpr int most_steps = 64;
  const double stopping = stopping_impulse(given);
  const double cap = free_cap(given, stopping);
  const bool is_usual = stopping > 0.0 && std::isfinite(cap) && fits_capacity(shape_of(given));
  if (!is_usual) return default_impulse_step(stopping);
  const ImpactProblem problem = validated(given);
  const FreeSteps steps(problem, cap, false);
  return std::max(stopping, largest_impulse(problem, steps, most_steps));
}

double default_impulse_step(const ImpactProblem& given, const Law& law) {
  constexpr int most_steps = 16;  // each a search
  constexpr double room = 1.25;   // where contacts jam, caps just below an impulse do not do
  const double stopping = stopping_impulse(given);
  if (!has_impulse_step(law)) return default_impulse_step(stopping);
  const double of_one = default_impulse_step(given);
  const double cap = free_cap(given, stopping);
  constexpr double most_modes = 2'500;  // 4 contacts in the plane, 2 in space with k up to 8
  const auto method = all_solutions_by(law, given);
  const bool has_several = method && *method != SolutionMethod::unique;
  if (!(stopping > 0.0) || !std::isfinite(cap) || !fits_capacity(shape_of(given)) || !has_several ||
      count_modes(given) > most_modes) {
    return of_one;
  }
  const ImpactProblem problem = validated(given);
  const FreeSteps steps(problem, cap, true);
  const double of_all = largest_impulse(problem, steps, most_steps);
  return of_all > (1.0 + 1e-6) * of_one ? room * of_all : of_one;
}

}  // namespace carom
