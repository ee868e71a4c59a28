#include "host/evidence/step_effect.hpp"

#include <fmt/format.h>

#include <variant>

#include "carom/bounds.hpp"
#include "carom/orientation.hpp"
#include "host/base/note_list.hpp"

namespace carom {

std::optional<Note> note_on_step_effect(const ImpactProblem& problem,
                                        const SamplingOptions& options, std::size_t members) {
  const bool is_of_steps = std::holds_alternative<law::SetValued>(options.law);
  if (problem.contacts() > 1 || !is_of_steps || members <= 1) return std::nullopt;
  if (orientation(problem).solutions != StepSolutions::one) return std::nullopt;
  return make_note(
      "step_effect",
      fmt::format("one contact alone has no order of impulses, and its steps have one solution: "
                  "that its outcomes differ is the effect of steps with caps up to h = {:.3g} N·s, "
                  "while h -> 0 leaves one outcome; a smaller impulse_step comes nearer to it{}",
                  *options.impulse_step,
                  has_bound(problem, options.law)
                      ? ", and carom bound --scope inclusion encloses it"
                      : ""));
}

}  // namespace carom
