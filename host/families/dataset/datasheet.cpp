#include "host/families/dataset/datasheet.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>

#include "carom/roll_io.hpp"
#include "carom/version.hpp"
#include "host/families/dataset/shard_counts.hpp"
#include "host/families/dataset/shard_file.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/family_notes.hpp"
#include "host/families/spec_json.hpp"
#include "host/files/sealed_file.hpp"
#include "host/laws/law_list.hpp"

namespace carom {
namespace {

using Json = nlohmann::ordered_json;
namespace fs = std::filesystem;

constexpr int indent = 1;

DatasetSummary summary_of(const DatasetSpec& spec, const DatasetCounts& counts,
                          const std::vector<ShardInfo>& shards) {
  DatasetSummary summary;
  summary.complete = true;
  summary.shards = shards.size();
  for (const ShardInfo& shard : shards) {
    summary.problems += shard.problems;
    summary.skipped += shard.skipped;
    summary.outcomes += shard.outcomes;
    summary.bytes += shard.bytes;
  }
  summary.short_problems = counts.short_problems;
  summary.train = counts.split[0];
  summary.validation = counts.split[1];
  summary.test = counts.split[2];
  for (std::size_t end = 0; end < counts.ends.size(); ++end) {
    summary.ends.emplace_back(end_name(spec, static_cast<int>(end)), counts.ends[end]);
  }
  summary.notes = counts.notes;
  return summary;
}

Json split_json(const DatasetSummary& summary) {
  return {{"train", summary.train}, {"validation", summary.validation}, {"test", summary.test}};
}

Json index_json(const DatasetSpec& spec, const DatasetSummary& summary,
                const std::vector<ShardInfo>& shards) {
  const ImpactProblem& base = spec.family.base().problem;
  Json list = Json::array();
  for (const ShardInfo& shard : shards) {
    const MemberRange members = members_of(spec, shard.number);
    list.push_back({{"file", shard_name(shard.number)},
                    {"first_member", members.first},
                    {"members", members.end - members.first},
                    {"problems", shard.problems},
                    {"outcomes", shard.outcomes},
                    {"skipped", shard.skipped},
                    {"bytes", shard.bytes},
                    {"crc32", fmt::format("{:08x}", shard.checksum)}});
  }
  Json index = {{"format", "carom dataset"},
                {"format_version", dataset_format_version},
                {"version", version()},
                {"spec_id", spec_id(spec)},
                {"names", spec.family.names()}};
  if (spec.rolled) {
    const RolledSystem system = rolled_system(spec.family.base());
    index["times"] = times_of(*spec.family.base().roll);
    index["coordinates"] = system.coordinates;
    index["units"] = system.units;
    index["velocities"] = system.velocities;
    index["pairs"] = system.contacts;
  } else {
    index["contact_names"] = base.contact_names;
    index["velocities"] = base.velocities();
    index["contacts"] = base.contacts();
    index["tangent_dimension"] = base.tangent_dimension();
    index["friction_directions"] = base.friction_directions;
  }
  index["outcomes_per_problem"] = spec.rows_per_problem();
  index["problems"] = summary.problems;
  index["outcomes"] = summary.outcomes;
  index["split"] = split_json(summary);
  index["shards"] = list;
  return index;
}

/// The text of an index, with the CRC-32 of the text before it.
std::string index_text(Json index) {
  index["crc32"] = "";
  std::string text = index.dump(indent) + "\n";
  const std::string key = "\"crc32\": \"";
  const std::size_t at = text.rfind(key);
  return text.insert(at + key.size(), checksum_text(text.substr(0, at)));
}

Json datasheet_json(const DatasetSpec& spec, const DatasetSummary& summary,
                    const DatasetCounts& counts) {
  Json ranges = Json::object();
  for (std::size_t i = 0; i < counts.ranges.size() && summary.problems > 0; ++i) {
    ranges[spec.family.names()[i]] = {counts.ranges[i].first, counts.ranges[i].second};
  }
  Json few = Json::array();
  for (const auto& [member, outcomes] : counts.short_list) {
    few.push_back({{"member", member}, {"outcomes", outcomes}});
  }
  Json skipped = Json::array();
  for (const auto& [member, reason] : counts.skipped_list) {
    skipped.push_back({{"member", member}, {"reason", reason}});
  }
  Json sheet = {{"spec_id", spec_id(spec)},
                {"spec", spec_json(spec)},
                {"members", spec.family.size()},
                {"problems", summary.problems},
                {"outcomes", summary.outcomes},
                {"bytes", summary.bytes},
                {"split", split_json(summary)},
                {"values", ranges},
                {spec.rolled ? "rollouts" : "trajectories",
                 Json::object_t(summary.ends.begin(), summary.ends.end())},
                {"least_outcomes", summary.problems == 0 ? 0 : counts.least_outcomes},
                {"most_outcomes", counts.most_outcomes}};
  if (spec.content.choice != OutcomeChoice::iid) sheet["cover"] = counts.greatest_cover;
  if (spec.content.choice == OutcomeChoice::net) sheet["net_members"] = counts.greatest_net;
  sheet["short_problems"] = counts.short_problems;
  sheet["first_short_problems"] = few;
  sheet["skipped"] = counts.skipped;
  sheet["first_skipped"] = skipped;
  sheet["notes"] = notes_json(summary.notes, spec.family);
  return sheet;
}

std::string choice_text(const DatasetSpec& spec, const DatasetCounts& counts) {
  const SamplingOptions& sampling = spec.sampling;
  const std::string norm = sampling.norm == Norm::kinetic ? "kinetic" : "Euclidean";
  switch (spec.content.choice) {
    case OutcomeChoice::iid:
      return "the first in the order of the trajectories: independent draws";
    case OutcomeChoice::net:
      return fmt::format(
          "the members of the epsilon-net (epsilon = {}, {} norm) of all outcomes, of a larger net "
          "each the farthest from those before; the largest net has {} members, and every member "
          "lies within {} of one that was chosen",
          *sampling.epsilon, norm, counts.greatest_net, counts.greatest_cover);
    case OutcomeChoice::farthest:
      break;
  }
  return fmt::format(
      "each the farthest from those before ({} norm); every outcome of a problem lies within {} of "
      "one that was chosen",
      norm, counts.greatest_cover);
}

std::string axes_text(const DatasetSpec& spec, const DatasetCounts& counts) {
  std::string text = "| value | how | least | greatest |\n| --- | --- | --- | --- |\n";
  std::size_t value = 0;
  for (const FamilyAxis& axis : spec.family.axes()) {
    for (const std::string& path : axis.paths) {
      const std::string how = axis.drawn()
                                  ? fmt::format("drawn uniformly from [{}, {}]", axis.min, axis.max)
                                  : fmt::format("{} rows of values", axis.rows());
      const auto& [least, greatest] = counts.ranges[value++];
      text += least > greatest
                  ? fmt::format("| `{}` | {} | | |\n", path, how)
                  : fmt::format("| `{}` | {} | {} | {} |\n", path, how, least, greatest);
    }
  }
  return text;
}

std::string failures_text(const DatasetSpec& spec, const DatasetSummary& summary) {
  std::string text = fmt::format(
      "- members left out because they break a rule{}: {} of {}\n"
      "- problems with fewer than {} {}: {} of {}\n",
      spec.rolled ? "" : ", or no contact approaches", summary.skipped, spec.family.size(),
      spec.rows_per_problem(), spec.rolled ? "whole rollouts" : "outcomes", summary.short_problems,
      summary.problems);
  for (std::size_t s = 0; s < summary.ends.size(); ++s) {
    const auto& [name, count] = summary.ends[s];
    const bool kept = spec.rolled ? is_whole(static_cast<RolloutStatus>(s)) : s == 0;
    if (kept) continue;
    text += fmt::format("- {} that ended with `{}`, {}: {}\n",
                        spec.rolled ? "rollouts" : "trajectories", name,
                        spec.rolled ? "left out" : "without an outcome", count);
  }
  return text +
         "\nThe members that were left out are listed in `/skipped` of each shard (the first 100 "
         "in "
         "datasheet.json, with reasons); `/problems/outcome_count` has the number of every "
         "problem.\n";
}

/// A part of its own; "" without notes.
std::string notes_text(const DatasetSpec& spec, const DatasetSummary& summary) {
  std::string text;
  for (const FamilyNote& note : summary.notes) {
    text += fmt::format("- `{}` ({}): {}\n", note.note.code, severity_name(note.note.severity),
                        family_note_text(note, spec.family));
  }
  return text.empty() ? "" : "## Notes\n\n" + text + "\n";
}

std::string step_text(const SamplingOptions& sampling) {
  return sampling.impulse_step.has_value() ? fmt::format("{} N·s", *sampling.impulse_step)
                                           : "the largest impulse that a contact of each needs";
}

/// "- restitution 0.4\n"; "" where contacts have none.
std::string restitution_line(const DatasetSpec& spec) {
  const auto restitution = restitution_of(spec.family.base().problem, spec.sampling.law);
  if (!restitution || restitution->size() == 0 || restitution->isZero(0.0)) return "";
  const std::vector<double> values(restitution->begin(), restitution->end());
  const bool alike = restitution->minCoeff() == restitution->maxCoeff();
  return alike ? fmt::format("- restitution {}\n", values.front())
               : fmt::format("- restitution of the contacts {}\n", fmt::join(values, ", "));
}

/// How the rows of a problem were made.
std::string how_text(const DatasetSpec& spec, const DatasetCounts& counts) {
  const SamplingOptions& s = spec.sampling;
  if (spec.rolled) {
    const RollOptions roll = roll_options_in_time(spec.family.base());
    return fmt::format(
        "- per problem {} rollouts over {} s in steps of {} s ({}, window {} m); those that are "
        "whole "
        "are kept, with their states at the times of index.json\n",
        roll.rollouts, roll.duration, roll.step,
        spec.family.base().compliant ? "compliant contact" : law_name(s.law), roll.window);
  }
  return fmt::format(
      "- per problem {} trajectories ({}, at most {} steps, termination tolerance {} m/s)\n"
      "- up to {} outcomes of each: {}\n",
      s.trajectories, law_words(s.law, step_text(s)), s.max_steps, s.termination_tolerance,
      spec.content.outcomes, choice_text(spec, counts));
}

std::string readme_text(const DatasetSpec& spec, const DatasetSummary& summary,
                        const DatasetCounts& counts) {
  const SamplingOptions& s = spec.sampling;
  const Scenario& base = spec.family.base();
  return fmt::format(
      "# {} of {}\n\n"
      "Made by `carom dataset`, Carom {}. {} problems with {} {} in {} shards ({} bytes).\n\n"
      "## What was drawn\n\n{}\n"
      "## How\n\n"
      "{}{}"
      "- seed {}, of the draws and the {}; problem id {} + member\n"
      "- parts by problem: {} train, {} validation, {} test\n\n"
      "## Failures\n\n{}\n{}"
      "## Reading\n\n"
      "`index.json` names the shards with the checksums of their seals, "
      "`datasheet.json` has all this for programs, `spec.json` what the bits depend on.\n\n"
      "    from carom.torch import ImpactDataset\n"
      "    data = ImpactDataset(\"this folder\", split=\"train\")\n\n"
      "    import h5py\n"
      "    with h5py.File(\"shard-00000.h5\") as shard:\n"
      "        velocity = shard[\"outcomes/velocity\"][:]\n",
      spec.rolled ? "Motions" : "Outcomes of impacts", title(base), version(), summary.problems,
      summary.outcomes, spec.rolled ? "rollouts" : "outcomes", summary.shards, summary.bytes,
      axes_text(spec, counts), how_text(spec, counts), restitution_line(spec), s.seed,
      spec.rolled ? "rollouts" : "trajectories", s.problem_id, summary.train, summary.validation,
      summary.test, failures_text(spec, summary), notes_text(spec, summary));
}

/// Writes a file unless it has this text already.
void put(const fs::path& file, const std::string& text) {
  std::ifstream stream(file, std::ios::binary);
  const std::string old{std::istreambuf_iterator<char>(stream), {}};
  if (old != text) write_text_file(file, text);
}

}  // namespace

DatasetSummary write_datasheet(const DatasetSpec& spec, const fs::path& folder,
                               const std::vector<ShardInfo>& shards) {
  const DatasetCounts counts = count_shards(spec, folder);
  const DatasetSummary summary = summary_of(spec, counts, shards);
  put(folder / "datasheet.json", datasheet_json(spec, summary, counts).dump(indent) + "\n");
  put(folder / "README.md", readme_text(spec, summary, counts));
  put(folder / "index.json", index_text(index_json(spec, summary, shards)));
  return summary;
}

}  // namespace carom
