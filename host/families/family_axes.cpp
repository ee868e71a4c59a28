#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carom/error.hpp"
#include "carom/problem_family.hpp"
#include "host/scenario/matrix_file.hpp"

namespace carom {

FamilyAxis drawn_axis(const std::string& path, double min, double max) {
  FamilyAxis axis;
  axis.paths = {path};
  axis.min = min;
  axis.max = max;
  return axis;
}

FamilyAxis grid_axis(const std::string& path, double min, double max, std::uint64_t count) {
  constexpr std::uint64_t most = std::uint64_t{1} << 24;  // far above the size of a grid's axis
  if (count == 0 || count > most) {
    throw InputError(
        fmt::format("axis \"{}\": count is {} (must be from 1 to {})", path, count, most));
  }
  if (!(min <= max)) {
    throw InputError(fmt::format("axis \"{}\": min is {} (must be <= max = {})", path, min, max));
  }
  if (count == 1 && min < max) {
    throw InputError(fmt::format(
        "axis \"{}\": count is 1 (must be at least 2, or min = max: both ends are values)", path));
  }
  std::vector<double> values{min};
  constexpr double rounding = 1e-15;
  const auto steps = static_cast<double>(count - 1);
  for (std::uint64_t i = 1; i < count; ++i) {
    const double from_min = (max - min) * static_cast<double>(i) / steps;
    const double value = i + 1 == count ? max : min + from_min;
    const bool is_rounding = std::fabs(value) < rounding * std::max(-min, max);
    values.push_back(is_rounding ? 0.0 : value);
  }
  return list_axis(path, std::move(values));
}

FamilyAxis list_axis(const std::string& path, std::vector<double> values) {
  if (values.empty()) {
    throw InputError(fmt::format("axis \"{}\": values is empty (must have an entry)", path));
  }
  FamilyAxis axis;
  axis.paths = {path};
  axis.values = std::move(values);
  return axis;
}

FamilyAxis states_axis(const std::string& file, const std::vector<std::string>& columns,
                       const std::filesystem::path& folder) {
  const Eigen::MatrixXd table = read_matrix_file(file, folder, most_state_numbers);
  if (static_cast<std::size_t>(table.cols()) != columns.size()) {
    throw InputError(fmt::format("{} has {} columns (must be {}, as many as are named)", file,
                                 table.cols(), columns.size()));
  }
  if (table.rows() == 0) throw InputError(fmt::format("{} is empty (must have a row)", file));
  FamilyAxis axis;
  for (Eigen::Index row = 0; row < table.rows(); ++row) {
    for (Eigen::Index column = 0; column < table.cols(); ++column) {
      const std::string& path = columns[static_cast<std::size_t>(column)];
      if (path.empty()) continue;
      if (row == 0) axis.paths.push_back(path);
      if (!std::isfinite(table(row, column))) {
        throw InputError(
            fmt::format("{} has {} in row {}, column {}, counted from 0 (must be finite)", file,
                        table(row, column), row, column));
      }
      axis.values.push_back(table(row, column));
    }
  }
  if (axis.paths.empty()) {
    throw InputError(fmt::format("{}: no column has a name (must be at least one)", file));
  }
  return axis;
}

}  // namespace carom
