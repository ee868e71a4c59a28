#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "carom/roll_io.hpp"
#include "carom/version.hpp"
#include "host/base/note_json.hpp"
#include "host/files/part_file.hpp"
#include "host/result/read_sealed.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::number_type;

/// The type of a column's numbers in the file.
template <class T>
hid_t file_type() {
  if constexpr (std::is_enum_v<T>) {
    return number_type<std::underlying_type_t<T>>();
  } else {
    return number_type<T>();
  }
}

hdf5::Shape shape_of(const RolloutColumnInfo& info, const RolloutShape& shape, std::size_t rows) {
  hdf5::Shape result = {rows};
  for (int RolloutShape::*const member : {info.rows, info.columns}) {
    if (member != nullptr) result.push_back(static_cast<hsize_t>(shape.*member));
  }
  return result;
}

constexpr const char* groups[] = {"rollouts", "rollouts/first_impact", "events", "world"};

/// What pictures need of the bodies: shape, corners or points, hinges; and floors.
void write_world(hid_t file, const PlanarWorld& world) {
  std::vector<double> radii, corners, hinges, normals, offsets;
  std::vector<std::int32_t> shapes, carriers, first = {0};
  for (const PlanarBody& body : world.bodies) {
    shapes.push_back(body.points ? 2 : body.is_disc() ? 0 : 1);
    radii.push_back(body.radius);
    for (const Eigen::Vector2d& corner : body.points ? *body.points : body.corners) {
      corners.insert(corners.end(), {corner.x(), corner.y()});
    }
    first.push_back(static_cast<std::int32_t>(corners.size() / 2));
    const PlanarHinge hinge = body.hinge.value_or(PlanarHinge{});
    const auto carrier = std::ranges::find(world.bodies, hinge.on, &PlanarBody::name);
    carriers.push_back(body.hinge ? static_cast<std::int32_t>(carrier - world.bodies.begin()) : -1);
    hinges.insert(hinges.end(), {hinge.at.x(), hinge.at.y(), hinge.own.x(), hinge.own.y()});
  }
  for (const PlanarFloor& floor : world.floors) {
    normals.insert(normals.end(), {floor.normal.x(), floor.normal.y()});
    offsets.push_back(floor.normal.dot(floor.point));
  }
  const auto write = [&]<class T>(const char* name, const std::vector<T>& values, hsize_t columns) {
    if (values.empty()) return;
    hdf5::Shape shape = {values.size() / columns};
    if (columns > 1) shape.push_back(columns);
    hdf5::write_array(file, name, number_type<T>(), shape, values.data());
  };
  write("world/shape", shapes, 1);
  write("world/carrier", carriers, 1);
  write("world/hinge", hinges, 4);
  write("world/radius", radii, 1);
  write("world/corners", corners, 2);
  write("world/first_corner", first, 1);
  write("world/floor_normal", normals, 2);
  write("world/floor_offset", offsets, 1);
}

void write_contents(hid_t file, const Scenario& scenario, const Rollouts& rollouts) {
  hdf5::write_number<std::int32_t>(file, "format_version", result_format_version);
  hdf5::write_number<std::int32_t>(file, "complete", rollouts.complete ? 1 : 0);
  hdf5::write_string(file, "version", version());
  hdf5::write_string(file, "scenario", to_toml(scenario));
  hdf5::write_string(file, "notes", notes_json(rollouts.notes).dump());
  for (const char* group : groups) hdf5::create_group(file, group);
  if (scenario.world) write_world(file, *scenario.world);
  hdf5::write_array(file, "rollouts/time", number_type<double>(), {rollouts.time.size()},
                    rollouts.time.data());
  const RolledSystem system = rolled_system(scenario);
  hdf5::write_strings(file, "rollouts/coordinates", system.coordinates);
  hdf5::write_strings(file, "rollouts/units", system.units);
  if (!system.velocities.empty()) {
    hdf5::write_strings(file, "rollouts/velocities", system.velocities);
  }
  hdf5::write_strings(file, "events/pairs", system.contacts);
  for_each_rollout_column(
      [&]<class T>(const RolloutColumnInfo& info, const std::vector<T>& column) {
        if (info.numbers(rollouts) == 0) return;
        hdf5::write_array(file, info.name, file_type<T>(),
                          shape_of(info, rollouts, rollouts.size()), column.data());
      },
      rollouts);
}

RollResult read_roll_contents(hid_t file, const std::string& name) {
  RollResult result{parse_scenario(hdf5::read_string(file, "scenario"), name + ": scenario"),
                    {},
                    hdf5::read_string(file, "version")};
  const Scenario& scenario = result.scenario;
  if (!scenario.roll || (!scenario.world && !scenario.compliant && !scenario.mujoco)) {
    throw hdf5::Error("the scenario has no motion");
  }
  Rollouts& rollouts = result.rollouts;
  rollouts.complete = hdf5::read_number<std::int32_t>(file, "complete") != 0;
  rollouts.notes = parse_notes(hdf5::read_string(file, "notes"));
  static_cast<RolloutShape&>(rollouts) = rollout_shape(scenario);
  rollouts.time = times_of(*scenario.roll);
  rollouts.resize(hdf5::array_shape(file, "rollouts/status").at(0));
  for_each_rollout_column(
      [&]<class T>(const RolloutColumnInfo& info, std::vector<T>& column) {
        if (info.numbers(rollouts) == 0) return;
        hdf5::read_array(file, info.name, file_type<T>(), shape_of(info, rollouts, rollouts.size()),
                         column.data());
        if constexpr (std::is_same_v<T, double>) {
          if (&column == &rollouts.derivative) return;  // NaN where there is none
          for (const double value : column) {
            if (!std::isfinite(value)) throw hdf5::Error(fmt::format("{} is no number", info.name));
          }
        }
      },
      rollouts);
  for (const RolloutStatus status : rollouts.status) {
    if (static_cast<int>(status) >= rollout_status_count) throw hdf5::Error("a status is unknown");
  }
  return result;
}

}  // namespace

bool is_rollouts(const fs::path& file) { return format_of(file) == sealed_formats::rollouts; }

void write_rollouts(const fs::path& file, const Scenario& scenario, const Rollouts& rollouts) {
  PartFile part(file);
  const std::string reason = part.attempt([&] {
    const Handle hdf5_file = part.create_hdf5();
    write_contents(hdf5_file, scenario, rollouts);
  });
  if (!reason.empty()) {
    part.abandon();
    throw RunError(fmt::format("cannot write {}: {}", part.file().string(), reason));
  }
  part.seal({{"format", sealed_formats::rollouts}});
  part.commit();
}

RollResult read_rollouts(const fs::path& file) {
  return read_sealed(file, sealed_formats::rollouts, read_roll_contents);
}

}  // namespace carom
