#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "carom/evidence_options.hpp"
#include "host/laws/plus.hpp"
#include "host/laws/propagative.hpp"
#include "host/laws/sequential.hpp"
#include "host/laws/set_valued.hpp"
#include "host/laws/simultaneous.hpp"

namespace carom {

/// Calls visit(LawEntry, law) for the law that `law`, a Law, holds.
template <class AnyLaw, class Visit>
decltype(auto) visit_law(AnyLaw& law, Visit&& visit) {
  return std::visit(
      [&](auto& its) -> decltype(auto) {
        return visit(LawEntry<std::remove_const_t<std::remove_reference_t<decltype(its)>>>{}, its);
      },
      law);
}

/// Calls visit(OptionInfo, member) for each of the law's own options; `law` may be const.
template <class AnyLaw, class Visit>
void for_each_law_option(AnyLaw& law, const Visit& visit) {
  visit_law(law, [&](auto entry, auto& its) { entry.for_each_option(its, visit); });
}

/// Every law with its default options.
const std::vector<Law>& all_laws();

/// Names of the own options of all laws, each once.
const std::vector<std::string>& law_option_names();

/// "caps uniform, solutions first, h = 0.3 N·s": the law and its options, for reports and
/// certificates.
/// @param impulse_step h as text, with its unit
std::string law_words(const Law& law, const std::string& impulse_step);

/// Chooses the law's options that are left to Carom.
void choose(Law& law, int contacts);

/// Chooses which solution a step takes where each problem has one trajectory: in time, and in the
/// worlds of a simulator.
void choose_solutions_in_time(Law& law);

/// @throws InputError if an option of the law does not fit a problem with this number of contacts,
/// or any problem if it is not known yet
void validate(const Law& law, std::optional<int> contacts);

/// @throws InputError if the law cannot take a valid problem
void validate(const Law& law, const ImpactProblem& problem);

/// @throws FieldError if the options request evidence that the law does not support
void validate(const Law& law, const EvidenceOptions& evidence);

/// Restitution under the law where a problem states none; nothing if the law has no restitution.
std::optional<double> default_restitution(const Law& law);

/// Restitution of each contact (m) under the law; nothing if the law has none.
std::optional<Eigen::VectorXd> restitution_of(const ImpactProblem& problem, const Law& law);

/// Whether the problem, or the law in its place, has a restitution above 0.
bool rebounds(const ImpactProblem& problem, const Law& law);

/// An option of the law that is a distribution; null if none is.
const char* drawn_option(const Law& law);

/// Whether trajectories begin at velocities that they draw.
bool draws_velocity(const Law& law);

/// The law's option that replaces a field of the problem, "friction", "restitution" or
/// "pre_impact_velocity"; null if it has none.
std::vector<Uncertain>* replacement_of(Law& law, std::string_view field);

/// The problem as the law's options state it: their numbers, or what they are on average, for
/// whatever is said of the problem without a trajectory.
void replace_in(ImpactProblem& problem, Law law);

/// See LawDefaults.
bool has_impulse_step(const Law& law);

/// Default of max_steps.
int default_max_steps(const Law& law);

/// The same for trajectories that need more than is usual.
int generous_max_steps(const Law& law);

/// What the law's steps are.
StepKind step_kind(const Law& law);

/// See LawDefaults.
bool steps_by_cones(const Law& law);

/// How the law finds all solutions of the problem's steps; nothing if it takes any one of them.
std::optional<SolutionMethod> all_solutions_by(const Law& law, const ImpactProblem& problem);
/// Whether it does so by SolutionMethod::lines.
bool finds_solutions_by_lines(const ImpactProblem& problem, const Law& law);

/// The law for a problem with some of its contacts alone, see LawDefaults.
Law of_contacts(const Law& law, std::span<const int> contacts);

/// The law whose trajectories are independent of each other, see LawDefaults.
Law independent(const Law& law);

}  // namespace carom
