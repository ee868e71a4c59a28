#include "host/ranks/family_jobs.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <vector>

#include "carom/error.hpp"
#include "host/base/interrupt.hpp"
#include "host/families/spec_json.hpp"

namespace carom {

namespace {

struct ModeCount {
  std::vector<ContactMode> contacts;
  std::uint64_t count = 0;
};

}  // namespace

static void each_field(ModeCount& mode, Archive& archive) { archive(mode.contacts, mode.count); }

static void each_field(Note& note, Archive& archive) {
  archive(note.code, note.severity, note.text);
}

static void each_field(Answer& answer, Archive& archive) {
  archive(answer.question, answer.verdict, answer.greater);
  for_each_answer_number([&](const char*, double Answer::*number) { archive(answer.*number); });
}

static void each_field(GridState& state, Archive& archive) {
  std::vector<ModeCount> modes;
  for (const auto& [contacts, count] : state.modes) modes.push_back({contacts, count});
  for_each_grid_column([&](const char*, auto member) { archive(state.*member); });
  archive(state.refusal, state.status_counts, modes, state.net_index, state.net_velocity,
          state.answers, state.notes);
  for (const ModeCount& mode : modes) state.modes[mode.contacts] = mode.count;
}

namespace {

constexpr const char* grid_name = "grid";
constexpr const char* dataset_name = "dataset";

// After an order, all ranks wait for the slowest one, so an order has several units if these are
// short.
constexpr std::chrono::seconds least_order{1};

/// What rank 0 chose where the file states nothing, and the machine options of its command line.
template <class Spec>
void set_options(Spec& spec, Archive& archive) {
  SamplingOptions& options = spec.sampling;
  archive(options.trajectories, options.max_steps, options.impulse_step, options.epsilon,
          options.backend, options.threads, options.device);
}

/// Units are distributed to the ranks in turn. Each rank reads the specification itself: an order
/// contains the file, the options that the file does not state, the expected checksum, and the
/// folder for shards.
template <class Result, class Spec>
DoUnits<Result> on_ranks(Crew& crew, const char* task, const std::filesystem::path& file,
                         const Spec& spec, const std::filesystem::path& folder) {
  Spec sent = spec;
  Bytes options;
  Archive archive(options);
  set_options(sent, archive);
  const Bytes setup =
      pack(std::filesystem::absolute(file).string(), options, spec_id(spec), folder.string());
  return [=, &crew](const std::vector<std::uint64_t>& units, const auto& take) {
    const auto ranks = static_cast<std::size_t>(crew.size());
    std::size_t at_once = ranks;
    for (auto next = units.begin(); next != units.end();) {
      const auto start = std::chrono::steady_clock::now();
      const auto left = static_cast<std::size_t>(units.end() - next);
      const std::vector some(next, next + static_cast<std::ptrdiff_t>(std::min(at_once, left)));
      const auto answers = crew.ask(task, pack(setup, some));
      if (!answers) return false;
      std::vector<std::vector<Result>> results;
      for (const Bytes& answer : *answers) results.push_back(unpack<std::vector<Result>>(answer));
      for (std::size_t unit = 0; unit < some.size(); ++unit, ++next) {
        if (!take(std::move(results[unit % ranks][unit / ranks]))) return false;
      }
      if (std::chrono::steady_clock::now() - start < least_order) at_once *= 2;
    }
    return true;
  };
}

/// The task that computes units, by work(specification, unit, folder).
template <class Read, class Work>
Task by_units(const Place& place, const Read& read, const Work& work) {
  using Spec = decltype(read(""));
  return [=, spec = std::shared_ptr<Spec>()](const Bytes& order) mutable {
    Archive in(order);
    const auto setup = in.get<Bytes>();
    const auto units = in.get<std::vector<std::uint64_t>>();
    in = Archive(setup);
    const auto file = in.get<std::string>();
    const auto options = in.get<Bytes>();
    const auto id = in.get<std::string>();
    if (!spec) spec = std::make_shared<Spec>(read(file));
    Archive chosen(options);
    set_options(*spec, chosen);
    resolve(*spec);
    if (spec_id(*spec) != id) {
      throw InputError(file + " is not what rank 0 read (all ranks must see the same files)");
    }
    spec->sampling = at_place(spec->sampling, place);
    const auto folder = in.get<std::string>();
    std::vector<decltype(work(*spec, 0, folder))> results;
    const auto ranks = static_cast<std::size_t>(place.size);
    for (auto at = static_cast<std::size_t>(place.rank); at < units.size(); at += ranks) {
      if (interrupted()) break;  // rank 0 drops the results
      results.push_back(work(*spec, units[at], folder));
    }
    return pack(std::move(results));
  };
}

bool goes_on() { return !interrupted(); }

}  // namespace

Tasks::value_type grid_task(const Place& place) {
  const auto work = [](const GridSpec& spec, std::uint64_t first, const std::string&) {
    return sample_block(spec, first, goes_on);
  };
  return {grid_name, by_units(place, stated_grid_spec, work)};
}

Tasks::value_type dataset_task(const Place& place) {
  const auto work = [](const DatasetSpec& spec, std::uint64_t number, const std::string& folder) {
    return write_shard(spec, number, folder, [](std::uint64_t) { return goes_on(); })
        .value_or(ShardInfo{});
  };
  return {dataset_name, by_units(place, stated_dataset_spec, work)};
}

DoUnits<GridBlock> grid_on_ranks(Crew& crew, const std::filesystem::path& file,
                                 const GridSpec& spec) {
  return on_ranks<GridBlock>(crew, grid_name, file, spec, {});
}

DoUnits<ShardInfo> dataset_on_ranks(Crew& crew, const std::filesystem::path& file,
                                    const DatasetSpec& spec, const std::filesystem::path& folder) {
  return on_ranks<ShardInfo>(crew, dataset_name, file, spec, std::filesystem::absolute(folder));
}

}  // namespace carom
