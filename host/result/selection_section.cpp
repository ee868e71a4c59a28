#include "host/result/selection_section.hpp"

#include <algorithm>
#include <cmath>

namespace carom::sections {
namespace {

using hdf5::Handle;
using hdf5::number_type;

constexpr const char* selection_group = "net_selection";
constexpr const char* cover_name = "checked_cover";
constexpr const char* packing_name = "checked_packing";
constexpr const char* holds_name = "checked_holds";

bool has_selection(hid_t file) {
  return hdf5::check(H5Lexists(file, selection_group, H5P_DEFAULT), "look for /net_selection") > 0;
}

}  // namespace

void write_selection(hid_t file, const std::optional<NetSelection>& selection, int velocities) {
  if (has_selection(file)) {
    hdf5::check(H5Ldelete(file, selection_group, H5P_DEFAULT), "remove /net_selection");
  }
  if (!selection) return;
  const Handle group = hdf5::create_group(file, selection_group);
  const hsize_t size = selection->index.size();
  hdf5::write_array(group, "index", number_type<std::uint64_t>(), {size}, selection->index.data());
  hdf5::write_array(group, "velocity", number_type<double>(),
                    {size, static_cast<hsize_t>(velocities)}, selection->velocity.data());
  hdf5::write_number(group, "epsilon", selection->epsilon);
}

std::optional<NetSelection> read_selection(hid_t file, int velocities) {
  if (!has_selection(file)) return std::nullopt;
  const Handle group = hdf5::open_group(file, selection_group);
  const hdf5::Shape shape = hdf5::array_shape(group, "index");
  if (shape.size() != 1) throw hdf5::Error("/net_selection/index is no list");
  const hsize_t size = shape.front();
  const auto nv = static_cast<hsize_t>(velocities);
  NetSelection selection;
  selection.index.resize(size);
  selection.velocity.resize(size * nv);
  hdf5::read_array(group, "index", number_type<std::uint64_t>(), {size}, selection.index.data());
  hdf5::read_array(group, "velocity", number_type<double>(), {size, nv}, selection.velocity.data());
  selection.epsilon = hdf5::read_number<double>(group, "epsilon");
  const auto finite = [](double value) { return std::isfinite(value); };
  if (!finite(selection.epsilon) ||
      !std::all_of(selection.velocity.begin(), selection.velocity.end(), finite)) {
    throw hdf5::Error("/net_selection holds numbers that are not finite");
  }
  return selection;
}

void write_net_check(hid_t file, const std::optional<NetCheck>& check) {
  const Handle net = hdf5::open_group(file, "net");
  if (check) {
    hdf5::write_number(net, cover_name, check->cover);
    hdf5::write_number(net, packing_name, check->packing);
    hdf5::write_number<std::int32_t>(net, holds_name, check->holds ? 1 : 0);
    return;
  }
  for (const char* name : {cover_name, packing_name, holds_name}) {
    if (!hdf5::has_attribute(net, name)) continue;
    hdf5::check(H5Adelete(net, name), std::string("remove attribute ") + name);
  }
}

std::optional<NetCheck> read_net_check(hid_t file) {
  const Handle net = hdf5::open_group(file, "net");
  if (!hdf5::has_attribute(net, cover_name)) return std::nullopt;
  return NetCheck{hdf5::read_number<double>(net, cover_name),
                  hdf5::read_number<double>(net, packing_name),
                  hdf5::read_number<std::int32_t>(net, holds_name) != 0};
}

}  // namespace carom::sections
