#include "host/result/mode_section.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "carom/error.hpp"

namespace carom::sections {
namespace {

using hdf5::Handle;
using hdf5::number_type;
using hdf5::Shape;

constexpr const char* modes_group = "modes";
constexpr int mode_count = 4;
constexpr double confidence = 0.95;  // of the intervals in the file, for readers

Handle make_mode_type() {
  constexpr const char* names[mode_count] = {"separates", "sticks", "slides", "slides_back"};
  Handle type(H5Tenum_create(H5T_NATIVE_UINT8), "create the type of contact modes");
  for (std::uint8_t value = 0; value < mode_count; ++value) {
    hdf5::check(H5Tenum_insert(type, names[value], &value), "fill the type of contact modes");
  }
  return type;
}

bool exists(hid_t file) {
  return hdf5::check(H5Lexists(file, modes_group, H5P_DEFAULT), "look for /modes") > 0;
}

hsize_t row_count(hid_t group) {
  const Shape shape = hdf5::array_shape(group, "count");
  if (shape.size() != 1) throw hdf5::Error("/modes/count is no list");
  return shape.front();
}

}  // namespace

void write_modes(hid_t file, const OutcomeModes& modes, const ImpactProblem& problem) {
  if (exists(file)) hdf5::check(H5Ldelete(file, modes_group, H5P_DEFAULT), "remove /modes");
  if (modes.outcomes() == 0) return;
  const Handle group = hdf5::create_group(file, modes_group);
  const std::vector<OutcomeMode> table = modes.table();
  std::vector<ContactMode> contacts;
  std::vector<std::uint64_t> count;
  std::vector<std::uint64_t> example;
  std::vector<double> velocity;
  std::vector<double> low;
  std::vector<double> high;
  for (const OutcomeMode& mode : table) {
    contacts.insert(contacts.end(), mode.contacts.begin(), mode.contacts.end());
    count.push_back(mode.count);
    example.push_back(mode.example);
    velocity.insert(velocity.end(), mode.example_velocity.begin(), mode.example_velocity.end());
    const ProbabilityInterval interval = wilson_interval(mode.count, modes.outcomes(), confidence);
    low.push_back(interval.low);
    high.push_back(interval.high);
  }
  const hsize_t rows = table.size();
  const auto m = static_cast<hsize_t>(problem.contacts());
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const hid_t real = number_type<double>();
  const hid_t integer = number_type<std::uint64_t>();
  hdf5::write_array(group, "contacts", make_mode_type(), {rows, m}, contacts.data());
  hdf5::write_array(group, "count", integer, {rows}, count.data());
  hdf5::write_array(group, "low", real, {rows}, low.data());
  hdf5::write_array(group, "high", real, {rows}, high.data());
  hdf5::write_array(group, "example", integer, {rows}, example.data());
  hdf5::write_array(group, "example_velocity", real, {rows, nv}, velocity.data());
  hdf5::write_number(group, "tolerance", modes.tolerance());
  hdf5::write_number(group, "relative_tolerance", OutcomeModes::relative_tolerance);
  hdf5::write_number(group, "outcomes", modes.outcomes());
  hdf5::write_number(group, "confidence", confidence);
}

OutcomeModes read_modes(hid_t file, const ImpactProblem& problem) {
  OutcomeModes modes(problem);
  if (!exists(file)) return modes;
  const Handle group = hdf5::open_group(file, modes_group);
  const auto tolerance = hdf5::read_number<double>(group, "tolerance");
  constexpr double rounding = 1e-9;  // another processor may round the tolerance differently
  if (!(std::abs(tolerance - modes.tolerance()) <= rounding * modes.tolerance())) {
    throw hdf5::Error(fmt::format("/modes counts speeds below {} m/s as zero (must be {} m/s)",
                                  tolerance, modes.tolerance()));
  }
  const hsize_t rows = row_count(group);
  const auto m = static_cast<hsize_t>(problem.contacts());
  const auto nv = static_cast<hsize_t>(problem.velocities());
  std::vector<std::uint8_t> contacts(rows * m);
  std::vector<std::uint64_t> count(rows);
  std::vector<std::uint64_t> example(rows);
  std::vector<double> velocity(rows * nv);
  hdf5::read_array(group, "contacts", make_mode_type(), {rows, m}, contacts.data());
  hdf5::read_array(group, "count", number_type<std::uint64_t>(), {rows}, count.data());
  hdf5::read_array(group, "example", number_type<std::uint64_t>(), {rows}, example.data());
  hdf5::read_array(group, "example_velocity", number_type<double>(), {rows, nv}, velocity.data());
  if (!std::all_of(contacts.begin(), contacts.end(), [](auto mode) { return mode < mode_count; }) ||
      !std::all_of(velocity.begin(), velocity.end(), [](double v) { return std::isfinite(v); })) {
    throw hdf5::Error("/modes holds modes that are none, or numbers that are not finite");
  }
  for (hsize_t row = 0; row < rows; ++row) {
    OutcomeMode mode;
    for (hsize_t i = 0; i < m; ++i) {
      mode.contacts.push_back(static_cast<ContactMode>(contacts[row * m + i]));
    }
    mode.count = count[row];
    mode.example = example[row];
    mode.example_velocity.assign(&velocity[row * nv], &velocity[row * nv] + nv);
    try {
      modes.restore(mode);
    } catch (const InputError& error) {
      throw hdf5::Error(std::string("/modes holds ") + error.what());
    }
  }
  const auto outcomes = hdf5::read_number<std::uint64_t>(group, "outcomes");
  if (outcomes != modes.outcomes()) {
    throw hdf5::Error(
        fmt::format("/modes counts {} outcomes by mode, {} in all", modes.outcomes(), outcomes));
  }
  return modes;
}

}  // namespace carom::sections
