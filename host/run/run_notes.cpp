#include "host/run/run_notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "carom/scenario.hpp"
#include "carom/solutions.hpp"
#include "host/base/note_list.hpp"
#include "host/evidence/bound_check.hpp"
#include "host/evidence/comparison_note.hpp"
#include "host/evidence/lone_contacts.hpp"
#include "host/evidence/step_limit.hpp"
#include "host/evidence/theory.hpp"
#include "host/laws/law_list.hpp"
#include "host/problem/decompositions.hpp"
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

/// The condition of the mass matrix, scaled so that units of coordinates do not count.
double scaled_condition(const Eigen::MatrixXd& mass_matrix) {
  const Eigen::VectorXd scale = mass_matrix.diagonal().cwiseSqrt().cwiseInverse();
  const Eigen::VectorXd spectrum =
      eigenvalues(scale.asDiagonal() * mass_matrix * scale.asDiagonal());
  return spectrum(spectrum.size() - 1) / spectrum(0);
}

/// What keeps trajectories of law plus whose contacts found no impulse.
std::string failure_advice(const Law& law, const StatusCounts& counts) {
  const auto* const plus = std::get_if<law::Plus>(&law);
  if (plus == nullptr || plus->backtrack || count_of(counts, Status::no_solution) == 0) return "";
  return "; backtrack = true tries other impulses where contacts have none";
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
  constexpr double nearly_singular = 1e8;
  const double condition = scaled_condition(problem.mass_matrix);
  if (condition > nearly_singular) {
    notes.push_back(make_note(
        "ill_conditioned",
        fmt::format("the mass matrix, scaled to a diagonal of 1, has the condition {:.1e}: "
                    "coordinates that nearly depend on each other cost the LCPs their digits",
                    condition)));
  }
}

constexpr double far_below = 0.1;  // of the largest impulse that a contact needs

/// Notes on what the set-valued law's own options leave out.
/// @param needed default_impulse_step() of the problem and law
void add_law(const ImpactProblem& problem, const SamplingOptions& options, double needed,
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
  if (*options.impulse_step < far_below * needed) {
    notes.push_back(make_note(
        "small_impulse_step",
        fmt::format("impulse_step is {} N·s, far below the largest impulse that a contact needs, "
                    "{:.3g} N·s: caps of many steps average out, and random trajectories lack "
                    "extreme outcomes; "
                    "try a larger one",
                    *options.impulse_step, needed)));
  }
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
void add_small_steps(const ImpactProblem& problem, const SamplingOptions& options, double needed,
                     PostImpactSet& set) {
  if (!std::holds_alternative<law::SetValued>(options.law)) return;
  if (*options.impulse_step < far_below * needed) return;
  if (finds_solutions_by_lines(problem, options.law)) return;  // they cost too much
  auto found = note_on_small_steps(problem, options, needed, set.net, set.summary.mean_lcps());
  if (found) set.notes.push_back(std::move(*found));
}

/// Distances of the set in the net's norm.
class Spread {
 public:
  Spread(const ImpactProblem& problem, const SamplingOptions& options)
      : problem_(problem), options_(options), metric_(net_metric(problem, options.norm)) {}

  /// Largest distance of two outcomes of a small part of the run.
  double of_outcomes() const {
    constexpr std::uint64_t part = 256;
    SamplingOptions pilot = options_;
    pilot.trajectories = std::min(part, *options_.trajectories);
    pilot.backend = Backend::cpu;
    const Eigen::MatrixXd points = in_norm(sample(problem_, pilot).outcomes());
    double largest = 0.0;
    for (Eigen::Index i = 1; i < points.cols(); ++i)
      largest = std::max(largest, squared(points, i));
    return std::sqrt(largest);
  }

  /// The median of members' distances to the nearest other member.
  double of_neighbours(const EpsilonNet& net) const {
    constexpr Eigen::Index most = 1 << 13;
    constexpr Eigen::Index most_asked = 256;
    const Eigen::MatrixXd members =
        in_norm(net.velocity_rows().topRows(std::min(most, static_cast<Eigen::Index>(net.size()))));
    std::vector<double> nearest;
    for (Eigen::Index i = 0; i < std::min(most_asked, members.cols()); ++i) {
      Eigen::VectorXd distances =
          (members.colwise() - members.col(i)).colwise().squaredNorm().transpose();
      distances(i) = std::numeric_limits<double>::infinity();
      nearest.push_back(std::sqrt(distances.minCoeff()));
    }
    const auto median = nearest.begin() + static_cast<std::ptrdiff_t>(nearest.size() / 2);
    std::nth_element(nearest.begin(), median, nearest.end());
    return *median;
  }

  double of_pre_impact_velocity() const {
    return in_norm(problem_.pre_impact_velocity.transpose()).norm();
  }

 private:
  /// Velocities (rows) as columns whose Euclidean norm is the net's.
  Eigen::MatrixXd in_norm(const RowMatrix& velocities) const {
    if (metric_.size() == 0) return velocities.transpose();
    return metric_ * velocities.transpose();
  }
  static double squared(const Eigen::MatrixXd& points, Eigen::Index last) {
    return (points.leftCols(last).colwise() - points.col(last)).colwise().squaredNorm().maxCoeff();
  }

  const ImpactProblem& problem_;
  const SamplingOptions& options_;
  Eigen::MatrixXd metric_;
};

/// Notes on an epsilon that does not fit the set.
void add_epsilon(const ImpactProblem& problem, const SamplingOptions& options,
                 const PostImpactSet& set, std::vector<Note>& notes) {
  constexpr std::size_t few = 16;       // members that make it worth to measure the set
  constexpr double coarse = 1.0 / 3.0;  // of the set's diameter
  constexpr double fitting = 0.01;      // of the set's diameter: what Carom chooses
  constexpr double rounding = 1e-6;     // of the pre-impact speed: the set is a point
  constexpr std::uint64_t many = 256;   // outcomes that a net should join
  const double epsilon = *options.epsilon;
  const Spread spread(problem, options);
  if (options.epsilon.is_stated() && set.net.size() < few && set.summary.outcomes() > 1) {
    const double diameter = spread.of_outcomes();
    if (epsilon > coarse * diameter && diameter > rounding * spread.of_pre_impact_velocity()) {
      notes.push_back(make_note(
          "coarse_epsilon",
          fmt::format("epsilon is {:.10g}, but outcomes are only {:.2g} apart; epsilon = {:.2g} "
                      "shows the set",
                      epsilon, diameter, fitting * diameter)));
    }
  }
  if (set.summary.outcomes() >= many && set.net.size() == set.summary.outcomes()) {
    notes.push_back(make_note(
        "fine_epsilon",
        fmt::format("epsilon is {:.10g}, and each of the {} outcomes is a member of the net: it "
                    "joins none; half of them have another one within {:.2g}",
                    epsilon, set.net.size(), spread.of_neighbours(set.net))));
  }
}

/// Kinetic energy that grows: Poisson's restitution does not bound it. Where trajectories begin at
/// velocities of their own, their energies before the impact differ.
void add_energy_gain(const Summary& summary, const SamplingOptions& options,
                     std::vector<Note>& notes) {
  if (draws_velocity(options.law)) return;
  constexpr double rounding = 1e-9;
  const double before = summary.energy_before;
  const auto grows = [&](double energy) { return energy > (1.0 + rounding) * before; };
  if (summary.energy.empty() || !grows(summary.energy.greatest)) return;
  notes.push_back(
      make_note("energy_gain",
                fmt::format("the kinetic energy grows in {} of the outcomes, by {:.3g} % at most",
                            grows(summary.energy.least) ? "all" : "some",
                            100.0 * (summary.energy.greatest / before - 1.0))));
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

/// Solutions of steps that are known to be missing.
void add_missed_solutions(const PostImpactSet& set, std::vector<Note>& notes) {
  const std::uint64_t incomplete = set.summary.solution_steps[solution_bins - 1];
  std::string text;
  if (incomplete > 0) {
    text = fmt::format("in {} step{} not all solutions were found, and Lemke's was taken",
                       incomplete, incomplete == 1 ? "" : "s");
  }
  if (set.audit && set.audit->missed_steps > 0) {
    text += fmt::format("{}audit: {}", text.empty() ? "" : "; ", set.audit->sentence());
  }
  if (!text.empty()) notes.push_back(make_note("solutions_missed", std::move(text)));
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
    const double needed = default_impulse_step(problem, options.law);
    add_law(problem, options, needed, set.notes);
    add_small_steps(problem, options, needed, set);
    add_epsilon(problem, options, set, set.notes);
    add_energy_gain(set.summary, options, set.notes);
  }
  if (!options.trajectories.is_stated() && finds_solutions_by_lines(problem, options.law)) {
    set.notes.push_back(make_note(
        "fewer_trajectories",
        fmt::format("M is {}: steps of this problem are solved along lines, which takes a hundred "
                    "times as long",
                    *options.trajectories)));
  }
  note_evidence(options, set);
}

void note_evidence(const SamplingOptions& options, PostImpactSet& set) {
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
  if (std::holds_alternative<law::SetValued>(options.law) && !separated) {
    if (auto note = note_on(set.comparison, set.net, *options.impulse_step)) {
      set.notes.push_back(std::move(*note));
    }
  }
  add_missed_solutions(set, set.notes);
  sort(set.notes);
}

const Note* error_of(const PostImpactSet& set) {
  const auto found = std::find_if(set.notes.begin(), set.notes.end(), [](const Note& note) {
    return note.severity == Severity::error;
  });
  return found == set.notes.end() ? nullptr : &*found;
}

}  // namespace carom
