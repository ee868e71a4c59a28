#pragma once

#include <hdf5.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

/// The part of HDF5 that result files need, with errors as exceptions. It uses the C interface,
/// whose error stack is complete when a call returns; the C++ interface has lost it by then.
namespace carom::hdf5 {

/// An HDF5 call failed; what() states the attempt and the library's innermost reason.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// While this object lives, only its thread can call the library, and HDF5 prints no error stack.
/// Not every build of HDF5 supports calls from two threads at a time.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> alone_;
  H5E_auto2_t print_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Error for a negative result of an HDF5 call, else returns the result.
std::int64_t check(std::int64_t result, const std::string& attempt);

/// Owns one HDF5 identifier of any kind.
class Handle {
 public:
  Handle() = default;
  /// @throws Error if `id` is the result of a failed call.
  Handle(hid_t id, const std::string& attempt) : id_(check(id, attempt)) {}
  ~Handle() { reset(); }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, H5I_INVALID_HID)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  operator hid_t() const { return id_; }
  void reset();

 private:
  hid_t id_ = H5I_INVALID_HID;
};

/// The type of a number, in memory and in the file.
template <class T>
hid_t number_type() {
  static_assert(std::is_arithmetic_v<T>);
  if constexpr (std::is_same_v<T, double>) {
    return H5T_NATIVE_DOUBLE;
  } else if constexpr (std::is_same_v<T, std::uint64_t>) {
    return H5T_NATIVE_UINT64;
  } else if constexpr (std::is_same_v<T, std::uint32_t>) {
    return H5T_NATIVE_UINT32;
  } else if constexpr (std::is_same_v<T, std::uint16_t>) {
    return H5T_NATIVE_UINT16;
  } else if constexpr (std::is_same_v<T, std::uint8_t>) {
    return H5T_NATIVE_UINT8;
  } else {
    static_assert(std::is_same_v<T, std::int32_t>);
    return H5T_NATIVE_INT32;
  }
}

using Shape = std::vector<hsize_t>;

/// Makes a group (without time stamps, so that equal runs give equal files).
Handle create_group(hid_t parent, const std::string& name);
Handle open_group(hid_t parent, const std::string& name);

bool has_attribute(hid_t object, const std::string& name);
/// Whether a group has a dataset or group of this name.
bool exists(hid_t parent, const std::string& name);
void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value);
void read_attribute(hid_t object, const std::string& name, hid_t type, void* value);
/// UTF-8 of any length; the attribute has the text's length.
void write_string(hid_t object, const std::string& name, const std::string& value);
std::string read_string(hid_t object, const std::string& name);

template <class T>
void write_number(hid_t object, const std::string& name, T value) {
  write_attribute(object, name, number_type<T>(), &value);
}
template <class T>
T read_number(hid_t object, const std::string& name) {
  T value{};
  read_attribute(object, name, number_type<T>(), &value);
  return value;
}

/// Writes a dataset of fixed shape, row-major; an existing dataset must have that shape.
void write_array(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                 const void* data);
void write_strings(hid_t parent, const std::string& name, const std::vector<std::string>& values);
std::vector<std::string> read_strings(hid_t parent, const std::string& name);

/// Shape of a dataset.
Shape array_shape(hid_t parent, const std::string& name);
/// Reads a whole dataset. @throws Error unless it has `shape`.
void read_array(hid_t parent, const std::string& name, hid_t type, const Shape& shape, void* data);

/// Rows [first, first + count) of a virtual dataset: the rows of a dataset of another file.
struct RowSource {
  std::string file;  ///< relative to the folder of the file with the virtual dataset
  std::string dataset;
  hsize_t first = 0;
  hsize_t count = 0;
};

/// Makes a dataset of rows in other files; it replaces a dataset of this name. Rows without a
/// source, or of a missing source, read as NaN or all ones.
/// @param row_shape shape of one row; {} for one number per row
void write_virtual_rows(hid_t parent, const std::string& name, hid_t type, const Shape& row_shape,
                        const std::vector<RowSource>& sources);

/// A dataset that grows by rows: chunked, extendible, row-major, not compressed.
class RowDataset {
 public:
  RowDataset() = default;
  /// @param row_shape shape of one row; {} for one number per row
  /// @param expected_rows determines the chunk size; the number of rows is not limited
  static RowDataset create(hid_t parent, const std::string& name, hid_t type,
                           const Shape& row_shape, hsize_t expected_rows);
  /// @throws Error if the rows of the dataset have another shape.
  static RowDataset open(hid_t parent, const std::string& name, hid_t type, const Shape& row_shape);

  std::uint64_t rows() const { return shape_.front(); }
  /// Bytes on disk of `rows` rows, whole chunks.
  double bytes_for(std::uint64_t rows) const;
  void append(const void* data, hsize_t rows);
  /// Replaces the contents of the dataset by these rows.
  void replace(const void* data, hsize_t rows);
  void read(hsize_t first, hsize_t count, void* data) const;

 private:
  /// Selects rows [first, first + count) of the file and passes both dataspaces to `transfer`.
  template <class Transfer>
  void transfer_rows(hsize_t first, hsize_t count, Transfer transfer) const;

  std::string name_;
  Handle dataset_;
  hid_t type_ = H5I_INVALID_HID;  // in memory; not owned
  Shape shape_;                   // rows, then the shape of a row
  hsize_t chunk_rows_ = 1;
};

}  // namespace carom::hdf5
