#include "host/files/hdf5_tools.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace carom::hdf5 {
namespace {

// Chunks of about 256 KiB are large enough to be written at the disk's speed, small enough that a
// chunk of every column fits into HDF5's cache of 1 MiB per dataset.
constexpr hsize_t chunk_bytes = 256 * 1024;
// With fewer rows per chunk, a small file would be slow to extend later.
constexpr hsize_t least_chunk_rows = 256;

hsize_t rows_per_chunk(hsize_t row_bytes, hsize_t expected_rows) {
  const hsize_t most = std::bit_floor(std::max<hsize_t>(chunk_bytes / row_bytes, 1));
  if (expected_rows >= most) return most;
  return std::min(most, std::bit_ceil(std::max(expected_rows, least_chunk_rows)));
}

herr_t keep_innermost(unsigned, const H5E_error2_t* error, void* reason) {
  if (error->desc != nullptr) *static_cast<std::string*>(reason) = error->desc;
  return 1;  // stops the walk, which starts at the innermost call
}

std::string in_words(const Shape& shape) {
  std::string words;
  for (const hsize_t extent : shape) words += (words.empty() ? "" : " x ") + std::to_string(extent);
  return words.empty() ? "one value" : words;
}

/// UTF-8 of at most so many bytes, padded with zeros. HDF5 stores strings of variable length in a
/// heap of pointers; a damaged heap crashes the library.
Handle string_type(std::size_t bytes) {
  Handle type(H5Tcopy(H5T_C_S1), "copy the string type");
  check(H5Tset_size(type, std::max<std::size_t>(bytes, 1)), "make strings of a length");
  check(H5Tset_strpad(type, H5T_STR_NULLPAD), "fill strings up");
  check(H5Tset_cset(type, H5T_CSET_UTF8), "make strings UTF-8");
  return type;
}

/// Bytes per string of this type.
std::size_t string_bytes(const Handle& type, const std::string& name) {
  if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0) {
    throw Error(name + " is no string of a fixed length");
  }
  return H5Tget_size(type);
}

Handle creation_properties() {
  Handle properties(H5Pcreate(H5P_DATASET_CREATE), "create properties");
  check(H5Pset_obj_track_times(properties, false), "switch time stamps off");
  return properties;
}

/// A source's name with escapes, since HDF5 reads names of sources as formats.
std::string as_literal(const std::string& name) {
  std::string text;
  for (const char c : name) text += c == '%' ? std::string("%%") : std::string(1, c);
  return text;
}

/// Fill value for missing rows, which cannot be mistaken for a result.
void fill_with_nonsense(hid_t properties, hid_t type) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr std::uint64_t ones = UINT64_MAX;  // no integer is longer
  const void* value = H5Tget_class(type) == H5T_FLOAT ? static_cast<const void*>(&nan) : &ones;
  check(H5Pset_fill_value(properties, type, value), "set a fill value");
}

Handle simple_space(const Shape& shape, const hsize_t* greatest = nullptr) {
  return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), greatest),
          "create a dataspace"};
}

Shape shape_of(hid_t dataset, const std::string& name) {
  const Handle space(H5Dget_space(dataset), "ask for the shape of " + name);
  Shape shape(static_cast<std::size_t>(check(H5Sget_simple_extent_ndims(space), "read " + name)));
  check(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "read the shape of " + name);
  return shape;
}

Handle open_dataset(hid_t parent, const std::string& name) {
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), "open dataset " + name};
}

}  // namespace

Quiet::Quiet() {
  static std::recursive_mutex one_at_a_time;
  alone_ = std::unique_lock(one_at_a_time);
  H5Eget_auto2(H5E_DEFAULT, &print_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() { H5Eset_auto2(H5E_DEFAULT, print_, data_); }

std::int64_t check(std::int64_t result, const std::string& attempt) {
  if (result >= 0) return result;
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_innermost, &reason);
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  throw Error("cannot " + attempt + (reason.empty() ? "" : ": " + reason));
}

void Handle::reset() {
  if (id_ >= 0) H5Idec_ref(id_);
  id_ = H5I_INVALID_HID;
}

Handle create_group(hid_t parent, const std::string& name) {
  const Handle properties(H5Pcreate(H5P_GROUP_CREATE), "create properties");
  check(H5Pset_obj_track_times(properties, false), "switch time stamps off");
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, properties, H5P_DEFAULT),
          "create group " + name};
}

Handle open_group(hid_t parent, const std::string& name) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "open group " + name};
}

bool has_attribute(hid_t object, const std::string& name) {
  return check(H5Aexists(object, name.c_str()), "look for attribute " + name) > 0;
}

bool exists(hid_t parent, const std::string& name) {
  return check(H5Lexists(parent, name.c_str(), H5P_DEFAULT), "look for " + name) > 0;
}

void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  if (has_attribute(object, name)) {
    check(H5Adelete(object, name.c_str()), "replace attribute " + name);
  }
  const Handle space(H5Screate(H5S_SCALAR), "create a dataspace");
  const Handle attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                         "create attribute " + name);
  check(H5Awrite(attribute, type, value), "write attribute " + name);
}

void read_attribute(hid_t object, const std::string& name, hid_t type, void* value) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute " + name);
  const Handle space(H5Aget_space(attribute), "read attribute " + name);
  if (check(H5Sget_simple_extent_npoints(space), "read attribute " + name) != 1) {
    throw Error("attribute " + name + " is no single value");
  }
  check(H5Aread(attribute, type, value), "read attribute " + name);
}

void write_string(hid_t object, const std::string& name, const std::string& value) {
  // At least one byte: the terminator of an empty string.
  write_attribute(object, name, string_type(value.size()), value.c_str());
}

std::string read_string(hid_t object, const std::string& name) {
  const Handle attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT), "open attribute " + name);
  const Handle type(H5Aget_type(attribute), "read attribute " + name);
  std::string value(string_bytes(type, "attribute " + name), '\0');
  read_attribute(object, name, string_type(value.size()), value.data());
  return value.c_str();
}

void write_array(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                 const void* data) {
  Handle dataset;
  if (exists(parent, name)) {
    dataset = open_dataset(parent, name);
    if (shape_of(dataset, name) != shape) throw Error("dataset " + name + " cannot change shape");
  } else {
    dataset = Handle(H5Dcreate2(parent, name.c_str(), type, simple_space(shape), H5P_DEFAULT,
                                creation_properties(), H5P_DEFAULT),
                     "create dataset " + name);
  }
  check(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "write dataset " + name);
}

void write_strings(hid_t parent, const std::string& name, const std::vector<std::string>& values) {
  std::size_t longest = 1;
  for (const std::string& value : values) longest = std::max(longest, value.size());
  std::string texts;
  for (const std::string& value : values) texts += value + std::string(longest - value.size(), 0);
  if (exists(parent, name)) {
    check(H5Ldelete(parent, name.c_str(), H5P_DEFAULT),
          "replace " + name);  // its length may change
  }
  write_array(parent, name, string_type(longest), {values.size()}, texts.data());
}

std::vector<std::string> read_strings(hid_t parent, const std::string& name) {
  const Handle dataset = open_dataset(parent, name);
  const Handle type(H5Dget_type(dataset), "read dataset " + name);
  const std::size_t longest = string_bytes(type, "dataset " + name);
  const Shape shape = shape_of(dataset, name);
  if (shape.size() != 1) throw Error("dataset " + name + " is no list of strings");
  std::string texts(shape.front() * longest, '\0');
  read_array(parent, name, string_type(longest), shape, texts.data());
  std::vector<std::string> values;
  for (std::size_t at = 0; at < texts.size(); at += longest) {
    const std::string text = texts.substr(at, longest);
    values.emplace_back(text.c_str());
  }
  return values;
}

Shape array_shape(hid_t parent, const std::string& name) {
  return shape_of(open_dataset(parent, name), name);
}

void read_array(hid_t parent, const std::string& name, hid_t type, const Shape& shape, void* data) {
  const Handle dataset = open_dataset(parent, name);
  const Shape found = shape_of(dataset, name);
  if (found != shape) {
    throw Error("dataset " + name + " is " + in_words(found) + " (must be " + in_words(shape) +
                ")");
  }
  check(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "read dataset " + name);
}

void write_virtual_rows(hid_t parent, const std::string& name, hid_t type, const Shape& row_shape,
                        const std::vector<RowSource>& sources) {
  Shape extent{0};
  for (const RowSource& source : sources) {
    extent.front() = std::max(extent.front(), source.first + source.count);
  }
  extent.insert(extent.end(), row_shape.begin(), row_shape.end());
  const Handle space = simple_space(extent);
  const Handle properties = creation_properties();
  fill_with_nonsense(properties, type);
  for (const RowSource& source : sources) {
    Shape start(extent.size(), 0);
    start.front() = source.first;
    Shape part = extent;
    part.front() = source.count;
    check(H5Sselect_hyperslab(space, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr),
          "select rows of " + name);
    // Selected explicitly, since the source may have more rows.
    const Handle rows = simple_space(part);
    start.front() = 0;
    check(H5Sselect_hyperslab(rows, H5S_SELECT_SET, start.data(), nullptr, part.data(), nullptr),
          "select rows of " + source.file);
    check(H5Pset_virtual(properties, space, as_literal(source.file).c_str(),
                         as_literal(source.dataset).c_str(), rows),
          "map rows of " + name);
  }
  check(H5Sselect_all(space), "select rows of " + name);
  if (exists(parent, name)) {
    check(H5Ldelete(parent, name.c_str(), H5P_DEFAULT), "replace dataset " + name);
  }
  const Handle dataset(
      H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
      "create dataset " + name);
}

RowDataset RowDataset::create(hid_t parent, const std::string& name, hid_t type,
                              const Shape& row_shape, hsize_t expected_rows) {
  RowDataset rows;
  rows.name_ = name;
  rows.type_ = type;
  hsize_t row_bytes = H5Tget_size(type);
  for (const hsize_t extent : row_shape) row_bytes *= extent;
  rows.chunk_rows_ = rows_per_chunk(row_bytes, expected_rows);

  rows.shape_ = {0};
  rows.shape_.insert(rows.shape_.end(), row_shape.begin(), row_shape.end());
  Shape greatest = rows.shape_;
  greatest.front() = H5S_UNLIMITED;
  Shape chunk = rows.shape_;
  chunk.front() = rows.chunk_rows_;
  const Handle properties = creation_properties();
  check(H5Pset_chunk(properties, static_cast<int>(chunk.size()), chunk.data()),
        "set the chunks of " + name);
  rows.dataset_ =
      Handle(H5Dcreate2(parent, name.c_str(), type, simple_space(rows.shape_, greatest.data()),
                        H5P_DEFAULT, properties, H5P_DEFAULT),
             "create dataset " + name);
  return rows;
}

RowDataset RowDataset::open(hid_t parent, const std::string& name, hid_t type,
                            const Shape& row_shape) {
  RowDataset rows;
  rows.name_ = name;
  rows.type_ = type;
  rows.dataset_ = open_dataset(parent, name);
  rows.shape_ = shape_of(rows.dataset_, name);
  if (rows.shape_.empty() || Shape(rows.shape_.begin() + 1, rows.shape_.end()) != row_shape) {
    throw Error("dataset " + name + " is " + in_words(rows.shape_) + " (must have rows of " +
                in_words(row_shape) + ")");
  }
  const Handle properties(H5Dget_create_plist(rows.dataset_), "read the properties of " + name);
  if (H5Pget_layout(properties) == H5D_CHUNKED) {
    Shape chunk(rows.shape_.size());
    check(H5Pget_chunk(properties, static_cast<int>(chunk.size()), chunk.data()),
          "read the chunks of " + name);
    rows.chunk_rows_ = chunk.front();
  }
  return rows;
}

double RowDataset::bytes_for(std::uint64_t rows) const {
  double bytes = static_cast<double>(rows / chunk_rows_ + (rows % chunk_rows_ != 0 ? 1 : 0)) *
                 static_cast<double>(chunk_rows_ * H5Tget_size(type_));
  for (std::size_t axis = 1; axis < shape_.size(); ++axis) {
    bytes *= static_cast<double>(shape_[axis]);
  }
  return bytes;
}

template <class Transfer>
void RowDataset::transfer_rows(hsize_t first, hsize_t count, Transfer transfer) const {
  if (count == 0) return;
  Shape start(shape_.size(), 0);
  start.front() = first;
  Shape extent = shape_;
  extent.front() = count;
  const Handle in_file(H5Dget_space(dataset_), "ask for the shape of " + name_);
  check(H5Sselect_hyperslab(in_file, H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr),
        "select rows of " + name_);
  transfer(simple_space(extent), in_file);
}

void RowDataset::append(const void* data, hsize_t rows) {
  if (rows == 0) return;
  const hsize_t first = shape_.front();
  shape_.front() += rows;
  check(H5Dset_extent(dataset_, shape_.data()), "extend dataset " + name_);
  transfer_rows(first, rows, [&](hid_t in_memory, hid_t in_file) {
    check(H5Dwrite(dataset_, type_, in_memory, in_file, H5P_DEFAULT, data),
          "write dataset " + name_);
  });
}

void RowDataset::replace(const void* data, hsize_t rows) {
  shape_.front() = 0;
  check(H5Dset_extent(dataset_, shape_.data()), "empty dataset " + name_);
  append(data, rows);
}

void RowDataset::read(hsize_t first, hsize_t count, void* data) const {
  transfer_rows(first, count, [&](hid_t in_memory, hid_t in_file) {
    check(H5Dread(dataset_, type_, in_memory, in_file, H5P_DEFAULT, data), "read dataset " + name_);
  });
}

}  // namespace carom::hdf5
