#include "host/families/family_json.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>

#include "carom/roll_options.hpp"

namespace carom {

using Json = nlohmann::ordered_json;

namespace {

std::string crc_text(const void* data, std::size_t bytes) {
  boost::crc_32_type crc;
  crc.process_bytes(data, bytes);
  return fmt::format("{:08x}", crc.checksum());
}

Json axis_json(const FamilyAxis& axis) {
  if (axis.drawn()) return {{"path", axis.paths.front()}, {"min", axis.min}, {"max", axis.max}};
  constexpr std::size_t most_listed = 64;
  Json json = {{"paths", axis.paths}, {"rows", axis.rows()}};
  if (axis.values.size() <= most_listed) json["values"] = axis.values;
  json["crc32"] = crc_text(axis.values.data(), axis.values.size() * sizeof(double));
  return json;
}

}  // namespace

std::string json_id(const Json& document) {
  const std::string text = document.dump();
  return crc_text(text.data(), text.size());
}

Json family_json(const ProblemFamily& family) {
  Json axes = Json::array();
  for (const FamilyAxis& axis : family.axes()) axes.push_back(axis_json(axis));
  const FamilyOptions& options = family.options();
  return {{"axes", axes}, {"problems", options.problems}, {"seed", options.seed}};
}

SamplingOptions on_any_machine(SamplingOptions options) {
  const SamplingOptions any;
  options.backend = any.backend;
  options.threads = any.threads;
  options.device = any.device;
  options.chunk = any.chunk;
  return options;
}

Json scenario_json(const Scenario& base, const SamplingOptions& sampling, bool rolled) {
  Scenario scenario = base;
  const SamplingOptions any;
  scenario.sampling = on_any_machine(sampling);
  scenario.storage = {};
  scenario.name.clear();
  scenario.evidence = {};
  scenario.explore.reset();
  if (rolled) {
    scenario.sampling.trajectories = {};
    scenario.sampling.epsilon = {};
    scenario.sampling.norm = any.norm;
    scenario.roll->times = times_of(*scenario.roll);  // those of `ask` among them
    scenario.roll->ask.clear();
  } else {
    scenario.roll.reset();
  }
  Json lines = Json::array();
  std::string line;
  bool counts = true;
  for (const char c : to_toml(scenario)) {
    if (c != '\n') {
      line += c;
      continue;
    }
    // Data sets and grids have no evidence.
    if (line == "[evidence]") counts = false;
    if (line == "[roll]") counts = true;
    if (counts && !line.empty()) lines.push_back(line);
    line.clear();
  }
  return lines;
}

std::string first_difference(const Json& now, const Json& then) {
  const Json mine = now.flatten();
  const Json other = then.flatten();
  const auto name = [](const std::string& pointer) {
    std::string words = pointer.substr(pointer.empty() ? 0 : 1);
    for (char& c : words) c = c == '/' ? '.' : c;
    return words;
  };
  for (const auto& [key, value] : mine.items()) {
    if (!other.contains(key))
      return fmt::format("{} is {} (was not there)", name(key), value.dump());
    if (other[key] != value) {
      return fmt::format("{} is {} (was {})", name(key), value.dump(), other[key].dump());
    }
  }
  for (const auto& [key, value] : other.items()) {
    if (!mine.contains(key))
      return fmt::format("{} is not there (was {})", name(key), value.dump());
  }
  return "";
}

}  // namespace carom
