#include "host/families/dataset/shard_counts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "carom/error.hpp"
#include "host/base/note_list.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/family_notes.hpp"
#include "host/families/member_notes.hpp"
#include "host/files/sealed_file.hpp"
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

/// The note on a net that has more members than are kept.
Note note_on_cut_net(const DatasetSpec& spec, std::uint64_t members, double cover) {
  return make_note(
      "cut_net",
      fmt::format("{} of the net's {} members are kept, the farthest apart; the others are within "
                  "{:.3g} of them (epsilon = {:.3g})",
                  spec.content.outcomes, members, cover, *spec.sampling.epsilon));
}

void count_problems(const DatasetSpec& spec, hid_t file, DatasetCounts& counts,
                    FamilyNotes& notes) {
  const hdf5::Handle problems = hdf5::open_group(file, "problems");
  std::map<std::uint64_t, std::vector<Note>> on_member = read_member_notes(file);
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
  const bool of_nets = spec.content.choice == OutcomeChoice::net;
  const auto net_members = of_nets ? get<std::uint64_t>(problems, "net_members")
                                   : std::vector<std::uint64_t>(member.size());
  const auto covers = hdf5::exists(problems, "cover") ? get<double>(problems, "cover")
                                                      : std::vector<double>(member.size());
  for (std::size_t i = 0; i < member.size(); ++i) {
    counts.greatest_net = std::max(counts.greatest_net, net_members[i]);
    counts.greatest_cover = std::max(counts.greatest_cover, covers[i]);
    std::vector<std::uint64_t> its(counts.ends.size());
    std::copy_n(status.begin() + static_cast<std::ptrdiff_t>(i * statuses), statuses, its.begin());
    for (std::size_t s = 0; s < its.size(); ++s) counts.ends[s] += its[s];
    std::vector<Note> its_notes = std::move(on_member[member[i]]);
    if (spec.rolled) {
      if (outcomes[i] == 0) {
        its_notes.push_back(make_note(
            "no_outcomes",
            fmt::format("no rollout of {} reached its duration", spec.rows_per_problem())));
      }
    } else {
      StatusCounts losses{};
      std::ranges::copy(its, losses.begin());
      std::ranges::move(loss_notes(spec.sampling.max_steps, losses), std::back_inserter(its_notes));
    }
    if (net_members[i] > spec.content.outcomes) {
      its_notes.push_back(note_on_cut_net(spec, net_members[i], covers[i]));
    }
    if (others[i] != 0) its_notes.push_back(note_on_other_contacts(spec.family));
    notes.add(member[i], its_notes);
  }
}

void count_skipped(hid_t skipped, DatasetCounts& counts, FamilyNotes& notes) {
  const auto member = get<std::uint64_t>(skipped, "member");
  counts.skipped += member.size();
  if (member.empty()) return;
  const std::vector<std::string> reasons = hdf5::read_strings(skipped, "reason");
  for (std::size_t i = 0; i < member.size(); ++i) {
    notes.add_left_out(member[i], reasons[i]);
    if (counts.skipped_list.size() < DatasetCounts::most_listed) {
      counts.skipped_list.emplace_back(member[i], reasons[i]);
    }
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
        count_problems(spec, file, counts, notes);
        count_values(hdf5::open_group(file, "problems"), counts);
        count_skipped(hdf5::open_group(file, "skipped"), counts, notes);
      });
    } catch (const hdf5::Error& error) {
      throw RunError(fmt::format("cannot read {}: {}", path.string(), error.what()));
    }
  }
  notes.add_of_scenario(spec.family.base());
  counts.notes = notes.take();
  return counts;
}

}  // namespace carom
