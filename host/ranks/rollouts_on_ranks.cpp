#include "host/ranks/rollouts_on_ranks.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace carom {

static void each_field(Rollouts& rollouts, Archive& archive) {
  archive(static_cast<RolloutShape&>(rollouts), rollouts.first, rollouts.time);
  for_each_rollout_column([&](const RolloutColumnInfo&, auto& column) { archive(column); },
                          rollouts);
}

namespace {

constexpr const char* rollouts_name = "rollouts";
constexpr std::uint64_t most_of_a_rank = 1024;  // rollouts in an order: a signal waits for them

}  // namespace

Tasks::value_type rollouts_task(const Place& place) {
  return {
      rollouts_name, [place, scenario = std::shared_ptr<Scenario>()](const Bytes& order) mutable {
        Archive in(order);
        if (const auto text = in.get<std::string>(); !text.empty()) {
          scenario = std::make_shared<Scenario>(parse_scenario(text));
          scenario->sampling = at_place(sampling_in_time(*scenario), place);
        }
        const auto first = in.get<std::uint64_t>();
        const auto count = in.get<std::uint64_t>();
        const auto end_of = [&](int rank) {
          return count * static_cast<std::uint64_t>(rank) / static_cast<std::uint64_t>(place.size);
        };
        RollOptions options = *scenario->roll;
        options.rollouts = end_of(place.rank + 1) - end_of(place.rank);
        if (options.rollouts == 0) return pack(Rollouts());
        return pack(roll(*scenario, options, {}, first + end_of(place.rank)));
      }};
}

RollPart rollouts_on_ranks(Crew& crew, const Scenario& scenario) {
  return [&crew, text = to_toml(scenario)](std::uint64_t first, std::uint64_t count,
                                           const SampleObserver& observer) mutable -> Rollouts {
    Rollouts all;
    all.first = first;
    for (bool goes_on = true; goes_on && all.size() < count;) {
      const std::uint64_t part =
          std::min(count - all.size(), most_of_a_rank * static_cast<std::uint64_t>(crew.size()));
      const auto answers =
          crew.ask(rollouts_name, pack(std::exchange(text, {}), first + all.size(), part));
      if (answers) {
        for (const Bytes& answer : *answers) append(unpack<Rollouts>(answer), all);
      }
      goes_on = answers && (!observer || observer(all.size(), count));
    }
    all.complete = all.size() == count;
    return all;
  };
}

}  // namespace carom
