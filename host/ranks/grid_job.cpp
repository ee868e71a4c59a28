#include "host/ranks/grid_job.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "host/grid/grid_spec_json.hpp"
#include "host/interrupt.hpp"
#include "host/ranks/spec_setup.hpp"

namespace carom {
namespace {

constexpr const char* job_name = "grid";

/// Serves both ways: `move(field)` puts it, or gets it.
template <class State, class Move>
void each_field_of_state(State& state, const Move& move) {
  move(state.refusal);
  move(state.colliding);
  move(state.status_counts);
  move(state.checksum);
  move(state.energy_before);
  move(state.energy_mean);
  move(state.energy_least);
  move(state.energy_greatest);
  move(state.net_size);
  move(state.diameter);
  move(state.net_index);
  move(state.net_velocity);
}

void pack(const GridState& state, Packer& packer) {
  each_field_of_state(state, [&](const auto& field) { packer.put(field); });
  packer.put<std::uint64_t>(state.modes.size());
  for (const auto& [mode, count] : state.modes) packer.put(mode).put(count);
}

GridState unpack(Unpacker& unpacker) {
  GridState state;
  each_field_of_state(state, [&](auto& field) { unpacker.get(field); });
  for (auto modes = unpacker.get<std::uint64_t>(); modes > 0; --modes) {
    std::vector<ContactMode> mode;
    unpacker.get(mode);
    unpacker.get(state.modes[mode]);
  }
  return state;
}

/// States of unit `unit` of a run that began with state `first`.
std::pair<std::uint64_t, std::uint64_t> states_of(std::uint64_t first, std::uint64_t unit,
                                                  std::uint64_t size) {
  const std::uint64_t begin = first + unit * grid_block;
  return {begin, std::min(grid_block, size - begin)};
}

StartedJob start(const Bytes& setup, const Place& place) {
  Unpacker unpacker(setup);
  const auto spec = std::make_shared<GridSpec>(get_spec<GridSpec>(unpacker, place, read_grid_spec));
  const auto first = unpacker.get<std::uint64_t>();
  return {[spec, first](const Bytes& order) {
            const auto unit = Unpacker(order).get<std::uint64_t>();
            const auto [begin, count] = states_of(first, unit, spec->family.size());
            const std::vector<GridState> states =
                sample_states(*spec, begin, count, [] { return !interrupted(); });
            Packer packer;
            packer.put(states.size() == count);
            for (const GridState& state : states) pack(state, packer);
            return packer.take();
          },
          {}};
}

}  // namespace

Job grid_job() { return {job_name, start}; }

void continue_grid(Crew& crew, const std::filesystem::path& file, const GridSpec& spec,
                   GridResult& result, const GridObserver& observer) {
  const std::uint64_t size = spec.family.size();
  const std::uint64_t first = result.states.size();
  Packer setup;
  put_spec(file, spec, setup);
  setup.put(first);
  const std::uint64_t units = (size - first + grid_block - 1) / grid_block;
  std::map<std::uint64_t, std::vector<GridState>> early;  // blocks behind one that is not done
  std::uint64_t next = 0;
  crew.run_units(job_name, setup.take(), units, [&](std::uint64_t unit, const Bytes& bytes) {
    Unpacker unpacker(bytes);
    if (!unpacker.get<bool>()) return false;
    std::vector<GridState>& block = early[unit];
    for (std::uint64_t i = 0; i < states_of(first, unit, size).second; ++i) {
      block.push_back(unpack(unpacker));
    }
    bool more = false;
    for (; !early.empty() && early.begin()->first == next; ++next, more = true) {
      std::vector<GridState>& states = early.begin()->second;
      std::move(states.begin(), states.end(), std::back_inserter(result.states));
      early.erase(early.begin());
    }
    result.complete = result.states.size() == size;
    return !more || !observer || observer(result);
  });
  result.complete = result.states.size() == size;
}

}  // namespace carom
