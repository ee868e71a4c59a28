#include "host/ranks/dataset_job.hpp"

#include <memory>

#include "host/dataset/generate.hpp"
#include "host/dataset/spec_json.hpp"
#include "host/interrupt.hpp"
#include "host/ranks/spec_setup.hpp"

namespace carom {
namespace {

constexpr const char* job_name = "dataset";

StartedJob start(const Bytes& setup, const Place& place) {
  Unpacker unpacker(setup);
  const auto spec =
      std::make_shared<DatasetSpec>(get_spec<DatasetSpec>(unpacker, place, read_dataset_spec));
  std::string folder;
  std::vector<std::uint64_t> missing;
  unpacker.get(folder).get(missing);
  return {[spec, folder, missing](const Bytes& order) {
            const std::uint64_t number = missing.at(Unpacker(order).get<std::uint64_t>());
            const std::optional<ShardInfo> shard =
                write_shard(*spec, number, folder, [](std::uint64_t) { return !interrupted(); });
            return Packer().put(shard.has_value()).put(shard.value_or(ShardInfo{})).take();
          },
          {}};
}

}  // namespace

Job dataset_job() { return {job_name, start}; }

DatasetSummary generate_dataset(Crew& crew, const std::filesystem::path& file,
                                const DatasetSpec& spec, const std::filesystem::path& folder,
                                const DatasetObserver& observer) {
  return generate_dataset(spec, folder, observer,
                          [&](const std::vector<std::uint64_t>& missing, const TakeShard& take) {
                            Packer setup;
                            put_spec(file, spec, setup);
                            setup.put(std::filesystem::absolute(folder).string()).put(missing);
                            return crew.run_units(job_name, setup.take(), missing.size(),
                                                  [&](std::uint64_t, const Bytes& result) {
                                                    Unpacker unpacker(result);
                                                    const bool whole = unpacker.get<bool>();
                                                    return whole && take(unpacker.get<ShardInfo>());
                                                  });
                          });
}

}  // namespace carom
