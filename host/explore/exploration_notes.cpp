#include "host/explore/exploration_notes.hpp"

#include <fmt/format.h>

#include "host/base/note_list.hpp"

namespace carom {
namespace {

/// The size of a net of some rows.
std::size_t net_size(const SampleSet& samples, const std::vector<std::size_t>& rows,
                     const EpsilonNet& like) {
  const auto nv = static_cast<std::size_t>(samples.velocities);
  EpsilonNet net(samples.velocities, like.epsilon(), like.metric());
  std::vector<double> velocity;
  for (const std::size_t row : rows) {
    const double* const its = &samples.velocity[row * nv];
    velocity.insert(velocity.end(), its, its + nv);
  }
  net.add({rows.begin(), rows.end()}, velocity);
  return net.size();
}

}  // namespace

std::vector<Note> notes_of(const Exploration& found, const Law& asked, int max_steps) {
  std::vector<Note> notes;
  const std::uint64_t all = found.outcomes + found.dropped + found.failed;
  if (found.dropped > 0) {
    notes.push_back(make_note(
        "dropped",
        fmt::format("{} of {} trajectories still collided after {} {}; they are no "
                    "outcomes, and a larger max_steps may find more",
                    found.dropped, all, max_steps, found.most_repeats > 1 ? "phases" : "steps")));
  }
  if (found.failed > 0) {
    notes.push_back(make_note("failed", fmt::format("{} of {} trajectories met a step that was not "
                                                    "solved; they are no outcomes",
                                                    found.failed, all)));
  }
  const auto* const law = std::get_if<law::SetValued>(&asked);
  const bool asked_for_all =
      law != nullptr && law->solutions.value_or(Solutions::all) == Solutions::all;
  if (found.solutions == Solutions::first && asked_for_all) {
    notes.push_back(make_note(
        "several_solutions",
        "of each step of this many contacts only Lemke's solution was sought: others may be "
        "missing"));
  }
  if (found.complete && !found.settled) {
    notes.push_back(make_note(
        "search_open", "the search ended " + found.stopped + "; a larger budget may find more"));
  }
  return notes;
}

std::optional<Note> note_on_random(const ImpactProblem& problem, SamplingOptions options,
                                   const Exploration& found) {
  constexpr std::uint64_t trajectories = 256;
  constexpr double negligible = 0.02;               // of the outcomes
  constexpr double little_growth = 0.05;            // of the net, as where a search settles
  if (found.most_repeats > 1) return std::nullopt;  // small steps, of which phases take many
  options.trajectories = trajectories;
  options.backend = Backend::cpu;
  const SampleSet random = sample(problem, options);
  const auto is_final = [&](std::size_t row) {
    return !random.final_step.empty() && random.final_step[row] != 0;
  };
  std::vector<std::size_t> outside = found.net.uncovered(random, options.threads);
  std::erase_if(outside, is_final);  // a search has no final steps
  const std::size_t members = net_size(random, outside, found.net);
  std::uint64_t outcomes = 0;
  for (std::size_t row = 0; row < random.size(); ++row) {
    outcomes += random.status[row] == Status::separated && !is_final(row) ? 1 : 0;
  }
  if (static_cast<double>(outside.size()) <= negligible * static_cast<double>(outcomes) &&
      static_cast<double>(members) <= little_growth * static_cast<double>(found.net.size())) {
    return std::nullopt;
  }
  return make_note(
      "net_misses",
      fmt::format("{} of {} random trajectories end farther than epsilon = {:.10g} from the net of "
                  "{}, which lacks such outcomes, {} members at least: another seed, more islands "
                  "or a larger budget may "
                  "find them, or a sample (carom sample without --explore)",
                  outside.size(), outcomes, found.net.epsilon(), found.net.size(), members));
}

}  // namespace carom
