#include "host/families/dataset/shard_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "host/base/note_list.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/family_notes.hpp"
#include "host/files/sealed_file.hpp"
#include "host/roll/motion_notes.hpp"
#include "host/run/run_notes.hpp"

namespace carom {
namespace {

template <class T>
std::vector<T> get(hid_t group, const char* name) {
  const hdf5::Shape shape = hdf5::array_shape(group, name);
  hsize_t size = 1;
  for (const hsize_t extent : shape) size *= extent;
  std::vector<T> data(size);
  if (size > 0) hdf5::read_array(group, name, hdf5::number_type<T>(), shape, data.data());
  return data;
}

void count_values(hid_t problems, DatasetCounts& counts) {
  const std::vector<double> values = get<double>(problems, "values");
  const std::size_t width = counts.ranges.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    auto& [least, greatest] = counts.ranges[i % width];
    least = std::min(least, values[i]);
    greatest = std::max(greatest, values[i]);
  }
}

/// What the ends of a member's trajectories or rollouts leave open.
/// @param impacts of each of its whole rollouts
std::vector<Note> notes_on(const DatasetSpec& spec, const std::vector<std::uint64_t>& ends,
                           std::span<const std::uint32_t> impacts) {
  if (!spec.rolled) {
    StatusCounts counts{};
    std::ranges::copy(ends, counts.begin());
    return loss_notes(spec.sampling.max_steps, counts);
  }
  std::uint64_t counts[rollout_status_count] = {};
  std::ranges::copy(ends, counts);
  std::vector<Note> notes = notes_on_ends(counts);
  const Scenario& base = spec.family.base();
  const bool has_impacts = std::ranges::any_of(impacts, [](auto count) { return count > 0; });
  if (!base.compliant && !impacts.empty() && !has_impacts) {
    notes.push_back(note_on_no_impacts(base.roll->duration));
  } else if (!base.compliant) {
    std::ranges::copy(notes_on_impacts(spec.sampling, base.mujoco), std::back_inserter(notes));
  }
  if (impacts.empty()) {
    notes.push_back(make_note("no_outcomes", fmt::format("no rollout of {} reached its duration",
                                                         spec.rows_per_problem())));
  }
  return notes;
}

/// What the scenario itself leaves open, whatever its members are.
std::vector<Note> notes_on_scenario(const DatasetSpec& spec) {
  const Scenario& base = spec.family.base();
  if (!spec.rolled) return base.problem.doubts;
  if (!base.world) return {};
  const auto note = note_on_window(*base.world, base.roll->window, base.roll->hold);
  return note ? std::vector<Note>{*note} : std::vector<Note>{};
}

/// @param impacts of each row; none unless they are rollouts
void count_problems(const DatasetSpec& spec, hid_t problems,
                    const std::vector<std::uint32_t>& impacts, DatasetCounts& counts,
                    FamilyNotes& notes) {
  const auto member = get<std::uint64_t>(problems, "member");
  const auto outcomes = get<std::uint32_t>(problems, "outcome_count");
  for (std::size_t i = 0; i < member.size(); ++i) {
    counts.least_outcomes = std::min<std::uint64_t>(counts.least_outcomes, outcomes[i]);
    counts.most_outcomes = std::max<std::uint64_t>(counts.most_outcomes, outcomes[i]);
    if (outcomes[i] >= spec.rows_per_problem()) continue;
    ++counts.short_problems;
    if (counts.short_list.size() < DatasetCounts::most_listed) {
      counts.short_list.emplace_back(member[i], outcomes[i]);
    }
  }
  for (const std::uint8_t part : get<std::uint8_t>(problems, "split")) ++counts.split.at(part);
  const auto status = get<std::uint32_t>(problems, "status_counts");
  const std::size_t statuses =  // older shards know fewer
      std::min(member.empty() ? 0 : status.size() / member.size(), counts.ends.size());
  std::vector<std::uint8_t> others(member.size());
  if (hdf5::exists(problems, "other_contacts")) {
    others = get<std::uint8_t>(problems, "other_contacts");
  }
  std::size_t row = 0;
  for (std::size_t i = 0; i < member.size(); ++i) {
    std::vector<std::uint64_t> its(counts.ends.size());
    std::copy_n(status.begin() + static_cast<std::ptrdiff_t>(i * statuses), statuses, its.begin());
    for (std::size_t s = 0; s < its.size(); ++s) counts.ends[s] += its[s];
    const std::span its_impacts =
        impacts.empty() ? std::span(impacts) : std::span(impacts).subspan(row, outcomes[i]);
    std::vector<Note> its_notes = notes_on(spec, its, its_impacts);
    if (others[i] != 0) its_notes.push_back(note_on_other_contacts(spec.family));
    notes.add(member[i], its_notes);
    row += outcomes[i];
  }
  if (spec.content.choice == OutcomeChoice::farthest) {
    for (const double cover : get<double>(problems, "cover")) {
      counts.greatest_cover = std::max(counts.greatest_cover, cover);
    }
  }
  if (spec.content.choice == OutcomeChoice::net) {
    for (const std::uint64_t members : get<std::uint64_t>(problems, "net_members")) {
      counts.greatest_net = std::max(counts.greatest_net, members);
    }
  }
}

void count_skipped(hid_t skipped, DatasetCounts& counts) {
  const auto member = get<std::uint64_t>(skipped, "member");
  counts.skipped += member.size();
  if (member.empty() || counts.skipped_list.size() >= DatasetCounts::most_listed) return;
  const std::vector<std::string> reasons = hdf5::read_strings(skipped, "reason");
  for (std::size_t i = 0; i < member.size(); ++i) {
    if (counts.skipped_list.size() >= DatasetCounts::most_listed) return;
    counts.skipped_list.emplace_back(member[i], reasons[i]);
  }
}

}  // namespace

DatasetCounts count_shards(const DatasetSpec& spec, const std::filesystem::path& folder) {
  const hdf5::Quiet quiet;
  DatasetCounts counts;
  FamilyNotes notes;
  constexpr double infinite = std::numeric_limits<double>::infinity();
  counts.ends.resize(static_cast<std::size_t>(end_count(spec)));
  counts.ranges.assign(spec.family.names().size(), {infinite, -infinite});
  for (std::uint64_t number = 0; number < spec.shards(); ++number) {
    const std::filesystem::path path = folder / shard_name(number);
    try {
      const SealedFile sealed(path, sealed_formats::shard);
      sealed.read([&](hid_t file) {
        const hdf5::Handle problems = hdf5::open_group(file, "problems");
        std::vector<std::uint32_t> impacts;
        if (spec.rolled)
          impacts = get<std::uint32_t>(hdf5::open_group(file, "outcomes"), "impacts");
        count_problems(spec, problems, impacts, counts, notes);
        count_values(problems, counts);
        count_skipped(hdf5::open_group(file, "skipped"), counts);
      });
    } catch (const hdf5::Error& error) {
      throw RunError(fmt::format("cannot read {}: {}", path.string(), error.what()));
    }
  }
  notes.add_of_scenario(notes_on_scenario(spec));
  counts.notes = notes.take(counts.skipped);
  return counts;
}

}  // namespace carom
