#include "host/run/small_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "carom/sampler.hpp"
#include "host/base/note_list.hpp"
#include "host/run/hold_out.hpp"

namespace carom {

std::optional<Note> note_on_small_steps(const ImpactProblem& problem,
                                        const SamplingOptions& options, double needed,
                                        const EpsilonNet& net, double mean_lcps) {
  constexpr double part = 1.0 / 30.0;    // of h, or of what a contact needs if that is less
  constexpr double longest = 100.0;      // times as many LCPs as on average
  constexpr std::uint64_t one_of = 300;  // trajectories
  constexpr std::uint64_t most = 64, least = 13;     // trajectories
  constexpr double usual = 0.05, confidence = 0.99;  // of outcomes outside, which some nets miss
  const std::uint64_t count = std::min(most, *options.trajectories / one_of);
  if (count < least || net.size() == 0) return std::nullopt;
  SamplingOptions own = options;
  own.impulse_step = part * std::min(*options.impulse_step, needed);
  own.trajectories = count;
  own.max_steps = std::clamp<int>(static_cast<int>(longest * mean_lcps), 100, max_step_limit);
  own.backend = Backend::cpu;
  const RowMatrix outcomes = sample(problem, own).outcomes();
  std::uint64_t outside = 0;
  double farthest = 0.0;
  for (Eigen::Index i = 0; i < outcomes.rows(); ++i) {
    const double distance = net.distance(outcomes.row(i).data());
    if (distance > net.epsilon()) ++outside;
    farthest = std::max(farthest, distance);
  }
  const auto found = static_cast<std::uint64_t>(outcomes.rows());
  if (found == 0 || clopper_pearson_lower(outside, found, confidence) <= usual) return std::nullopt;
  return make_note(
      "small_steps_outside",
      fmt::format("{} of {} trajectories with caps up to {:.3g} N·s instead of {:.3g} N·s end "
                  "outside the net, up to {:.2g} from it (epsilon = {:.10g}): the net lacks what "
                  "many small steps lead to; explore, or compare it with one of that impulse_step",
                  outside, found, *own.impulse_step, *options.impulse_step, farthest,
                  net.epsilon()));
}

}  // namespace carom
