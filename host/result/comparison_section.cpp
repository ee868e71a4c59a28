#include "host/result/comparison_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace carom::sections {
namespace {

using hdf5::Handle;
using hdf5::number_type;

constexpr const char* comparison_group = "comparison";

template <class Enumerator>
struct Name {
  const char* text;
  Enumerator value;
};

/// The type of an enumeration over uint8, in memory and in the file.
template <class Enumerator>
Handle enum_type(std::initializer_list<Name<Enumerator>> names) {
  static_assert(sizeof(Enumerator) == 1);
  Handle type(H5Tenum_create(H5T_NATIVE_UINT8), "create an enumeration");
  for (const auto& [text, value] : names) {
    hdf5::check(H5Tenum_insert(type, text, &value), "fill an enumeration");
  }
  return type;
}

Handle law_type() {
  return enum_type<ComparedLaw>(
      {{"simultaneous", ComparedLaw::simultaneous}, {"sequential", ComparedLaw::sequential}});
}

Handle mode_type() {
  return enum_type<ContactMode>({{"separates", ContactMode::separates},
                                 {"sticks", ContactMode::sticks},
                                 {"slides", ContactMode::slides},
                                 {"slides_back", ContactMode::slides_back}});
}

bool group_exists(hid_t file) {
  return hdf5::check(H5Lexists(file, comparison_group, H5P_DEFAULT), "look for a group") > 0;
}

/// Columns of /comparison: one entry per outcome, or a fixed number of them.
struct Columns {
  std::vector<double> velocity;
  std::vector<ComparedLaw> law;
  std::vector<std::string> order;
  std::vector<double> energy;
  std::vector<std::uint8_t> terminated;
  std::vector<std::uint8_t> unique;
  std::vector<std::int32_t> stages;
  std::vector<double> largest_impulse;
  std::vector<double> net_distance;
  std::vector<ContactMode> modes;
  std::vector<double> path;
  std::vector<std::uint32_t> path_count;

  explicit Columns(std::size_t rows = 0, std::size_t nv = 0, std::size_t m = 0)
      : velocity(rows * nv),
        law(rows),
        order(rows),
        energy(rows),
        terminated(rows),
        unique(rows),
        stages(rows),
        largest_impulse(rows),
        net_distance(rows),
        modes(rows * m),
        path_count(rows) {}
};

/// Calls visit(name, column, type, shape of one row) for each column of numbers but the path.
template <class AnyColumns, class Visit>
void for_each_column(AnyColumns& columns, hsize_t nv, hsize_t m, const Visit& visit) {
  const hid_t real = number_type<double>();
  const hid_t flag = number_type<std::uint8_t>();
  visit("velocity", columns.velocity, real, hdf5::Shape{nv});
  visit("law", columns.law, law_type(), hdf5::Shape{});
  visit("energy", columns.energy, real, hdf5::Shape{});
  visit("terminated", columns.terminated, flag, hdf5::Shape{});
  visit("unique", columns.unique, flag, hdf5::Shape{});
  visit("stages", columns.stages, number_type<std::int32_t>(), hdf5::Shape{});
  visit("largest_impulse", columns.largest_impulse, real, hdf5::Shape{});
  visit("net_distance", columns.net_distance, real, hdf5::Shape{});
  visit("modes", columns.modes, mode_type(), hdf5::Shape{m});
  visit("path_count", columns.path_count, number_type<std::uint32_t>(), hdf5::Shape{});
}

Columns columns_of(const Comparison& comparison, std::size_t nv) {
  Columns columns;
  for (const LawOutcome& outcome : comparison.outcomes) {
    columns.velocity.insert(columns.velocity.end(), outcome.velocity.begin(),
                            outcome.velocity.end());
    columns.law.push_back(outcome.law);
    columns.order.push_back(outcome.order);
    columns.energy.push_back(outcome.energy);
    columns.terminated.push_back(outcome.terminated ? 1 : 0);
    columns.unique.push_back(outcome.unique ? 1 : 0);
    columns.stages.push_back(outcome.stages);
    columns.largest_impulse.push_back(outcome.largest_impulse);
    columns.net_distance.push_back(outcome.net_distance);
    columns.modes.insert(columns.modes.end(), outcome.modes.begin(), outcome.modes.end());
    columns.path.insert(columns.path.end(), outcome.path.begin(), outcome.path.end());
    columns.path_count.push_back(static_cast<std::uint32_t>(outcome.path.size() / nv));
  }
  return columns;
}

bool finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

void check_columns(const Columns& columns, hsize_t rows) {
  if (columns.order.size() != rows) throw hdf5::Error("/comparison/order has another length");
  if (!finite(columns.velocity) || !finite(columns.path)) {
    throw hdf5::Error("/comparison holds velocities that are not finite");
  }
  const auto known_mode = [](ContactMode mode) { return mode <= ContactMode::slides_back; };
  const auto known_law = [](ComparedLaw law) { return law <= ComparedLaw::sequential; };
  if (!std::all_of(columns.modes.begin(), columns.modes.end(), known_mode) ||
      !std::all_of(columns.law.begin(), columns.law.end(), known_law)) {
    throw hdf5::Error("/comparison holds a law or a mode without a name");
  }
}

}  // namespace

void write_comparison(hid_t file, const Comparison& comparison, const ImpactProblem& problem) {
  if (group_exists(file)) {
    hdf5::check(H5Ldelete(file, comparison_group, H5P_DEFAULT), "replace /comparison");
  }
  if (comparison.outcomes.empty() && comparison.note.empty()) return;
  const Handle group = hdf5::create_group(file, comparison_group);
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const auto m = static_cast<hsize_t>(problem.contacts());
  const Columns columns = columns_of(comparison, nv);
  const hsize_t rows = comparison.outcomes.size();
  for_each_column(columns, nv, m,
                  [&](const char* name, const auto& column, hid_t type, hdf5::Shape shape) {
                    shape.insert(shape.begin(), rows);
                    hdf5::write_array(group, name, type, shape, column.data());
                  });
  hdf5::write_strings(group, "order", columns.order);
  hdf5::write_array(group, "path", number_type<double>(), {columns.path.size() / nv, nv},
                    columns.path.data());
  hdf5::write_string(group, "note", comparison.note);
}

Comparison read_comparison(hid_t file, const ImpactProblem& problem) {
  Comparison comparison;
  if (!group_exists(file)) return comparison;
  const Handle group = hdf5::open_group(file, comparison_group);
  comparison.note = hdf5::read_string(group, "note");
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const auto m = static_cast<hsize_t>(problem.contacts());
  const hsize_t rows = hdf5::array_shape(group, "law").at(0);
  Columns columns(rows, nv, m);
  for_each_column(columns, nv, m,
                  [&](const char* name, auto& column, hid_t type, hdf5::Shape shape) {
                    shape.insert(shape.begin(), rows);
                    hdf5::read_array(group, name, type, shape, column.data());
                  });
  columns.order = hdf5::read_strings(group, "order");
  const hsize_t points =
      std::accumulate(columns.path_count.begin(), columns.path_count.end(), hsize_t{0});
  columns.path.resize(points * nv);
  hdf5::read_array(group, "path", number_type<double>(), {points, nv}, columns.path.data());
  check_columns(columns, rows);

  const double* point = columns.path.data();
  for (std::size_t r = 0; r < rows; ++r) {
    LawOutcome outcome;
    outcome.law = columns.law[r];
    outcome.order = columns.order[r];
    outcome.velocity = Eigen::Map<const Eigen::VectorXd>(columns.velocity.data() + r * nv,
                                                         static_cast<Eigen::Index>(nv));
    outcome.energy = columns.energy[r];
    outcome.modes.assign(columns.modes.data() + r * m, columns.modes.data() + (r + 1) * m);
    outcome.terminated = columns.terminated[r] != 0;
    outcome.unique = columns.unique[r] != 0;
    outcome.stages = columns.stages[r];
    outcome.largest_impulse = columns.largest_impulse[r];
    outcome.net_distance = columns.net_distance[r];
    const std::size_t length = columns.path_count[r] * nv;
    outcome.path.assign(point, point + length);
    point += length;
    comparison.outcomes.push_back(std::move(outcome));
  }
  return comparison;
}

}  // namespace carom::sections
