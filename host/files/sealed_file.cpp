#include "host/files/sealed_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "carom/error.hpp"
#include "host/files/file_bytes.hpp"
#include "host/files/hdf5_storage.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;
using Table = std::vector<std::uint32_t>;  // little-endian in the file

// As large as HDF5's chunks of rows: reading one row reads no more than HDF5 would.
constexpr std::uint64_t block_bytes = 256 * 1024;
// The first bytes of every seal.
constexpr const char* beginning = R"({"format":"carom )";

struct Descriptor {
  explicit Descriptor(int opened) : number(opened) {}
  ~Descriptor() {
    if (number >= 0) close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

[[noreturn]] void fail() { throw std::system_error(errno, std::generic_category()); }

std::uint64_t size_of(int descriptor) {
  struct stat status {};
  if (fstat(descriptor, &status) != 0) fail();
  return static_cast<std::uint64_t>(status.st_size);
}

std::uint32_t crc(const void* data, std::size_t size) {
  return static_cast<std::uint32_t>(crc32_z(0, static_cast<const Bytef*>(data), size));
}

std::string in_hex(std::uint32_t checksum) { return fmt::format("{:08x}", checksum); }

std::uint64_t blocks_of(std::uint64_t hdf5_end) {
  return (hdf5_end + block_bytes - 1) / block_bytes;
}

/// First and last address of a block, without the seal, which has its own checksum.
std::pair<std::uint64_t, std::uint64_t> range_of(std::uint64_t block, std::uint64_t hdf5_end) {
  return {std::max<std::uint64_t>(block * block_bytes, seal_bytes),
          std::min((block + 1) * block_bytes, hdf5_end)};
}

/// CRC-32 of a block on disk.
std::uint32_t block_crc(int descriptor, std::uint64_t block, std::uint64_t hdf5_end) {
  thread_local std::vector<char> buffer(block_bytes);
  const auto [first, end] = range_of(block, hdf5_end);
  const std::int64_t got = read_bytes(descriptor, first, end - first, buffer.data());
  if (got < 0) fail();
  return crc(buffer.data(), static_cast<std::size_t>(got));
}

/// The bytes of a seal with this line; empty if it is too long.
std::string seal_with(const std::string& line) {
  std::string text = line + "\n" + checksum_text(line) + "\n";
  if (text.size() > seal_bytes) return {};
  text.resize(seal_bytes, '\0');
  return text;
}

/// The requested format, for a message.
std::string words_for(const std::string& format) {
  if (format == sealed_formats::grid) return "a file of carom grid";
  if (format == sealed_formats::shard) return "a shard of carom dataset";
  if (format == sealed_formats::rows) return "rows of carom sample";
  if (format == sealed_formats::exploration) return "an exploration of carom sample --explore";
  if (format == sealed_formats::rollouts) return "rollouts of carom roll";
  return "a result of carom sample";
}

}  // namespace

std::string checksum_text(std::string_view bytes) {
  return in_hex(crc(bytes.data(), bytes.size()));
}

hdf5::Handle sealed_creation_properties() {
  hdf5::Handle properties(H5Pcreate(H5P_FILE_CREATE), "create properties");
  hdf5::check(H5Pset_userblock(properties, seal_bytes), "leave room for the seal");
  hdf5::check(H5Pset_obj_track_times(properties, false), "switch time stamps off");
  return properties;
}

Json seal(const fs::path& file, Json about) {
  const Descriptor opened(open(file.c_str(), O_RDWR | O_CLOEXEC));
  if (opened.number < 0) fail();
  const std::uint64_t hdf5_end = size_of(opened.number);
  Table table(blocks_of(hdf5_end));
  for (std::uint64_t block = 0; block < table.size(); ++block) {
    table[block] = block_crc(opened.number, block, hdf5_end);
  }
  const std::size_t table_bytes = table.size() * sizeof(Table::value_type);
  about["hdf5_bytes"] = hdf5_end;
  about["crc32"] = in_hex(crc(table.data(), table_bytes));
  const std::string text = seal_with(about.dump());
  if (!write_bytes(opened.number, hdf5_end, table_bytes, table.data()) ||
      !write_bytes(opened.number, 0, text.size(), text.data())) {
    fail();
  }
  return about;
}

std::string format_of(const fs::path& file) {
  const Descriptor opened(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text(seal_bytes, '\0');  // a file that was cut short may still have its line
  if (opened.number < 0 || read_bytes(opened.number, 0, seal_bytes, text.data()) < 0) return {};
  const std::string line = text.substr(0, text.find('\n'));
  return seal_with(line) == text ? Json::parse(line)["format"].get<std::string>() : "";
}

struct SealedFile::State final : hdf5::Storage {
  State(const fs::path& file, int descriptor) : name(file.string()), opened(descriptor) {}

  std::string name;
  Descriptor opened;
  Json about;
  std::uint64_t hdf5_end = 0;
  Table table;
  std::vector<bool> compared;  // the blocks known to be undamaged
  std::string met;             // the first damage that HDF5 found

  [[noreturn]] void refuse(const std::string& damage) const {
    throw InputError(fmt::format("{} is damaged or cut short: {}", name, damage));
  }
  void read_seal(const std::string& format);
  /// The fault of a block; empty: none.
  std::string damage_of(std::uint64_t block);

  std::uint64_t size() const override { return hdf5_end; }
  bool read(std::uint64_t address, std::size_t size, void* buffer) override;
  bool write(std::uint64_t, std::size_t, const void*) override { return false; }
  bool truncate(std::uint64_t) override { return true; }
};

void SealedFile::State::read_seal(const std::string& format) {
  std::string text(seal_bytes, '\0');
  const std::int64_t got = read_bytes(opened.number, 0, seal_bytes, text.data());
  if (got < 0) fail();
  const std::string wanted = words_for(format);
  if (got == static_cast<std::int64_t>(seal_bytes) && text.front() == '\0') {
    throw InputError(
        fmt::format("{} has no seal: the run that wrote it did not end, or another program wrote "
                    "it (must be {})",
                    name, wanted));
  }
  if (!text.starts_with(beginning)) {
    throw InputError(
        fmt::format("{} does not begin as a file of Carom does (must be {})", name, wanted));
  }
  const std::string line = text.substr(0, text.find('\n'));
  if (seal_with(line) != text) {
    refuse(fmt::format("its first {} bytes differ from their checksum", seal_bytes));
  }
  about = Json::parse(line);
  if (about["format"] != format) {
    throw InputError(fmt::format("{} is {} (must be {})", name,
                                 words_for(about["format"].get<std::string>()), wanted));
  }
  hdf5_end = about["hdf5_bytes"].get<std::uint64_t>();
  const std::size_t table_bytes = blocks_of(hdf5_end) * sizeof(Table::value_type);
  if (const std::uint64_t size = size_of(opened.number); size != hdf5_end + table_bytes) {
    refuse(fmt::format("it has {} bytes (must be {})", size, hdf5_end + table_bytes));
  }
  table.resize(blocks_of(hdf5_end));
  compared.resize(table.size());
  if (read_bytes(opened.number, hdf5_end, table_bytes, table.data()) < 0) fail();
  if (in_hex(crc(table.data(), table_bytes)) != about["crc32"]) {
    refuse("the checksums at its end differ from their own");
  }
}

std::string SealedFile::State::damage_of(std::uint64_t block) {
  if (compared[block]) return {};
  const auto [first, end] = range_of(block, hdf5_end);
  const std::uint32_t found = block_crc(opened.number, block, hdf5_end);
  if (found != table[block]) {
    return fmt::format("bytes {} to {} have checksum {} (must be {})", first, end, in_hex(found),
                       in_hex(table[block]));
  }
  compared[block] = true;
  return {};
}

bool SealedFile::State::read(std::uint64_t address, std::size_t size, void* buffer) {
  // HDF5 calls this function from C, so no exception may leave it.
  try {
    std::string damage;
    if (address > hdf5_end || size > hdf5_end - address) damage = "it ends too early";
    for (std::uint64_t block = address / block_bytes;
         damage.empty() && block * block_bytes < address + size; ++block) {
      damage = damage_of(block);
    }
    if (damage.empty() && read_bytes(opened.number, address, size, buffer) < 0) fail();
    if (damage.empty()) return true;
    hdf5::push_error(damage);
    if (met.empty()) met = damage;
    return false;
  } catch (const std::exception& error) {
    hdf5::push_error(error.what());
    met = "it cannot be read";
    return false;
  }
}

SealedFile::SealedFile(const fs::path& file, const char* format) {
  std::error_code error;
  if (!fs::exists(file, error)) {
    throw InputError(
        fmt::format("{} does not exist (must be {})", file.string(), words_for(format)));
  }
  if (!fs::is_regular_file(file, error)) {  // a pipe would block
    throw InputError(fmt::format("{} is no file (must be {})", file.string(), words_for(format)));
  }
  state_ = std::make_unique<State>(file, ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  try {
    if (state_->opened.number < 0) fail();
    state_->read_seal(format);
  } catch (const std::system_error& failure) {
    throw InputError(fmt::format("{} cannot be read ({}; must be {})", file.string(),
                                 failure.code().message(), words_for(format)));
  }
}

SealedFile::~SealedFile() = default;

const Json& SealedFile::about() const { return state_->about; }

hdf5::Handle SealedFile::open() const {
  return {H5Fopen(state_->name.c_str(), H5F_ACC_RDONLY, hdf5::access_properties(*state_)),
          "open the file"};
}

void SealedFile::unseal_copy(const fs::path& copy) const {
  const Descriptor opened(::open(copy.c_str(), O_RDWR | O_CLOEXEC));
  constexpr std::array<char, seal_bytes> nothing{};
  if (opened.number < 0 || !write_bytes(opened.number, 0, seal_bytes, nothing.data()) ||
      ftruncate(opened.number, static_cast<off_t>(state_->hdf5_end)) != 0) {
    fail();
  }
}

void SealedFile::check_met() const {
  if (!state_->met.empty()) state_->refuse(state_->met);
}

void SealedFile::check_all() const {
  for (std::uint64_t block = 0; block < state_->table.size(); ++block) {
    const std::string damage = state_->damage_of(block);
    if (!damage.empty()) state_->refuse(damage);
  }
}

}  // namespace carom
