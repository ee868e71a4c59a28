#include "host/run/run_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "carom/orientation.hpp"
#include "carom/scenario.hpp"
#include "carom/solutions.hpp"
#include "host/base/note_list.hpp"
#include "host/evidence/bound_check.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/evidence/lone_contacts.hpp"
#include "host/evidence/step_effect.hpp"
#include "host/evidence/step_limit.hpp"
#include "host/evidence/theory.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/decompositions.hpp"
#include "host/run/epsilon_notes.hpp"
#include "host/run/net_search.hpp"
#include "host/run/small_steps.hpp"
#include "host/sampling/default_impulse_step.hpp"

namespace carom {
namespace {

std::uint64_t count_of(const StatusCounts& counts, Status status) {
  return counts[static_cast<std::size_t>(status)];
}

std::string steps_text(int steps) { return fmt::format("{} step{}", steps, steps == 1 ? "" : "s"); }

/// "1 with ray, 3 with residual"
std::string failures_text(const StatusCounts& counts) {
  std::string text;
  for (const Status failure : {Status::ray, Status::pivot_limit, Status::residual,
                               Status::no_solution, Status::no_progress}) {
    const std::uint64_t count = count_of(counts, failure);
    if (count == 0) continue;
    text += fmt::format("{}{} with {}", text.empty() ? "" : ", ", count, status_name(failure));
  }
  return text;
}

/// "; max_steps = 40 is enough for the first 64 of them"
std::string step_limit_advice(const ImpactProblem& problem, const SamplingOptions& options,
                              const Summary& summary) {
  const std::uint64_t dropped = count_of(summary.status_counts, Status::step_limit);
  if (dropped == 0 || options.max_steps >= max_step_limit) return "";
  const StepLimitTrial trial = try_step_limits(problem, options, summary.lcps);
  if (trial.dropped == 0) return "; a larger max_steps may keep them";
  const std::string them =
      trial.dropped == dropped ? "them" : fmt::format("the first {} of them", trial.dropped);
  if (trial.left == 0) {
    return fmt::format("; max_steps = {} is enough for {}", trial.max_steps, them);
  }
  const auto* const plus = std::get_if<law::Plus>(&options.law);
  return fmt::format(
      "; of {} {} still collide with max_steps = {}{}", them, trial.left, trial.max_steps,
      plus != nullptr ? fmt::format(" (max_rounds = {} ends some, too)", plus->max_rounds)
      : !has_impulse_step(options.law) ? ""
      : trial.sliding == trial.left
          ? ": contacts approach by less than 1e-8 of their slip, try a larger "
            "termination_tolerance"
          : ": try a larger impulse_step");
}

/// Eigenvalues of a symmetric matrix, scaled so that units of coordinates do not count, ascending.
Eigen::VectorXd scaled_spectrum(const Eigen::MatrixXd& matrix) {
  const Eigen::VectorXd scale = matrix.diagonal().cwiseSqrt().cwiseInverse();
  return eigenvalues(scale.asDiagonal() * matrix * scale.asDiagonal());
}

/// The condition of a mass matrix.
double mass_condition(const ImpactProblem& problem) {
  const Eigen::VectorXd spectrum = scaled_spectrum(problem.mass_matrix);
  return spectrum(spectrum.size() - 1) / spectrum(0);
}

/// The condition of the normals' Delassus matrix, in which contacts that depend on others have no
/// part.
double normals_condition(const ImpactProblem& problem) {
  constexpr double rounding = 1e-12;
  const Eigen::Index m = problem.contacts();
  const Eigen::VectorXd spectrum = scaled_spectrum(delassus_matrix(problem).topLeftCorner(m, m));
  double least = spectrum(m - 1);
  for (const double value : spectrum) {
    if (value > rounding * spectrum(m - 1)) least = std::min(least, value);
  }
  return spectrum(m - 1) / least;
}

/// What keeps trajectories of law plus whose contacts found no impulse.
std::string failure_advice(const Law& law, const StatusCounts& counts) {
  const auto* const plus = std::get_if<law::Plus>(&law);
  if (plus == nullptr) return "";
  std::string advice;
  if (!plus->backtrack && count_of(counts, Status::no_solution) > 0) {
    advice += "; backtrack = true tries other impulses where contacts have none";
  }
  if (count_of(counts, Status::no_progress) > 0) {
    advice +=
        "; with no_progress, contacts jam: their friction presses them together faster than "
        "the normal impulse parts them; another law or less friction helps";
  }
  return advice;
}

/// Notes on trajectories without an outcome.
void add_losses(const ImpactProblem& problem, const SamplingOptions& options,
                const Summary& summary, std::vector<Note>& notes) {
  for (Note& note : loss_notes(options.max_steps, summary.status_counts,
                               step_limit_advice(problem, options, summary),
                               failure_advice(options.law, summary.status_counts))) {
    notes.push_back(std::move(note));
  }
  if (failures_text(summary.status_counts).empty()) return;
  constexpr double nearly_singular = 1e7;
  const auto tell = [&](const char* matrix, double condition, const char* why) {
    notes.push_back(make_note("ill_conditioned",
                              fmt::format("the {} matrix, scaled to a diagonal of 1, has the "
                                          "condition {:.1e}: {} cost the LCPs their digits",
                                          matrix, condition, why)));
  };
  const double of_mass = mass_condition(problem);
  const double of_normals = normals_condition(problem);
  if (of_mass > nearly_singular) {
    tell("mass", of_mass, "coordinates that nearly depend on each other");
  } else if (of_normals > nearly_singular) {
    tell("contacts' Delassus", of_normals,
         "contacts that nearly depend on each other, by their places or by very different masses");
  }
}

constexpr double far_below = 0.1;  // of the largest impulse that a contact needs

/// Notes on what the set-valued law's own options leave out.
void add_law(const ImpactProblem& problem, const SamplingOptions& options,
             std::vector<Note>& notes) {
  const auto* law = std::get_if<law::SetValued>(&options.law);
  if (law == nullptr) return;
  if (law->solutions != Solutions::all && !has_restitution(problem)) {
    const bool lines = solution_method(problem) == SolutionMethod::lines;  // a hundred times slower
    const AmbiguousSteps found = count_ambiguous_steps(problem, options, lines ? 16 : 128);
    if (found.ambiguous > 0) {
      notes.push_back(make_note(
          "several_solutions",
          fmt::format("{} of {} steps of a pilot have several solutions, of which solutions = {} "
                      "takes one: outcomes may be missing; solutions = all takes each",
                      found.ambiguous, found.steps, solutions_name(*law->solutions))));
    }
  }
  if (auto note = note_on_small_impulse_step(problem, options)) notes.push_back(std::move(*note));
  const LoneContacts lone = find_lone_contacts(problem, options);
  if (lone.trajectories > 0 && !lone.found) {
    const std::string best = to_text(default_caps(problem.contacts()));
    notes.push_back(make_note(
        "caps_never_alone",
        fmt::format("in none of {} first steps a contact had more than {:.0f} % of the normal "
                    "impulse: outcomes in which one contact comes first may be missing; try {}",
                    lone.trajectories, 100.0 * lone_share,
                    to_text(*law->caps) == best ? "a smaller impulse_step"
                                                : fmt::format("caps = \"{}\"", best))));
  }
}

/// What a net of steps as large as these lacks. Of a small h the note small_impulse_step says more.
void add_small_steps(const ImpactProblem& problem, const SamplingOptions& options,
                     PostImpactSet& set) {
  if (!std::holds_alternative<law::SetValued>(options.law)) return;
  const double needed = default_impulse_step(problem, options.law);
  if (*options.impulse_step < far_below * needed) return;
  if (finds_solutions_by_lines(problem, options.law)) return;  // they cost too much
  auto found = note_on_small_steps(problem, options, needed, set.net, set.summary.mean_lcps());
  if (found) set.notes.push_back(std::move(*found));
}

/// Outcomes that the net lacks, by the certificate's last test.
void add_misses(const Certificate& certificate, const Law& law, std::vector<Note>& notes) {
  constexpr double negligible = 0.02;
  if (certificate.tests.empty()) return;
  const HoldOut& test = certificate.tests.back();
  const std::uint64_t outside = test.misses - test.failures;
  const auto trials = static_cast<double>(test.trials);
  if (!(static_cast<double>(outside) > negligible * trials)) return;
  notes.push_back(make_note(
      "net_misses",
      fmt::format(
          "{} of {} new trajectories ({:.2g} %) end farther than epsilon = {:.10g} from the "
          "net, which lacks such outcomes: take more trajectories or a larger epsilon{}",
          outside, test.trials, 100.0 * static_cast<double>(outside) / trials, certificate.epsilon,
          std::holds_alternative<law::Plus>(law) ? "" : ", or explore")));
}

void sort(std::vector<Note>& notes) {
  std::stable_sort(notes.begin(), notes.end(), [](const Note& one, const Note& other) {
    return place_of(one) < place_of(other);
  });
}

}  // namespace

std::vector<Note> loss_notes(int max_steps, const StatusCounts& counts, const std::string& advice,
                             const std::string& failure_advice) {
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  const std::uint64_t outcomes = count_of(counts, Status::separated);
  const std::uint64_t dropped = count_of(counts, Status::step_limit);
  const std::uint64_t failed = all - outcomes - dropped;
  std::vector<Note> notes;
  if (outcomes == 0 && all > 0) {
    std::string ways;
    if (dropped > 0)
      ways = fmt::format("{} still collided after {}", dropped, steps_text(max_steps));
    if (failed > 0) {
      ways += fmt::format("{}{} had a step that was not solved ({})", ways.empty() ? "" : ", ",
                          failed, failures_text(counts));
    }
    notes.push_back(make_note("no_outcomes", fmt::format("no outcome: of {} trajectories {}{}{}",
                                                         all, ways, advice, failure_advice)));
    return notes;
  }
  if (dropped > 0) {
    notes.push_back(make_note(
        "dropped", fmt::format("{} of {} trajectories still collided after {} and were dropped{}",
                               dropped, all, steps_text(max_steps), advice)));
  }
  if (failed > 0) {
    notes.push_back(make_note(
        "failed", fmt::format("{} of {} trajectories met a step that was not solved ({}); they are "
                              "not among the outcomes{}",
                              failed, all, failures_text(counts), failure_advice)));
  }
  return notes;
}

std::optional<Note> note_on_small_impulse_step(const ImpactProblem& problem,
                                               const SamplingOptions& options) {
  if (!std::holds_alternative<law::SetValued>(options.law)) return std::nullopt;
  if (!options.impulse_step.has_value()) return std::nullopt;
  const double needed = default_impulse_step(problem, options.law);
  if (!(*options.impulse_step < far_below * needed)) return std::nullopt;
  return make_note(
      "small_impulse_step",
      fmt::format("impulse_step is {} N·s, far below the largest impulse that a contact needs, "
                  "{:.3g} N·s: caps of many steps average out, and {}",
                  *options.impulse_step, needed,
                  problem.contacts() > 1
                      ? "random trajectories lack extreme outcomes; try a larger one"
                      : "outcomes are near that of h -> 0"));
}

// Kinetic energy grows: Poisson's restitution does not bound it. Where trajectories begin at
// velocities of their own, their energies before the impact differ.
std::optional<Note> note_on_energy_gain(double before, const Range& energy, const Law& law) {
  if (draws_velocity(law)) return std::nullopt;
  constexpr double rounding = 1e-9;
  const auto grows = [&](double its) { return its > (1.0 + rounding) * before; };
  if (energy.empty() || !grows(energy.greatest)) return std::nullopt;
  return make_note(
      "energy_gain",
      fmt::format("the kinetic energy grows in {} of the outcomes, by {:.3g} % at most",
                  grows(energy.least) ? "all" : "some", 100.0 * (energy.greatest / before - 1.0)));
}

std::optional<Note> note_on_missed_solutions(std::uint64_t steps,
                                             const std::optional<SolutionAudit>& audit,
                                             bool connected) {
  std::string text;
  if (steps > 0) {
    text = fmt::format("in {} step{} not all solutions were found, and Lemke's was taken", steps,
                       steps == 1 ? "" : "s");
    if (connected) {
      text +=
          ": each step has one solution or a continuum, of which a part may be missing; "
          "solutions = \"first\" is faster, and takes one point of each continuum";
    }
  }
  if (audit && audit->missed_steps > 0) {
    text += fmt::format("{}audit: {}", text.empty() ? "" : "; ", audit->sentence());
  }
  if (text.empty()) return std::nullopt;
  return make_note("solutions_missed", std::move(text));
}

void note_trajectories(const ImpactProblem& problem, const SamplingOptions& options,
                       PostImpactSet& set) {
  if (!set.backend_note.empty()) set.notes.push_back(make_note("cpu_fallback", set.backend_note));
  constexpr std::uint64_t usual_parts = 100;  // of which the CPU may repeat one
  if (usual_parts * set.repeated_on_cpu > set.summary.trajectories) {
    set.notes.push_back(make_note(
        "repeated_on_cpu",
        fmt::format("the GPU left {} of {} trajectories to the CPU: they have an LCP that double "
                    "precision could not decide",
                    set.repeated_on_cpu, set.summary.trajectories)));
  }
  if (!set.complete) return;
  if (set.summary.trajectories > set.summary.outcomes()) {
    add_losses(problem, options, set.summary, set.notes);
  }
  if (colliding(problem, problem.pre_impact_velocity, options.termination_tolerance)) {
    add_law(problem, options, set.notes);
    add_small_steps(problem, options, set);
    if (auto note = note_on_step_effect(problem, options, set.net.size())) {
      set.notes.push_back(std::move(*note));
    }
    if (auto note = note_on_shared_impulse(problem, options.law)) {
      set.notes.push_back(std::move(*note));
    }
    note_epsilon(problem, options, set);
    if (auto note =
            note_on_energy_gain(set.summary.energy_before, set.summary.energy, options.law)) {
      set.notes.push_back(std::move(*note));
    }
  }
  if (!options.trajectories.is_stated() && finds_solutions_by_lines(problem, options.law)) {
    set.notes.push_back(make_note(
        "fewer_trajectories",
        fmt::format("M is {}: steps of this problem are solved along lines, which takes a hundred "
                    "times as long",
                    *options.trajectories)));
  }
  note_evidence(problem, options, set);
}

void note_evidence(const ImpactProblem& problem, const SamplingOptions& options,
                   PostImpactSet& set) {
  std::erase_if(set.notes, [](const Note& note) {
    return note.code == "other_law_outside" || note.code == "solutions_missed" ||
           note.code == "net_misses" || note.code == "outside_bound" || note.code == "search_open";
  });
  if (set.certificate) add_misses(*set.certificate, options.law, set.notes);
  if (const auto note = set.search ? note_on(*set.search, set.net) : std::nullopt) {
    set.notes.push_back(*note);
  }
  if (const auto note = set.bound ? note_on(*set.bound) : std::nullopt) set.notes.push_back(*note);
  const bool separated =
      std::ranges::count(set.notes, "separated_before", &Note::code) > 0;  // no caps matter
  const bool has_orders = problem.contacts() > 1;
  if (std::holds_alternative<law::SetValued>(options.law) && has_orders && !separated) {
    if (auto note = note_on(set.comparison, set.net, *options.impulse_step)) {
      set.notes.push_back(std::move(*note));
    }
  }
  const std::uint64_t missed = set.summary.solution_steps[solution_bins - 1];
  const bool connected = missed > 0 && orientation(problem).solutions == StepSolutions::connected;
  if (auto note = note_on_missed_solutions(missed, set.audit, connected)) {
    set.notes.push_back(std::move(*note));
  }
  sort(set.notes);
}

const Note* error_of(const PostImpactSet& set) {
  const auto found = std::find_if(set.notes.begin(), set.notes.end(), [](const Note& note) {
    return note.severity == Severity::error;
  });
  return found == set.notes.end() ? nullptr : &*found;
}

}  // namespace carom
