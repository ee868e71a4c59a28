#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "carom/error.hpp"
#include "host/base/nearest_name.hpp"
#include "host/base/note_list.hpp"
#include "host/files/input_files.hpp"
#include "host/scenario/scenario_reader.hpp"

namespace carom {
namespace {

// More than every matrix of the largest compiled size needs.
constexpr std::size_t max_scenario_bytes = std::size_t{1} << 24;
constexpr std::string_view hdf5_signature = "\x89HDF\r\n\x1a\n";
constexpr std::size_t behind_a_header = 512;  // HDF5 searches at 0, 512, 1024, 2048, ...

}  // namespace

ScenarioDocument open_document(const std::filesystem::path& file) {
  std::error_code error;
  if (std::filesystem::is_directory(file, error)) {
    throw InputError(fmt::format("{}: is a folder (must be a scenario file)", file.string()));
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) throw InputError(fmt::format("{}: cannot open the file", file.string()));
  note_input(file);
  std::string text;
  char block[4096];
  while (stream.read(block, sizeof block) || stream.gcount() > 0) {
    text.append(block, static_cast<std::size_t>(stream.gcount()));
    if (text.find(hdf5_signature) % behind_a_header == 0) {
      throw InputError(
          fmt::format("{}: is an HDF5 file (must be a scenario file; resume, compare "
                      "and plot read results)",
                      file.string()));
    }
    if (text.size() > max_scenario_bytes) {
      throw InputError(fmt::format("{}: is larger than {} bytes (must be a scenario file)",
                                   file.string(), max_scenario_bytes));
    }
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '<') {
    throw InputError(fmt::format(
        "{}: is XML (must be a scenario file; a scenario of system \"mujoco\" names a model by "
        "[mujoco] model)",
        file.string()));
  }
  return ScenarioDocument(text, file.string(), file.parent_path());
}

ScenarioDocument open_scenario(const std::string& file_or_system,
                               const std::filesystem::path& folder) {
  std::error_code ignored;
  const std::filesystem::path file = folder / file_or_system;
  if (std::filesystem::exists(file, ignored)) return open_document(file);
  std::vector<std::string> names;
  for (const System& system : systems()) names.push_back(system.name);
  if (std::find(names.begin(), names.end(), file_or_system) != names.end()) {
    return ScenarioDocument("system = \"" + file_or_system + "\"\n", file_or_system, {});
  }
  throw InputError(fmt::format("scenario is \"{}\" (must be a file, or one of the systems {}){}",
                               file.string(), fmt::join(names, ", "),
                               suggestion(file_or_system, names)));
}

std::string title(const Scenario& scenario) {
  if (!scenario.name.empty()) return scenario.name;
  if (!scenario.mujoco) return scenario.system;
  return std::filesystem::path(scenario.mujoco->model).stem().string();
}

namespace {

/// Reads a user's document, which may have the matrices of a result file beside its [mujoco].
Scenario read_users(const ScenarioDocument& document) {
  Scenario scenario = read_document(document);
  const toml::table* const problem = document.table("problem");
  if (scenario.mujoco && !scenario.roll && problem != nullptr && problem->contains("mass_matrix")) {
    scenario.problem.doubts.push_back(make_note(
        "model_not_read",
        "[problem] states the matrices: the model of [mujoco] was not read, and neither its state "
        "nor the other keys there count; without [problem], but for friction_directions and "
        "restitution, they do"));
  }
  return scenario;
}

}  // namespace

Scenario read_scenario(const std::filesystem::path& file) {
  return read_users(open_document(file));
}

Scenario load_motion(const std::string& file_or_system) {
  return read_users(open_scenario(file_or_system));
}

Scenario load_scenario(const std::string& file_or_system) {
  Scenario scenario = load_motion(file_or_system);
  require_impact(scenario);
  return scenario;
}

bool has_impact(const Scenario& scenario) {
  return !scenario.compliant && scenario.no_impact.empty();
}

void require_impact(const Scenario& scenario) {
  if (has_impact(scenario)) return;
  if (!scenario.no_impact.empty()) throw InputError(scenario.no_impact);
  throw InputError(fmt::format(
      "system is \"{}\", whose contacts give way (must be one with impacts; carom roll moves it)",
      scenario.system));
}

}  // namespace carom
