#include "host/result/row_shards.hpp"

#include <fmt/format.h>

#include <system_error>

#include "carom/error.hpp"
#include "host/result/same_run.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::Shape;

constexpr const char* list_name = "shards";
constexpr const char* folder_name = "rows_in";
constexpr const char* run_name = "run";

/// The run that a file has rows of; empty if it is no shard.
std::string run_of(const fs::path& file) {
  const hdf5::Quiet quiet;
  try {
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open the file");
    return hdf5::read_string(opened, run_name);
  } catch (const hdf5::Error&) {
    return {};
  }
}

}  // namespace

RowShardPlan plan_row_shards(const fs::path& file, const Scenario& scenario) {
  return {behind_links(file).string() + ".rows", run_id(scenario), scenario.storage.shard_rows};
}

void prepare(const RowShardPlan& plan) {
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
    if (entry.path().extension() != ".h5") continue;
    if (run_of(entry.path()) == plan.run) return;  // so are the others: no run joins another's
    throw InputError(
        fmt::format("{} holds the rows of another run, {} (must be empty, or not be "
                    "there: remove it, or choose another output)",
                    name, entry.path().filename().string()));
  }
}

fs::path shard_path(const fs::path& folder, std::uint64_t first) {
  return folder / fmt::format("{:012d}.h5", first);
}

std::string wrong_with_shard(const fs::path& folder, const std::string& run,
                             const RowShard& shard) {
  const fs::path file = shard_path(folder, shard.first);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "is missing";
  const hdf5::Quiet quiet;
  try {
    const Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open the file");
    if (hdf5::read_string(opened, run_name) != run) return "holds rows of another run";
    const Handle group = hdf5::open_group(opened, "samples");
    const Shape shape = hdf5::array_shape(group, "velocity");
    if (hdf5::read_number<std::uint64_t>(opened, "first") == shard.first && !shape.empty() &&
        shape.front() >= shard.count) {
      return {};
    }
    return "holds other rows";
  } catch (const hdf5::Error& error) {
    return std::string("is damaged: ") + error.what();
  }
}

template <class Work>
void RowShardWriter::guard(const Work& work) {
  const hdf5::Quiet quiet;
  std::string reason;
  try {
    work();
  } catch (const hdf5::Error& error) {
    reason = error.what();
  }
  if (part_.error() != 0) reason = std::generic_category().message(part_.error());
  if (reason.empty()) return;
  const std::string name = part_.file().string();
  close();
  part_.abandon();
  throw RunError(fmt::format("cannot write {}: {}", name, reason));
}

RowShardWriter::RowShardWriter(const RowShardPlan& plan, std::uint64_t first,
                               const SampleSet& shape)
    : part_(shard_path(plan.folder, first)), first_(first) {
  guard([&] {
    const Handle properties = part_.access_properties();
    file_ = Handle(H5Fcreate(part_.path().c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, properties),
                   "create the file");
    hdf5::write_string(file_, run_name, plan.run);
    hdf5::write_number<std::uint64_t>(file_, "first", first);
    columns_ = RowColumns::create(hdf5::create_group(file_, "samples"), shape, plan.rows);
  });
}

RowShardWriter::~RowShardWriter() {
  const hdf5::Quiet quiet;
  part_.discard();
  close();
}

void RowShardWriter::close() {
  columns_ = {};
  file_.reset();
}

void RowShardWriter::append(const SampleSet& samples, std::size_t first, std::size_t count) {
  guard([&] { columns_.append(samples, first, count); });
}

RowShard RowShardWriter::finish() {
  const RowShard shard = written();
  guard([&] { close(); });
  part_.commit();
  return shard;
}

void write_virtual_rows(hid_t samples, const RowShardPlan& plan, const SampleSet& shape,
                        const std::vector<RowShard>& shards) {
  const Handle status_type = layout::make_status_type();
  layout::for_each_column(shape, [&](const char* name, const auto& data, const Shape& row) {
    std::vector<hdf5::RowSource> sources;
    for (const RowShard& shard : shards) {
      const fs::path file = shard_path(plan.folder.filename(), shard.first);
      sources.push_back({file.string(), std::string("/samples/") + name, shard.first, shard.count});
    }
    hdf5::write_virtual_rows(samples, name, layout::element_type(data, status_type), row, sources);
  });
  hdf5::write_string(samples, folder_name, plan.folder.filename().string());
  hdf5::write_string(samples, run_name, plan.run);
  if (hdf5::check(H5Lexists(samples, list_name, H5P_DEFAULT), "look for the list") > 0) {
    hdf5::check(H5Ldelete(samples, list_name, H5P_DEFAULT), "replace the list");
  }
  std::vector<std::uint64_t> list;
  for (const RowShard& shard : shards) list.insert(list.end(), {shard.first, shard.count});
  hdf5::write_array(samples, list_name, hdf5::number_type<std::uint64_t>(), {shards.size(), 2},
                    list.data());
}

std::vector<RowShard> read_row_shards(hid_t samples) {
  if (!hdf5::has_attribute(samples, folder_name)) return {};
  const Shape shape = hdf5::array_shape(samples, list_name);
  if (shape.size() != 2 || shape.back() != 2) throw hdf5::Error("/samples/shards is no list");
  std::vector<std::uint64_t> list(shape.front() * 2);
  hdf5::read_array(samples, list_name, hdf5::number_type<std::uint64_t>(), shape, list.data());
  std::vector<RowShard> shards;
  std::uint64_t next = 0;
  for (std::size_t i = 0; i < list.size(); i += 2) {
    if (list[i] != next) throw hdf5::Error("/samples/shards has a gap");
    shards.push_back({list[i], list[i + 1]});
    next += list[i + 1];
  }
  return shards;
}

void check_row_shards(hid_t samples, const fs::path& result, std::uint64_t first,
                      std::uint64_t count) {
  const std::vector<RowShard> shards = read_row_shards(samples);
  if (shards.empty()) return;
  const fs::path folder = result.parent_path() / hdf5::read_string(samples, folder_name);
  const std::string run = hdf5::read_string(samples, run_name);
  for (const RowShard& shard : shards) {
    if (shard.first >= first + count || shard.first + shard.count <= first) continue;
    const std::string problem = wrong_with_shard(folder, run, shard);
    if (problem.empty()) continue;
    throw InputError(fmt::format("{} cannot be read: {} {} (the folder must stay beside the file)",
                                 result.string(), shard_path(folder, shard.first).string(),
                                 problem));
  }
}

}  // namespace carom
