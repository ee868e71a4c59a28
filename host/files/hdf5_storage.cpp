#include "host/files/hdf5_storage.hpp"

#include <algorithm>
#include <iterator>
#include <new>

#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif

namespace carom::hdf5 {
namespace {

/// HDF5's handle of an open Storage; HDF5 casts between H5FD_t* and this type.
struct DriverFile {
  H5FD_t base{};  // must be first
  Storage* storage = nullptr;
  haddr_t allocated = 0;  // end of the addresses that HDF5 has allocated
  haddr_t end = 0;        // of the file
};

struct DriverInfo {
  Storage* storage;
};

DriverFile& self(H5FD_t* file) { return *reinterpret_cast<DriverFile*>(file); }
const DriverFile& self(const H5FD_t* file) { return *reinterpret_cast<const DriverFile*>(file); }

herr_t told(bool done) { return done ? 0 : -1; }

H5FD_t* open_file(const char*, unsigned, hid_t properties, haddr_t) {
  const auto* info = static_cast<const DriverInfo*>(H5Pget_driver_info(properties));
  if (info == nullptr) return nullptr;
  auto* file = new (std::nothrow) DriverFile;
  if (file == nullptr) return nullptr;
  file->storage = info->storage;
  file->end = info->storage->size();
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
  return told(self(file).storage->read(address, size, buffer));
}

herr_t write_bytes(H5FD_t* file, H5FD_mem_t, hid_t, haddr_t address, std::size_t size,
                   const void* buffer) {
  self(file).end = std::max(self(file).end, address + size);
  return told(self(file).storage->write(address, size, buffer));
}

herr_t truncate_file(H5FD_t* file, hid_t, hbool_t) {
  DriverFile& driver_file = self(file);
  if (driver_file.end == driver_file.allocated) return 0;
  driver_file.end = driver_file.allocated;
  return told(driver_file.storage->truncate(driver_file.allocated));
}

hid_t register_driver() {
  H5FD_class_t driver{};
#if H5_VERSION_GE(1, 13, 0)
  driver.version = H5FD_CLASS_VERSION;
  driver.value = static_cast<H5FD_class_value_t>(512);  // from the range for private drivers
#endif
  driver.name = "carom_storage";
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
  // One free-space list for all kinds of data, as in HDF5's own POSIX driver.
  constexpr H5FD_mem_t dichotomy[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
  std::copy(std::begin(dichotomy), std::end(dichotomy), std::begin(driver.fl_map));
  return check(H5FDregister(&driver), "register the driver of files");
}

}  // namespace

Handle access_properties(Storage& storage) {
  static const hid_t driver = register_driver();
  Handle properties(H5Pcreate(H5P_FILE_ACCESS), "create properties");
  const DriverInfo info{&storage};
  check(H5Pset_driver(properties, driver, &info), "choose the driver of files");
  check(H5Pset_libver_bounds(properties, H5F_LIBVER_V18, H5F_LIBVER_LATEST),
        "choose the format of files");
  return properties;
}

void push_error(const std::string& reason) {
  H5Epush2(H5E_DEFAULT, __FILE__, "carom", __LINE__, H5E_ERR_CLS, H5E_IO, H5E_READERROR, "%s",
           reason.c_str());
}

}  // namespace carom::hdf5
