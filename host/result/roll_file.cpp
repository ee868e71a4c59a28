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
#include "host/result/world_section.hpp"
#include "host/roll/rollout_datasets.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::number_type;

constexpr const char* groups[] = {"rollouts", "rollouts/first_impact", "events"};

void write_contents(hid_t file, const Scenario& scenario, const Rollouts& rollouts) {
  hdf5::write_number<std::int32_t>(file, "format_version", result_format_version);
  hdf5::write_number<std::int32_t>(file, "complete", rollouts.complete ? 1 : 0);
  hdf5::write_string(file, "version", version());
  hdf5::write_string(file, "scenario", to_toml(scenario));
  hdf5::write_string(file, "notes", notes_json(rollouts.notes).dump());
  for (const char* group : groups) hdf5::create_group(file, group);
  const Handle world = hdf5::create_group(file, sections::world_group);
  if (scenario.world) sections::write_bodies(world, *scenario.world);
  hdf5::write_array(file, "rollouts/time", number_type<double>(), {rollouts.time.size()},
                    rollouts.time.data());
  const RolledSystem system = rolled_system(scenario);
  hdf5::write_strings(file, "rollouts/coordinates", system.coordinates);
  hdf5::write_strings(file, "rollouts/units", system.units);
  if (!system.velocities.empty()) {
    hdf5::write_strings(file, "rollouts/velocities", system.velocities);
  }
  hdf5::write_strings(file, "events/pairs", system.contacts);
  write_columns(file, rollouts, [](const RolloutColumnInfo& info) { return info.name; });
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
        hdf5::read_array(file, info.name, column_type<T>(), shape_of(info, rollouts),
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
