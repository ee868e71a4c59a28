#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "carom/coupling.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/scenario.hpp"
#include "host/base/note_list.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/dual_norms.hpp"
#include "host/sampling/default_impulse_step.hpp"
#include "host/sampling/problem_notes.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom {
namespace {

// In the paper's systems, h is 1 to 30 times the stopping impulse; at a hundred times what contacts
// need, nearly every first step ends the impact.
constexpr double far_above = 100.0;
// A tolerance above this fraction of the fastest approach is larger than rounding.
constexpr double coarse = 1e-4;

/// "A, B, ..."
std::string shortened(const std::vector<int>& contacts, const std::vector<std::string>& names) {
  constexpr std::size_t most_shown = 2;
  std::string text;
  for (std::size_t i = 0; i < std::min(contacts.size(), most_shown); ++i) {
    text += (i == 0 ? "" : ", ") + names[static_cast<std::size_t>(contacts[i])];
  }
  return text + (contacts.size() > most_shown ? ", ..." : "");
}

/// Groups of contacts that do not act on one another, if several have more than one contact.
void add_groups(const ImpactProblem& problem, std::vector<Note>& found) {
  constexpr int least_contacts = 4;
  if (problem.contacts() < least_contacts) return;
  const std::vector<std::vector<int>> groups = contact_groups(problem);
  const auto several = std::count_if(groups.begin(), groups.end(),
                                     [](const auto& group) { return group.size() > 1; });
  if (several < 2) return;
  const std::vector<std::string> names = validated(problem).contact_names;
  std::string list;
  for (const std::vector<int>& group : groups) {
    list += (list.empty() ? "" : "; ") + shortened(group, names);
  }
  found.push_back(make_note(
      "independent_groups",
      fmt::format(
          "the contacts are {} groups that do not act on one another ({}): outcomes are those "
          "of the groups, each with each; sampled alone, each group takes far fewer "
          "trajectories",
          groups.size(), list)));
}

/// Contacts with friction that their tangent rows give nothing to act on: more often a mistake than
/// a mechanism that cannot slip.
void add_tangents(const ImpactProblem& problem, std::vector<Note>& found) {
  constexpr double rounding = 1e-12;  // of the normal row
  const int d = problem.tangent_dimension();
  std::vector<int> contacts;
  for (int i = 0; i < problem.contacts(); ++i) {
    if (!(problem.friction(i) > 0.0)) continue;
    const double length = problem.tangent_jacobian.middleRows(i * d, d).norm();
    if (length <= rounding * problem.normal_jacobian.row(i).norm()) contacts.push_back(i);
  }
  if (contacts.empty()) return;
  found.push_back(make_note(
      "zero_tangents",
      fmt::format("{} of {} contacts have friction, but tangent rows that are zero ({}): they "
                  "cannot slip, and no friction acts; check the tangent Jacobian, unless the "
                  "mechanism is so",
                  contacts.size(), problem.contacts(),
                  shortened(contacts, problem.contact_names))));
}

}  // namespace

std::optional<Note> note_on_pyramid(int directions, double friction, const Law& law) {
  constexpr int many_directions = 16;
  if (!(friction > 0.0) || directions >= many_directions || !steps_by_cones(law)) {
    return std::nullopt;
  }
  constexpr double half_turn = 180.0;
  const double narrower = 1.0 - std::cos(std::numbers::pi / directions);
  return make_note(
      "friction_pyramid",
      fmt::format("friction has {} directions instead of all: on a sliding contact it may point "
                  "up to {:.3g}° away from the slip, and slow down or hold up to {:.2g} % less; a "
                  "larger friction_directions (in [problem], or of from_mujoco) comes nearer to "
                  "the cone, and takes longer",
                  directions, half_turn / directions, 100.0 * narrower));
}

double resolved_distance(const ImpactProblem& problem, const SamplingOptions& options) {
  const Eigen::MatrixXd metric = net_metric(problem, options.norm);
  Eigen::VectorXd velocity = problem.pre_impact_velocity;
  if (metric.size() > 0) velocity = metric * velocity;
  const double steepest = dual_norms(problem, options.norm, problem.normal_jacobian).maxCoeff();
  return std::max(options.termination_tolerance / steepest, residual_tolerance * velocity.norm());
}

std::vector<Note> notes(const ImpactProblem& given, const SamplingOptions& options) {
  const ImpactProblem problem = validated(given);
  std::vector<Note> found;
  const double tolerance = options.termination_tolerance;
  const double approach = -(problem.normal_jacobian * problem.pre_impact_velocity).minCoeff();
  if (!colliding(problem, problem.pre_impact_velocity, tolerance)) {
    found.push_back(make_note(
        "separated_before",
        fmt::format(
            "no contact approaches{}: the pre-impact velocity is separated already and is the only "
            "outcome",
            approach > 0.0 ? fmt::format(" faster than termination_tolerance = {} m/s", tolerance)
                           : "")));
    return found;
  }
  if (tolerance > coarse * approach) {
    found.push_back(make_note(
        "coarse_termination",
        fmt::format(
            "termination_tolerance is {} m/s, {:.2g} % of the fastest approach: contacts of "
            "outcomes may still approach as fast, and their modes say that they stick or slide",
            tolerance, 100.0 * tolerance / approach)));
  }
  const bool is_large = has_impulse_step(options.law) && options.impulse_step.has_value() &&
                        *options.impulse_step > far_above * stopping_impulse(problem);
  if (is_large) {
    const double needed = default_impulse_step(problem, options.law);  // or more than to stop
    if (*options.impulse_step > far_above * needed) {
      found.push_back(make_note(
          "large_impulse_step",
          fmt::format("impulse_step is {} N·s, far above the largest impulse that a contact needs, "
                      "{:.3g} N·s: most caps of most trajectories are without effect; try a "
                      "smaller one",
                      *options.impulse_step, needed)));
    }
  }
  if (!friction_cone_support(problem)) {
    found.push_back(make_note(
        "cone_not_pointed",
        "the friction cone is not pointed (contact impulses can cancel each other): termination "
        "within max_steps is not guaranteed"));
  }
  add_tangents(problem, found);
  if (problem.merged_contacts > 0) {
    found.push_back(
        make_note("merged_contacts",
                  fmt::format("merge left out {} contact{} of flat patches: outcomes in "
                              "which {} alone are missing",
                              problem.merged_contacts, problem.merged_contacts == 1 ? "" : "s",
                              problem.merged_contacts == 1 ? "it pushes" : "these push")));
  }
  std::ranges::copy(problem.doubts, std::back_inserter(found));
  add_groups(problem, found);
  if (problem.tangent_dimension() == 2) {
    if (auto note = note_on_pyramid(problem.friction_directions, problem.friction.maxCoeff(),
                                    options.law)) {
      found.push_back(std::move(*note));
    }
  }
  if (options.epsilon.has_value()) {
    const double distance = resolved_distance(problem, options);
    if (*options.epsilon < distance) {
      found.push_back(make_note(
          "fewer_digits",
          fmt::format(
              "epsilon is {:.10g}, but outcomes are computed to about {:.1g}: "
              "termination_tolerance and the residual of the LCPs tell no smaller distances",
              *options.epsilon, distance)));
    }
  }
  return found;
}

}  // namespace carom
