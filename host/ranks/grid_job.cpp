#include "host/ranks/grid_job.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "host/interrupt.hpp"
#include "host/ranks/at_place.hpp"

namespace carom {
namespace {

constexpr const char* job_name = "grid";

/// The numbers of a state that travel as they are.
struct Numbers {
  decltype(GridState::status_counts) status_counts;
  std::uint64_t checksum, net_size, modes;
  double energy_before, energy_mean, energy_least, energy_greatest, diameter;
  bool colliding;
};

void pack(const GridState& state, Packer& packer) {
  packer.put(state.refusal)
      .put(Numbers{state.status_counts, state.checksum, state.net_size, state.modes.size(),
                   state.energy_before, state.energy_mean, state.energy_least,
                   state.energy_greatest, state.diameter, state.colliding})
      .put(state.net_index)
      .put(state.net_velocity);
  for (const auto& [mode, count] : state.modes) packer.put(mode).put(count);
}

GridState unpack(Unpacker& unpacker) {
  GridState state;
  Numbers numbers{};
  unpacker.get(state.refusal).get(numbers).get(state.net_index).get(state.net_velocity);
  state.status_counts = numbers.status_counts;
  state.checksum = numbers.checksum;
  state.net_size = numbers.net_size;
  state.energy_before = numbers.energy_before;
  state.energy_mean = numbers.energy_mean;
  state.energy_least = numbers.energy_least;
  state.energy_greatest = numbers.energy_greatest;
  state.diameter = numbers.diameter;
  state.colliding = numbers.colliding;
  for (std::uint64_t i = 0; i < numbers.modes; ++i) {
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
  std::string file;
  unpacker.get(file);
  const auto first = unpacker.get<std::uint64_t>();
  const auto spec = std::make_shared<GridSpec>(read_grid_spec(file));
  unpacker.get(spec->sampling.backend).get(spec->sampling.threads).get(spec->sampling.device);
  spec->sampling = at_place(spec->sampling, place);
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
  const Bytes setup = Packer()
                          .put(std::filesystem::absolute(file).string())
                          .put(first)
                          .put(spec.sampling.backend)
                          .put(spec.sampling.threads)
                          .put(spec.sampling.device)
                          .take();
  const std::uint64_t units = (size - first + grid_block - 1) / grid_block;
  std::map<std::uint64_t, std::vector<GridState>> early;  // blocks behind one that is not done
  std::uint64_t next = 0;
  crew.run_units(job_name, setup, units, [&](std::uint64_t unit, const Bytes& bytes) {
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
