#include "host/ranks/slots_on_ranks.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace carom {

static void each_field(SlotStart& start, Archive& archive) {
  archive(start.state, start.script, start.depth, start.random);
}

static void each_field(Walk& walk, Archive& archive) {
  archive(walk.states, walk.repeats, walk.steps, walk.lcps, walk.separated, walk.solved);
}

static void each_field(SlotPath& path, Archive& archive) { archive(path.numbers, path.walk); }

namespace {

constexpr const char* slots_name = "slots";

/// What a rank needs to know of an exploration.
struct SlotWorker {
  SlotWorker(const ImpactProblem& problem, const SamplingOptions& options)
      : walker(problem, options), runner(walker, options) {}

  const ScriptedWalker walker;
  const SlotRunner runner;
};

}  // namespace

Tasks::value_type slots_task(const Place& place) {
  return {
      slots_name, [place, worker = std::shared_ptr<SlotWorker>()](const Bytes& order) mutable {
        Archive in(order);
        if (const auto text = in.get<std::string>(); !text.empty()) {
          const Scenario scenario = parse_scenario(text);
          const SamplingOptions options = exploration_options(scenario.problem, scenario.sampling);
          worker = std::make_shared<SlotWorker>(scenario.problem, at_place(options, place));
        }
        const auto starts = in.get<std::vector<SlotStart>>();
        const auto end_of = [&](int rank) {
          return starts.size() * static_cast<std::size_t>(rank) /
                 static_cast<std::size_t>(place.size);
        };
        const std::size_t first = end_of(place.rank);
        return pack(
            worker->runner.run(std::span(starts).subspan(first, end_of(place.rank + 1) - first)));
      }};
}

RunSlots slots_on_ranks(Crew& crew, const Scenario& scenario) {
  return [&crew, text = scenario_text(scenario.problem, scenario.sampling)](
             const std::vector<SlotStart>& starts) mutable -> std::optional<std::vector<SlotPath>> {
    const auto answers = crew.ask(slots_name, pack(std::exchange(text, {}), starts));
    if (!answers) return std::nullopt;
    std::vector<SlotPath> paths;
    for (const Bytes& answer : *answers) {
      auto its = unpack<std::vector<SlotPath>>(answer);
      std::ranges::move(its, std::back_inserter(paths));
    }
    return paths;
  };
}

}  // namespace carom
