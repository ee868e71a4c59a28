#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "carom/dataset.hpp"
#include "carom/error.hpp"
#include "host/families/dataset/datasheet.hpp"
#include "host/families/dataset/shard_file.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/families/spec_json.hpp"
#include "host/families/units.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

[[noreturn]] void refuse(const fs::path& folder, const std::string& rule) {
  throw InputError(fmt::format("data set folder is {} (must be {})", folder.string(), rule));
}

std::string reason_of(int error) { return std::generic_category().message(error); }

/// While this object lives, no other process can make a data set in the same folder. The lock is on
/// the folder itself, so it leaves no file, however the process ends.
class FolderLock {
 public:
  explicit FolderLock(const fs::path& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ < 0) refuse(folder, "readable: " + reason_of(errno));
    // Other errors come from file systems without locks: continue without a lock.
    if (flock(descriptor_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      close(descriptor_);
      refuse(folder, "free: another process is making a data set there");
    }
  }
  ~FolderLock() { close(descriptor_); }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  int descriptor_;
};

/// Whether a killed run may have left this file.
bool is_part(const fs::path& file) {
  if (file.extension() != ".part") return false;
  const std::string whole = file.stem().string();
  const auto known = {"spec.json", "index.json", "datasheet.json", "README.md"};
  return whole.starts_with("shard-") || std::find(known.begin(), known.end(), whole) != known.end();
}

void make_folder(const fs::path& folder) {
  if (folder.empty()) throw InputError("data set folder is \"\" (must be a name)");
  std::error_code error;
  fs::create_directories(folder, error);
  std::error_code unknown;
  if (!fs::is_directory(folder, unknown)) {
    refuse(folder, "a folder that can be made: " + error.message());
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) refuse(folder, "writable: " + reason_of(errno));
}

/// Makes a folder that has a specification alone one for any other.
void remove_spec_without_shards(const fs::path& folder) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (entry.path().filename() != "spec.json" && !is_part(entry.path())) return;
  }
  fs::remove(folder / "spec.json", ignored);
}

/// The specification file of a data set; none if there is none.
Json read_spec(const fs::path& folder) {
  std::ifstream stream(folder / "spec.json");
  if (!stream) return {};
  Json stored = Json::parse(stream, nullptr, false);
  if (!stored.is_object()) {
    refuse(folder,
           "a data set: its spec.json is damaged; where the specification is that of its shards, "
           "the command makes spec.json again if it is removed");
  }
  return stored;
}

/// Whether the folder has a whole shard of this specification, and none of another one.
bool has_shard(const DatasetSpec& spec, const fs::path& folder) {
  bool has_own = false;
  for (std::uint64_t number = 0; number < spec.shards(); ++number) {
    if (is_of_another(spec, folder / shard_name(number))) return false;
    has_own = has_own || find_shard(spec, number, folder);
  }
  return has_own;
}

/// A shard that a run made which may skip is none of a run that may not.
void refuse_skipped(const DatasetSpec& spec, const ShardInfo& shard, const fs::path& folder) {
  if (shard.skipped == 0 || spec.family.options().invalid == InvalidMembers::skip) return;
  throw InputError(fmt::format(
      "{}: {} leaves out {} invalid members (must be none; invalid = "
      "\"skip\" allows them)",
      spec.family.source(), (folder / shard_name(shard.number)).string(), shard.skipped));
}

}  // namespace

void prepare_dataset(const DatasetSpec& spec, const fs::path& folder) {
  validate(spec);
  make_folder(folder);
  const Json mine = spec_json(spec);
  const Json stored = read_spec(folder);
  if (!stored.is_null()) {
    const std::string difference = first_difference(mine, stored);
    if (!difference.empty()) {
      refuse(folder, "one of the same specification: " + difference);
    }
    return;
  }
  std::error_code error;
  const bool lost = has_shard(spec, folder);  // the specification alone
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (lost) break;
    if (is_part(entry.path())) continue;  // of a run that ended before it wrote a specification
    refuse(folder, fmt::format("empty, or a data set: it holds {}, but no spec.json",
                               entry.path().filename().string()));
  }
  if (error) refuse(folder, "readable: " + error.message());
  constexpr int indent = 1;
  write_text_file(folder / "spec.json", mine.dump(indent) + "\n");
}

DatasetSummary finish_dataset(const DatasetSpec& spec, const fs::path& folder) {
  std::vector<ShardInfo> shards;
  for (std::uint64_t number = 0; number < spec.shards(); ++number) {
    const std::optional<ShardInfo> shard = find_shard(spec, number, folder);
    if (!shard) {
      throw RunError(
          fmt::format("{} is missing or damaged", (folder / shard_name(number)).string()));
    }
    shards.push_back(*shard);
  }
  const DatasetSummary summary = write_datasheet(spec, folder, shards);
  std::error_code ignored;
  std::vector<fs::path> parts;  // left by killed runs
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    if (is_part(entry.path())) parts.push_back(entry.path());
  }
  for (const fs::path& part : parts) fs::remove(part, ignored);
  return summary;
}

DatasetSummary generate_dataset(const DatasetSpec& spec, const fs::path& folder,
                                const DatasetObserver& observer, const DoUnits<ShardInfo>& write) {
  validate(spec);
  make_folder(folder);
  const FolderLock lock(folder);
  prepare_dataset(spec, folder);
  const auto size_of = [&](std::uint64_t number) {
    const MemberRange members = members_of(spec, number);
    return members.end - members.first;
  };
  DatasetProgress progress;
  progress.total = spec.family.size();
  const auto goes_on = [&] { return !observer || observer(progress); };
  const auto stopped = [&] {
    DatasetSummary summary;
    summary.shards = progress.shards;
    summary.found = progress.found;
    summary.damaged = progress.damaged;
    return summary;
  };
  try {
    std::vector<std::uint64_t> missing;
    for (std::uint64_t number = 0; number < spec.shards(); ++number) {
      const std::optional<ShardInfo> shard = find_shard(spec, number, folder);
      if (!shard) {
        std::error_code unknown;
        progress.damaged += fs::exists(folder / shard_name(number), unknown) ? 1 : 0;
        missing.push_back(number);
        continue;
      }
      refuse_skipped(spec, *shard, folder);
      ++progress.found;
      ++progress.shards;
      progress.members += size_of(number);
      if (!goes_on()) return stopped();
    }
    const bool whole = goes_on() && write(missing, [&](const ShardInfo& shard) {
                         ++progress.shards;
                         progress.members += size_of(shard.number);
                         return goes_on();
                       });
    if (!whole && progress.shards < spec.shards()) return stopped();
    DatasetSummary summary = finish_dataset(spec, folder);
    summary.found = progress.found;
    summary.damaged = progress.damaged;
    return summary;
  } catch (const InputError&) {
    // The specification can be corrected: it shall not stand in the way of the next one.
    remove_spec_without_shards(folder);
    throw;
  } catch (const RunError& error) {
    throw RunError(
        fmt::format("{}; {} of {} shards are finished and stay, the same command goes on",
                    error.what(), progress.shards, spec.shards()));
  }
}

DatasetSummary generate_dataset(const DatasetSpec& spec, const fs::path& folder,
                                const DatasetObserver& observer) {
  DatasetProgress progress;  // as of the last finished shard
  const DatasetObserver remember = [&](const DatasetProgress& now) {
    progress = now;
    return !observer || observer(now);
  };
  const DoUnits<ShardInfo> here = [&](const auto& missing, const auto& take) {
    return std::all_of(missing.begin(), missing.end(), [&](std::uint64_t number) {
      std::optional<ShardInfo> shard = write_shard(spec, number, folder, [&](std::uint64_t done) {
        DatasetProgress within = progress;
        within.members += done;
        return !observer || observer(within);
      });
      return shard && take(std::move(*shard));
    });
  };
  return generate_dataset(spec, folder, remember, here);
}

}  // namespace carom
