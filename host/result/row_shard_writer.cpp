#include "host/result/row_shard_writer.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "carom/error.hpp"

namespace carom {

template <class Work>
void RowShardWriter::guard(const Work& work) {
  const std::string reason = part_.attempt(work);
  if (reason.empty()) return;
  const hdf5::Quiet quiet;
  const std::string name = part_.file().string();
  part_.discard();
  close();
  part_.abandon();
  throw RunError(fmt::format("cannot write {}: {}", name, reason));
}

RowShardWriter::RowShardWriter(const RowShardPlan& plan, std::uint64_t first, const RowShape& shape)
    : plan_(plan), part_(shard_path(plan.folder, first)), first_(first) {
  guard([&] {
    file_ = part_.create_hdf5();
    hdf5::write_string(file_, shard_names::run, plan.run);
    hdf5::write_number<std::uint64_t>(file_, shard_names::first, first);
    columns_ = RowDatasets::create(hdf5::create_group(file_, "samples"), shape, plan.rows);
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
  if (RowShards(plan_.folder, plan_.run).wrong_with(shard, RowShards::Look::whole).empty()) {
    part_.abandon();
  } else {
    part_.seal({{"format", sealed_formats::rows}});
    part_.commit();
  }
  return shard;
}

}  // namespace carom
