#include "host/scenario/matrix_file.hpp"

#include <H5Cpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

#include "carom/error.hpp"
#include "host/files/input_files.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;
namespace fs = std::filesystem;

constexpr std::size_t max_header = 4096;  // NumPy writes about 128

[[noreturn]] void fail(const fs::path& file, const std::string& problem) {
  throw InputError(fmt::format("{}: {}", file.string(), problem));
}

/// Rows and columns of an array's shape; one dimension is a column, no dimension a single number.
std::array<std::size_t, 2> matrix_shape(const fs::path& file, const std::vector<std::size_t>& shape,
                                        std::size_t max_entries) {
  if (shape.size() > 2) {
    fail(file, fmt::format("array has {} dimensions (must be 1 or 2)", shape.size()));
  }
  const std::size_t rows = shape.empty() ? 1 : shape[0];
  const std::size_t columns = shape.size() < 2 ? 1 : shape[1];
  if (rows > max_entries || columns > max_entries || rows * columns > max_entries) {
    fail(file, fmt::format("array is {} x {} (must have at most {} numbers)", rows, columns,
                           max_entries));
  }
  return {rows, columns};
}

template <class Stored>
double number_at(const char* bytes) {
  Stored value;
  std::memcpy(&value, bytes, sizeof value);
  return static_cast<double>(value);
}

struct NumberType {
  const char* name;
  std::size_t size;
  double (*read)(const char* bytes);
};

constexpr NumberType number_types[] = {
    {"f8", 8, number_at<double>},        {"f4", 4, number_at<float>},
    {"i8", 8, number_at<std::int64_t>},  {"i4", 4, number_at<std::int32_t>},
    {"i2", 2, number_at<std::int16_t>},  {"i1", 1, number_at<std::int8_t>},
    {"u8", 8, number_at<std::uint64_t>}, {"u4", 4, number_at<std::uint32_t>},
    {"u2", 2, number_at<std::uint16_t>}, {"u1", 1, number_at<std::uint8_t>},
};

const NumberType& number_type(const fs::path& file, const std::string& text) {
  for (const NumberType& type : number_types) {
    if (text.substr(1) != type.name) continue;
    if (text[0] != '>' || type.size == 1) return type;
    fail(file, fmt::format("numbers are \"{}\", big-endian (must be little-endian)", text));
  }
  fail(file, fmt::format("numbers are \"{}\" (must be floating-point or integer)", text));
}

/// The text after `'key':` in a header dictionary, up to one of `ends` or the end.
std::string header_entry(const fs::path& file, const std::string& header, const std::string& key,
                         const char* ends) {
  const std::string label = "'" + key + "':";
  const std::size_t found = header.find(label);
  const std::size_t start =
      found == std::string::npos ? found : header.find_first_not_of(' ', found + label.size());
  if (start == std::string::npos) fail(file, fmt::format(".npy header states no {}", key));
  return header.substr(start, header.find_first_of(ends, start) - start);
}

std::vector<std::size_t> parse_shape(const fs::path& file, const std::string& text) {
  std::vector<std::size_t> shape;
  std::size_t end = 0;
  while (true) {
    const std::size_t start = text.find_first_of("0123456789", end);
    if (start == std::string::npos) return shape;
    end = std::min(text.find_first_not_of("0123456789", start), text.size());
    // Larger than any limit, and possibly than a std::size_t.
    if (end - start > 9) fail(file, fmt::format("array shape {}) is too large", text));
    shape.push_back(std::stoul(text.substr(start, end - start)));
  }
}

std::string read_bytes(const fs::path& file, std::ifstream& stream, std::size_t count) {
  std::string bytes(count, '\0');
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(count))) {
    fail(file, "ends before its array does");
  }
  return bytes;
}

/// The header dictionary of a .npy file, after magic text, version and length.
std::string npy_header(const fs::path& file, std::ifstream& stream) {
  const std::string start = read_bytes(file, stream, 8);
  if (start.compare(0, 6, "\x93NUMPY") != 0) fail(file, "is no .npy file");
  const int version = start[6];
  if (version < 1 || version > 3) {
    fail(file, fmt::format(".npy format is {} (must be 1, 2 or 3)", version));
  }
  const std::string length_bytes = read_bytes(file, stream, version == 1 ? 2 : 4);
  const auto length =
      static_cast<std::size_t>(version == 1 ? number_at<std::uint16_t>(length_bytes.data())
                                            : number_at<std::uint32_t>(length_bytes.data()));
  if (length > max_header) fail(file, ".npy header is too long");
  return read_bytes(file, stream, length);
}

MatrixXd read_npy(const fs::path& file, std::size_t most_entries) {
  std::ifstream stream(file, std::ios::binary);
  if (!stream) fail(file, "cannot be opened");
  const std::string header = npy_header(file, stream);
  const std::string descr = header_entry(file, header, "descr", ",}");  // '<f8', with quotes
  if (descr.size() < 4 || descr.front() != '\'' || descr.back() != '\'') {
    fail(file, "holds no plain array (must be floating-point or integer)");
  }
  const NumberType& type = number_type(file, descr.substr(1, descr.size() - 2));
  const bool by_columns = header_entry(file, header, "fortran_order", ",}") == "True";
  const std::string shape = header_entry(file, header, "shape", ")");
  const auto [rows, columns] = matrix_shape(file, parse_shape(file, shape), most_entries);
  const std::string bytes = read_bytes(file, stream, rows * columns * type.size);
  MatrixXd matrix(rows, columns);
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      const std::size_t at = by_columns ? j * rows + i : i * columns + j;
      matrix(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          type.read(bytes.data() + at * type.size);
    }
  }
  return matrix;
}

MatrixXd read_hdf5(const fs::path& file, const std::string& name, std::size_t most_entries) {
  try {
    H5::Exception::dontPrint();
    const H5::H5File source(file.string(), H5F_ACC_RDONLY);
    const H5::DataSet dataset = source.openDataSet(name);
    const H5T_class_t type = dataset.getTypeClass();
    if (type != H5T_FLOAT && type != H5T_INTEGER) {
      fail(file,
           fmt::format("dataset {} holds no numbers (must be floating-point or integer)", name));
    }
    const H5::DataSpace space = dataset.getSpace();
    if (space.getSimpleExtentType() == H5S_NULL) {
      fail(file, fmt::format("dataset {} is empty", name));
    }
    std::vector<hsize_t> extent(static_cast<std::size_t>(space.getSimpleExtentNdims()));
    if (!extent.empty()) space.getSimpleExtentDims(extent.data());
    const auto [rows, columns] = matrix_shape(file, {extent.begin(), extent.end()}, most_entries);
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> matrix(rows, columns);
    if (matrix.size() > 0) dataset.read(matrix.data(), H5::PredType::NATIVE_DOUBLE);
    return matrix;
  } catch (const H5::Exception& error) {
    fail(file, fmt::format("cannot read dataset {} (must be one of numbers in the file: {})", name,
                           error.getDetailMsg()));
  }
}

struct MatrixFileName {
  std::string file;
  std::string dataset;  // of HDF5
};

MatrixFileName split_name(const std::string& text) {
  for (const std::string& ending : {std::string(".h5:"), std::string(".hdf5:")}) {
    const std::size_t at = text.find(ending);
    if (at == std::string::npos) continue;
    const std::size_t colon = at + ending.size() - 1;
    return {text.substr(0, colon), text.substr(colon + 1)};
  }
  return {text, ""};
}

bool is_npy(const std::string& name) {
  return name.size() > 4 && name.compare(name.size() - 4, 4, ".npy") == 0;
}

}  // namespace

bool names_matrix_file(const std::string& text) {
  return is_npy(text) || !split_name(text).dataset.empty();
}

MatrixXd read_matrix_file(const std::string& text, const fs::path& folder,
                          std::size_t most_entries) {
  const MatrixFileName name = split_name(text);
  if (name.file.find('\0') != std::string::npos) fail(text, "is no file name");
  const fs::path file = folder / name.file;
  std::error_code error;
  if (!fs::exists(file, error)) fail(file, "does not exist");
  if (!fs::is_regular_file(file, error)) fail(file, "is no regular file");
  note_input(file);
  if (!name.dataset.empty()) return read_hdf5(file, name.dataset, most_entries);
  if (is_npy(name.file)) return read_npy(file, most_entries);
  fail(file, "must be a .npy file or name a dataset, file.h5:/dataset");
}

}  // namespace carom
