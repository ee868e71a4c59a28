#include "host/result/hdf5_output_file.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace carom::hdf5 {

struct OutputFile::State {
  int descriptor = -1;
  int error = 0;
  bool discarding = false;

  void fail() {
    if (error == 0) error = errno;
    discarding = true;
  }
};

namespace {

/// What HDF5 holds of an open OutputFile; it casts between H5FD_t* and this.
struct DriverFile {
  H5FD_t base{};  // must be first
  OutputFile::State* state = nullptr;
  haddr_t allocated = 0;  // end of the addresses that HDF5 has given out
  haddr_t end = 0;        // of the file
};

struct DriverInfo {
  OutputFile::State* state;
};

DriverFile& self(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& self(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

H5FD_t* open_file(const char*, unsigned, hid_t properties, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(properties));
  struct stat status {};
  if (info == nullptr || fstat(info->state->descriptor, &status) != 0) return nullptr;
  auto* file = new (std::nothrow) DriverFile;
  if (file == nullptr) return nullptr;
  file->state = info->state;
  file->end = static_cast<haddr_t>(status.st_size);
  return &file->base;
}

herr_t close_file(H5FD_t* file) {
  delete &self(file);
  return 0;
}

herr_t query(const H5FD_t*, unsigned long* features) {
  *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
              H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_DEFAULT_VFD_COMPATIBLE;
  return 0;
}

haddr_t allocated_end(const H5FD_t* file, H5FD_mem_t) { return self(file).allocated; }

herr_t set_allocated_end(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  self(file).allocated = address;
  return 0;
}

haddr_t file_end(const H5FD_t* file, H5FD_mem_t) { return self(file).end; }

herr_t read_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                  void* buffer) {
  OutputFile::State& state = *self(file).state;
  auto* bytes = static_cast<char*>(buffer);
  while (size > 0) {
    const ssize_t got = pread(state.descriptor, bytes, size, static_cast<off_t>(address));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) state.fail();
    if (got <= 0) {  // beyond the end of the file, HDF5 expects zeros
      std::memset(bytes, 0, size);
      return 0;
    }
    bytes += got;
    address += static_cast<haddr_t>(got);
    size -= static_cast<std::size_t>(got);
  }
  return 0;
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* buffer) {
  OutputFile::State& state = *self(file).state;
  self(file).end = std::max(self(file).end, address + size);
  const auto* bytes = static_cast<const char*>(buffer);
  while (size > 0 && !state.discarding) {
    const ssize_t put = pwrite(state.descriptor, bytes, size, static_cast<off_t>(address));
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      state.fail();
      break;
    }
    bytes += put;
    address += static_cast<haddr_t>(put);
    size -= static_cast<std::size_t>(put);
  }
  return 0;
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  DriverFile& driver_file = self(file);
  if (driver_file.end == driver_file.allocated) return 0;
  OutputFile::State& state = *driver_file.state;
  if (!state.discarding &&
      ftruncate(state.descriptor, static_cast<off_t>(driver_file.allocated)) != 0) {
    state.fail();
  }
  driver_file.end = driver_file.allocated;
  return 0;
}

hid_t register_driver() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // from the range for private drivers
#endif
  driver.name = "carom_output";
  driver.maxaddr = static_cast<haddr_t>(INT64_MAX);
  driver.fc_degree = H5F_CLOSE_WEAK;
  driver.fapl_size = sizeof(DriverInfo);
  driver.open = open_file;
  driver.close = close_file;
  driver.query = query;
  driver.get_eoa = allocated_end;
  driver.set_eoa = set_allocated_end;
  driver.get_eof = file_end;
  driver.read = read_bytes;
  driver.write = write_bytes;
  driver.truncate = truncate_file;
  // All kinds of data in one list of free space, like HDF5's own POSIX driver.
  constexpr H5FD_mem_t dichotomy[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(dichotomy), std::end(dichotomy), std::begin(driver.fl_map));
  return check(H5FDregister(&driver), "register the output file driver");
}

/// Whether `path` still leads to the file behind `descriptor`.
bool still_at(const std::filesystem::path& path, int descriptor) {
  struct stat opened {};
  struct stat named {};
  return fstat(descriptor, &opened) == 0 && stat(path.c_str(), &named) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

/// Opens and locks the file that `path` names once the lock is held: between the two calls another
/// writer may have finished, and renamed or removed the file that was opened.
int open_locked(const std::filesystem::path& path) {
  constexpr mode_t everyone_as_umask_allows = 0666;
  constexpr int attempts = 16;  // a path that moves away as often is in use
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const int descriptor =
        open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, everyone_as_umask_allows);
    if (descriptor < 0) throw std::system_error(errno, std::generic_category());
    // File systems without locks answer otherwise: then go without.
    const bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (!taken && still_at(path, descriptor)) return descriptor;
    close(descriptor);
    if (taken) break;
  }
  throw std::system_error(EAGAIN, std::generic_category());
}

}  // namespace

OutputFile::OutputFile(const std::filesystem::path& path, bool keep)
    : state_(std::make_unique<State>()) {
  state_->descriptor = open_locked(path);
  if (!keep && ftruncate(state_->descriptor, 0) != 0) {
    const int error = errno;
    close(state_->descriptor);
    throw std::system_error(error, std::generic_category());
  }
}

OutputFile::~OutputFile() {
  if (state_) close(state_->descriptor);
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;

OutputFile& OutputFile::operator=(OutputFile&& other) noexcept {
  std::swap(state_, other.state_);
  return *this;
}

Handle OutputFile::access_properties() const {
  static const hid_t driver = register_driver();
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), "create properties");
  const DriverInfo info{state_.get()};
  check(H5Pset_driver(properties, driver, &info), "choose the output file driver");
  return properties;
}

int OutputFile::error() const { return state_->error; }

void OutputFile::discard() { state_->discarding = true; }

int OutputFile::synchronize() {
  // File systems that cannot synchronise say EINVAL.
  if (fsync(state_->descriptor) != 0 && errno != EINVAL) state_->fail();
  return state_->error;
}

}  // namespace carom::hdf5
