#include "host/evidence/small_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "carom/sampler.hpp"
#include "host/base/note_list.hpp"
#include "host/laws/law_list.hpp"

namespace carom {

std::optional<Note> note_on_small_steps(const ImpactProblem& problem,
                                        const SamplingOptions& options, const EpsilonNet& net) {
  constexpr double part = 1.0 / 30.0;         // of h
  constexpr std::uint64_t most_longer = 300;  // 30 times as many LCPs each, a tenth of them in all
  constexpr std::uint64_t most = 64, least = 13;
  constexpr double usual = 0.05;  // outside a net that lacks nothing but rare outcomes
  const auto count = std::min(most, *options.trajectories / most_longer);
  if (count < least || net.size() == 0) return std::nullopt;
  SamplingOptions own = options;
  own.impulse_step = part * *options.impulse_step;
  own.trajectories = count;
  own.max_steps = std::max<int>(*options.max_steps, generous_max_steps(options.law));
  own.backend = Backend::cpu;
  const RowMatrix outcomes = sample(problem, own).outcomes();
  std::uint64_t outside = 0;
  double farthest = 0.0;
  for (Eigen::Index i = 0; i < outcomes.rows(); ++i) {
    const double distance = net.distance(outcomes.row(i).data());
    if (distance > net.epsilon()) ++outside;
    farthest = std::max(farthest, distance);
  }
  if (static_cast<double>(outside) <= usual * static_cast<double>(outcomes.rows()))
    return std::nullopt;
  return make_note(
      "small_steps_outside",
      fmt::format("{} of {} trajectories with caps up to {:.3g} N·s instead of {:.3g} N·s end "
                  "outside the net, up to {:.2g} from it (epsilon = {:.10g}): it lacks what many "
                  "small steps lead to; explore, or compare it with a net of that impulse_step",
                  outside, outcomes.rows(), *own.impulse_step, *options.impulse_step, farthest,
                  net.epsilon()));
}

}  // namespace carom
