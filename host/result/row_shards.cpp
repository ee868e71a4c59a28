#include "host/result/row_shards.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "carom/error.hpp"
#include "host/files/part_file.hpp"
#include "host/result/row_datasets.hpp"
#include "host/result/row_shard_plan.hpp"
#include "host/result/same_run.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::Shape;

constexpr const char* list_name = "shards";
constexpr const char* folder_name = "rows_in";
// HDF5 keeps every file of a virtual dataset open, and reports no error at the system's limit of
// open files, 1024 by default.
constexpr std::uint64_t most_shards = 900;

}  // namespace

RowShardPlan plan_row_shards(const fs::path& file, const Scenario& scenario) {
  return {behind_links(file).string() + ".rows", run_id(scenario), scenario.storage.shard_rows};
}

void prepare(const RowShardPlan& plan, const Scenario& scenario) {
  const std::uint64_t rows = std::min(scenario.storage.samples, *scenario.sampling.trajectories);
  if (rows / plan.rows >= most_shards) {
    throw InputError(
        fmt::format("shard_rows is {} (must be at least {} for {} rows: more than {} "
                    "files are too many for readers)",
                    plan.rows, rows / most_shards + 1, rows, most_shards));
  }
  const std::string name = plan.folder.string();
  std::error_code error;
  fs::create_directory(plan.folder, error);
  fs::directory_iterator entries;
  if (!error) entries = fs::directory_iterator(plan.folder, error);
  if (error) {
    throw InputError(fmt::format("the folder of rows is {} (must be one that can be written: {})",
                                 name, error.message()));
  }
  for (const fs::directory_entry& entry : entries) {
    if (entry.path().extension() != ".h5" || run_of_shard(entry.path()) == plan.run) continue;
    throw InputError(
        fmt::format("{} holds {}, which has no rows of this run (must hold those of "
                    "one run: move the folder away, or choose another output)",
                    name, entry.path().filename().string()));
  }
}

fs::path shard_path(const fs::path& folder, std::uint64_t first) {
  return folder / fmt::format("{:012d}.h5", first);
}

std::string run_of_shard(const fs::path& file) {
  const hdf5::Quiet quiet;
  try {
    const SealedFile sealed(file, sealed_formats::rows);
    return sealed.read([](hid_t opened) { return hdf5::read_string(opened, shard_names::run); });
  } catch (const hdf5::Error&) {
    return {};
  } catch (const InputError&) {
    return {};
  }
}

RowShards RowShards::read(hid_t samples, const fs::path& result) {
  if (!hdf5::has_attribute(samples, folder_name)) return {};
  RowShards shards(result.parent_path() / hdf5::read_string(samples, folder_name),
                   hdf5::read_string(samples, shard_names::run));
  const Shape shape = hdf5::array_shape(samples, list_name);
  if (shape.size() != 2 || shape.back() != 2) throw hdf5::Error("/samples/shards is no list");
  std::vector<std::uint64_t> list(shape.front() * 2);
  hdf5::read_array(samples, list_name, hdf5::number_type<std::uint64_t>(), shape, list.data());
  for (std::size_t i = 0; i < list.size(); i += 2) {
    if (list[i] != shards.rows()) throw hdf5::Error("/samples/shards has a gap");
    shards.add({list[i], list[i + 1]});
  }
  return shards;
}

std::string RowShards::look_at(const RowShard& shard, const Work& work) const {
  const fs::path file = shard_path(folder_, shard.first);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "is missing";
  const hdf5::Quiet quiet;
  try {
    const SealedFile sealed(file, sealed_formats::rows);
    return sealed.read([&](hid_t opened) -> std::string {
      if (hdf5::read_string(opened, shard_names::run) != run_) return "holds rows of another run";
      const Handle samples = hdf5::open_group(opened, "samples");
      const Shape shape = hdf5::array_shape(samples, "velocity");
      const auto first = hdf5::read_number<std::uint64_t>(opened, shard_names::first);
      if (first != shard.first || shape.empty() || shape.front() < shard.count) {
        return fmt::format("holds {} rows from {} on (must have {} from {} on)",
                           shape.empty() ? 0 : shape.front(), first, shard.count, shard.first);
      }
      work(sealed, samples);
      return {};
    });
  } catch (const hdf5::Error& error) {
    return std::string("is damaged or cut short: ") + error.what();
  } catch (const InputError& error) {
    return std::string(error.what()).substr(file.string().size() + 1);  // begins with the path
  }
}

std::string RowShards::wrong_with(const RowShard& shard, Look look) const {
  return look_at(shard, [&](const SealedFile& sealed, hid_t) {
    if (look == Look::whole) sealed.check_all();
  });
}

fs::path RowShards::first_missing() const {
  for (const RowShard& shard : list_) {
    const fs::path file = shard_path(folder_, shard.first);
    std::error_code ignored;
    if (!fs::exists(file, ignored)) return file;
  }
  return {};
}

void RowShards::refuse(const fs::path& result, const RowShard& shard,
                       const std::string& problem) const {
  throw InputError(fmt::format("{} cannot be read: {} {} (the folder must stay beside the file)",
                               result.string(), shard_path(folder_, shard.first).string(),
                               problem));
}

void RowShards::check(const fs::path& result) const {
  for (const RowShard& shard : list_) {
    const std::string problem = wrong_with(shard, Look::whole);
    if (!problem.empty()) refuse(result, shard, problem);
  }
}

void RowShards::read_rows(SampleSet& samples, const fs::path& result) const {
  const std::uint64_t end = samples.first + samples.size();
  for (const RowShard& shard : list_) {
    const std::uint64_t from = std::max(samples.first, shard.first);
    const std::uint64_t to = std::min(end, shard.first + shard.count);
    if (from >= to) continue;
    const std::string problem = look_at(shard, [&](const SealedFile&, hid_t group) {
      RowDatasets::read(group, from - shard.first, to - from, samples, from - samples.first);
    });
    if (!problem.empty()) refuse(result, shard, problem);
  }
}

void RowShards::write(hid_t samples, const RowShape& shape) const {
  const Handle status_type = layout::make_status_type();
  const RowPointers none;
  layout::for_each_dataset(shape, none, [&](const char* name, const auto& data, const Shape& row) {
    std::vector<hdf5::RowSource> sources;
    for (const RowShard& shard : list_) {
      const fs::path file = shard_path(folder_.filename(), shard.first);
      sources.push_back({file.string(), std::string("/samples/") + name, shard.first, shard.count});
    }
    hdf5::write_virtual_rows(samples, name, layout::element_type(data, status_type), row, sources);
  });
  hdf5::write_string(samples, folder_name, folder_.filename().string());
  hdf5::write_string(samples, shard_names::run, run_);
  if (hdf5::check(H5Lexists(samples, list_name, H5P_DEFAULT), "look for the list") > 0) {
    hdf5::check(H5Ldelete(samples, list_name, H5P_DEFAULT), "replace the list");
  }
  std::vector<std::uint64_t> list;
  for (const RowShard& shard : list_) list.insert(list.end(), {shard.first, shard.count});
  hdf5::write_array(samples, list_name, hdf5::number_type<std::uint64_t>(), {list_.size(), 2},
                    list.data());
}

}  // namespace carom
