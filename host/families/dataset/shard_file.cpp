#include "host/families/dataset/shard_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <vector>

#include "carom/error.hpp"
#include "carom/version.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/spec_json.hpp"
#include "host/files/part_file.hpp"
#include "host/laws/law_list.hpp"
#include "host/roll/rollout_datasets.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::Shape;
using Json = nlohmann::ordered_json;

[[noreturn]] void fail(const fs::path& file, const std::string& reason) {
  throw RunError(fmt::format("cannot write {}: {}", file.string(), reason));
}

/// A vector as a dataset; `row` is the shape of what there is `rows` times.
template <class T>
void put(hid_t group, const char* name, const std::vector<T>& data, std::uint64_t rows,
         const Shape& row = {}) {
  Shape shape{rows};
  shape.insert(shape.end(), row.begin(), row.end());
  hsize_t size = 1;
  for (const hsize_t extent : shape) size *= extent;
  if (data.size() != size) throw hdf5::Error(fmt::format("{} has {} numbers", name, data.size()));
  hdf5::write_array(group, name, hdf5::number_type<T>(), shape, data.data());
}

void write_problems(hid_t file, const DatasetSpec& spec, const ShardContent& content) {
  const ImpactProblem& base = spec.family.base().problem;
  const auto nv = static_cast<hsize_t>(base.velocities());
  const auto m = static_cast<hsize_t>(base.contacts());
  const auto tangents = m * static_cast<hsize_t>(base.tangent_dimension());
  const auto& problems = content.problems;
  const std::uint64_t rows = problems.member.size();
  const Handle group = hdf5::create_group(file, "problems");
  hdf5::write_strings(group, "names", spec.family.names());
  put(group, "member", problems.member, rows);
  put(group, "values", problems.values, rows, {spec.family.names().size()});
  put(group, "split", problems.split, rows);
  put(group, "first_outcome", problems.first_outcome, rows);
  put(group, "outcome_count", problems.outcome_count, rows);
  put(group, "status_counts", problems.status_counts, rows,
      {static_cast<hsize_t>(end_count(spec))});
  if (spec.rolled) return;
  hdf5::write_strings(group, "contact_names", base.contact_names);
  hdf5::write_number<std::int32_t>(group, "friction_directions", base.friction_directions);
  put(group, "other_contacts", problems.other_contacts, rows);
  put(group, "mass_matrix", problems.mass_matrix, rows, {nv, nv});
  put(group, "normal_jacobian", problems.normal_jacobian, rows, {m, nv});
  put(group, "tangent_jacobian", problems.tangent_jacobian, rows, {tangents, nv});
  put(group, "friction", problems.friction, rows, {m});
  if (default_restitution(spec.sampling.law)) {
    put(group, "restitution", problems.restitution, rows, {m});
  }
  put(group, "pre_impact_velocity", problems.pre_impact_velocity, rows, {nv});
  put(group, "energy", problems.energy, rows);
  if (spec.content.modes) put(group, "mode_tolerance", problems.mode_tolerance, rows);
  if (spec.content.choice == OutcomeChoice::net) {
    put(group, "net_members", problems.net_members, rows);
  }
  if (spec.content.choice != OutcomeChoice::iid) put(group, "cover", problems.cover, rows);
}

void write_outcomes(hid_t file, const DatasetSpec& spec, const ShardContent& content) {
  const ImpactProblem& base = spec.family.base().problem;
  const auto nv = static_cast<hsize_t>(base.velocities());
  const auto m = static_cast<hsize_t>(base.contacts());
  const auto parts = static_cast<hsize_t>(1 + base.tangent_dimension());
  const std::uint64_t rows = content.outcomes.size();
  const Handle group = hdf5::create_group(file, "outcomes");
  put(group, "member", content.outcome_member, rows);
  put(group, "trajectory", content.outcomes.trajectory, rows);
  if (spec.rolled) return write_columns(group, content.rollouts, flat_name);
  put(group, "velocity", content.outcomes.velocity, rows, {nv});
  if (spec.content.energies) put(group, "energy", content.outcomes.energy, rows);
  if (spec.content.impulses) put(group, "impulse", content.outcomes.impulse, rows, {m, parts});
  if (spec.content.modes) put(group, "modes", content.outcome_modes, rows, {m});
}

void write_comparison(hid_t file, const DatasetSpec& spec, const ShardContent& content) {
  const ImpactProblem& base = spec.family.base().problem;
  const auto& laws = content.comparison;
  const std::uint64_t rows = laws.member.size();
  const Handle group = hdf5::create_group(file, "comparison");
  put(group, "member", laws.member, rows);
  put(group, "law", laws.law, rows);
  put(group, "terminated", laws.terminated, rows);
  put(group, "unique", laws.unique, rows);
  hdf5::write_strings(group, "order", laws.order);
  put(group, "velocity", laws.velocity, rows, {static_cast<hsize_t>(base.velocities())});
  put(group, "energy", laws.energy, rows);
  put(group, "modes", laws.modes, rows, {static_cast<hsize_t>(base.contacts())});
}

void write_hdf5(const PartFile& part, const DatasetSpec& spec, std::uint64_t number,
                const ShardContent& content) {
  const Handle file = part.create_hdf5();
  const MemberRange members = members_of(spec, number);
  hdf5::write_string(file, "format", sealed_formats::shard);
  hdf5::write_number<std::int32_t>(file, "format_version", dataset_format_version);
  hdf5::write_string(file, "version", version());
  hdf5::write_string(file, "spec_id", spec_id(spec));
  hdf5::write_number<std::uint64_t>(file, "shard", number);
  hdf5::write_number<std::uint64_t>(file, "first_member", members.first);
  hdf5::write_number<std::uint64_t>(file, "members", members.end - members.first);
  write_problems(file, spec, content);
  write_outcomes(file, spec, content);
  const Handle skipped = hdf5::create_group(file, "skipped");
  put(skipped, "member", content.skipped.member, content.skipped.member.size());
  hdf5::write_strings(skipped, "reason", content.skipped.reason);
  content.notes.write(file);
  if (spec.content.comparison && !spec.rolled) write_comparison(file, spec, content);
}

/// The first entries of a shard's seal, before those of seal().
Json seal_of(const DatasetSpec& spec, const ShardInfo& info) {
  return {
      {"format", sealed_formats::shard}, {"spec_id", spec_id(spec)},  {"shard", info.number},
      {"problems", info.problems},       {"outcomes", info.outcomes}, {"skipped", info.skipped}};
}

/// The checksum of a sealed file.
std::uint32_t checksum_of(const Json& seal) {
  constexpr int hexadecimal = 16;
  return static_cast<std::uint32_t>(
      std::stoul(seal.at("crc32").get<std::string>(), nullptr, hexadecimal));
}

}  // namespace

ShardInfo write_shard_file(const DatasetSpec& spec, std::uint64_t number,
                           const ShardContent& content, const fs::path& file) {
  ShardInfo info;
  info.number = number;
  info.problems = content.problems.member.size();
  info.outcomes = content.outcomes.size();
  info.skipped = content.skipped.member.size();
  const hdf5::Quiet quiet;
  PartFile part(file);
  constexpr double metadata_bytes = 64 * 1024;
  part.check_space(shard_bytes(spec, info.problems, info.outcomes) + metadata_bytes);
  const std::string reason = part.attempt([&] { write_hdf5(part, spec, number, content); });
  if (!reason.empty()) fail(file, reason);
  info.checksum = checksum_of(part.seal(seal_of(spec, info)));
  info.bytes = fs::file_size(part.path());
  part.commit();
  return info;
}

std::optional<ShardInfo> find_shard(const DatasetSpec& spec, std::uint64_t number,
                                    const fs::path& folder) {
  const fs::path file = folder / shard_name(number);
  try {
    const SealedFile sealed(file, sealed_formats::shard);
    Json about = sealed.about();
    ShardInfo info;
    info.number = number;
    info.problems = about.at("problems");
    info.outcomes = about.at("outcomes");
    info.skipped = about.at("skipped");
    info.bytes = fs::file_size(file);
    info.checksum = checksum_of(about);
    for (const char* added : {"hdf5_bytes", "crc32"}) about.erase(added);
    if (about != seal_of(spec, info)) return std::nullopt;  // another data set or shard number
    sealed.check_all();
    return info;
  } catch (const InputError&) {  // missing or damaged
    return std::nullopt;
  }
}

bool is_of_another(const DatasetSpec& spec, const fs::path& file) {
  try {
    const SealedFile sealed(file, sealed_formats::shard);
    return sealed.about().value("spec_id", "") != spec_id(spec);
  } catch (const InputError&) {  // missing or damaged
    return false;
  }
}

std::optional<ShardInfo> write_shard(const DatasetSpec& spec, std::uint64_t number,
                                     const fs::path& folder,
                                     const std::function<bool(std::uint64_t)>& observer) {
  if (number >= spec.shards()) {
    throw InputError(fmt::format("shard is {} (must be below {})", number, spec.shards()));
  }
  const std::optional<ShardContent> content = make_shard(spec, number, observer);
  if (!content) return std::nullopt;
  return write_shard_file(spec, number, *content, folder / shard_name(number));
}

void write_text_file(const fs::path& file, const std::string& text) {
  PartFile part(file);
  std::ofstream stream(part.path(), std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) fail(file, std::generic_category().message(errno));
  part.commit();
}

}  // namespace carom
