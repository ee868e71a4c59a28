#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "carom/error.hpp"
#include "carom/exploration_io.hpp"
#include "carom/result_io.hpp"
#include "carom/version.hpp"
#include "host/base/note_json.hpp"
#include "host/files/part_file.hpp"
#include "host/options/option_text.hpp"
#include "host/result/bound_section.hpp"
#include "host/result/read_sealed.hpp"
#include "host/result/result_sections.hpp"
#include "host/result/same_run.hpp"
#include "host/result/world_section.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::number_type;

/// Calls visit(name, number) for the numbers of an exploration that are attributes of /explore.
template <class AnyExploration, class Visit>
void for_each_number(AnyExploration& found, const Visit& visit) {
  visit("lcps", found.lcps);
  visit("rounds", found.rounds);
  visit("outcomes", found.outcomes);
  visit("dropped", found.dropped);
  visit("failed", found.failed);
  visit("most_repeats", found.most_repeats);
  visit("mark_lcps", found.mark.lcps);
  visit("mark_trajectories", found.mark.trajectories);
  visit("mark_members", found.mark.members);
  visit("members_new", found.mark.members_new);
  visit("islands_cover", found.mark.islands_cover);
  visit("growth", found.mark.growth);
  visit("support_moved", found.mark.support_moved);
}

/// Calls visit(name, number) for the counts of a tree, attributes of its group.
template <class AnyTree, class Visit>
void for_each_count(AnyTree& tree, const Visit& visit) {
  visit("lcps", tree.lcps);
  visit("rounds", tree.rounds);
  visit("separated", tree.separated);
  visit("dropped", tree.dropped);
  visit("failed", tree.failed);
}

template <class T>
void write_list(hid_t group, const char* name, const std::vector<T>& values, hsize_t columns = 0) {
  hdf5::Shape shape = {values.size()};
  if (columns > 0) shape = {values.size() / columns, columns};
  hdf5::write_array(group, name, number_type<T>(), shape, values.data());
}

/// @param columns 0: a list of numbers, else rows of as many
template <class T>
std::vector<T> read_list(hid_t group, const char* name, hsize_t columns = 0) {
  const hdf5::Shape shape = hdf5::array_shape(group, name);
  if (columns == 0 ? shape.size() != 1 : shape.size() != 2 || shape[1] != columns) {
    throw hdf5::Error(fmt::format("{} has a wrong shape", name));
  }
  std::vector<T> values(shape[0] * std::max<hsize_t>(columns, 1));
  hdf5::read_array(group, name, number_type<T>(), shape, values.data());
  for (const T value : values) {
    if (!std::isfinite(static_cast<double>(value))) {
      throw hdf5::Error(fmt::format("{} holds a number that is not finite", name));
    }
  }
  return values;
}

constexpr hsize_t place_columns = 3;

void write_places(hid_t group, const char* name,
                  const std::vector<ExplorationTree::Place>& places) {
  std::vector<std::uint32_t> numbers;
  for (const ExplorationTree::Place& place : places) {
    numbers.insert(numbers.end(), {place.node, place.visits, place.gain});
  }
  write_list(group, name, numbers, place_columns);
}

std::vector<ExplorationTree::Place> read_places(hid_t group, const char* name) {
  const auto numbers = read_list<std::uint32_t>(group, name, place_columns);
  std::vector<ExplorationTree::Place> places;
  for (std::size_t i = 0; i < numbers.size(); i += place_columns) {
    places.push_back({numbers[i], numbers[i + 1], numbers[i + 2]});
  }
  return places;
}

std::string island_name(std::size_t island) { return fmt::format("island_{}", island + 1); }

void write_tree(hid_t explore, std::size_t island, const ExplorationTree& tree,
                std::size_t step_size) {
  const Handle group = hdf5::create_group(explore, island_name(island));
  write_list(group, "parent", tree.parent);
  write_list(group, "step", tree.step, step_size);
  write_places(group, "outcomes", tree.outcomes);
  write_places(group, "states", tree.states);
  write_list(group, "end_nodes", tree.end_nodes);
  for_each_count(tree,
                 [&](const char* name, auto value) { hdf5::write_number(group, name, value); });
}

ExplorationTree read_tree(hid_t explore, std::size_t island, std::size_t step_size) {
  const Handle group = hdf5::open_group(explore, island_name(island));
  ExplorationTree tree{.parent = read_list<std::uint32_t>(group, "parent"),
                       .step = read_list<double>(group, "step", step_size),
                       .outcomes = read_places(group, "outcomes"),
                       .states = read_places(group, "states"),
                       .end_nodes = read_list<std::uint32_t>(group, "end_nodes")};
  for_each_count(tree, [&]<class T>(const char* name, T& value) {
    value = hdf5::read_number<T>(group, name);
  });
  bool fits = tree.step.size() == tree.parent.size() * step_size;
  for (std::size_t i = 1; i < tree.parent.size(); ++i) fits = fits && tree.parent[i] < i;
  if (!fits) throw hdf5::Error(island_name(island) + " is no tree");
  return tree;
}

constexpr hsize_t end_columns = 5;  // contact, axis, greatest, island, node

void write_ends(hid_t explore, const Exploration& found, hsize_t nv) {
  std::vector<std::uint32_t> places;
  std::vector<double> speeds, velocities;
  for (const ExploredEnd& end : found.ends) {
    places.insert(places.end(),  // the contact -1 wraps around, and back
                  {static_cast<std::uint32_t>(end.contact), static_cast<std::uint32_t>(end.axis),
                   end.greatest ? 1u : 0u, end.origin.island, end.origin.node});
    speeds.push_back(end.speed);
    velocities.insert(velocities.end(), end.velocity.begin(), end.velocity.end());
  }
  write_list(explore, "ends", places, end_columns);
  write_list(explore, "end_speed", speeds);
  write_list(explore, "end_velocity", velocities, nv);
}

void read_ends(hid_t explore, hsize_t nv, Exploration& found) {
  const auto places = read_list<std::uint32_t>(explore, "ends", end_columns);
  const auto speeds = read_list<double>(explore, "end_speed");
  const auto velocities = read_list<double>(explore, "end_velocity", nv);
  if (places.size() != speeds.size() * end_columns || velocities.size() != speeds.size() * nv) {
    throw hdf5::Error("the ends do not fit together");
  }
  for (std::size_t i = 0; i < speeds.size(); ++i) {
    const std::uint32_t* const place = &places[i * end_columns];
    const auto velocity = velocities.begin() + static_cast<std::ptrdiff_t>(i * nv);
    found.ends.push_back({.contact = static_cast<int>(place[0]),
                          .axis = static_cast<int>(place[1]),
                          .greatest = place[2] != 0,
                          .speed = speeds[i],
                          .velocity = {velocity, velocity + static_cast<std::ptrdiff_t>(nv)},
                          .origin = {place[3], place[4]}});
  }
}

void write_contents(hid_t file, const Scenario& scenario, const Exploration& found) {
  hdf5::write_number<std::int32_t>(file, "format_version", result_format_version);
  hdf5::write_number<std::int32_t>(file, "complete", found.complete ? 1 : 0);
  hdf5::write_string(file, "version", version());
  hdf5::write_string(file, "scenario", to_toml(scenario));
  hdf5::write_string(file, "notes", notes_json(found.notes).dump());
  sections::write_problem(file, scenario.problem);
  sections::write_world(file, scenario);

  const auto nv = static_cast<hsize_t>(scenario.problem.velocities());
  const Handle net = hdf5::create_group(file, "net");
  write_list(net, "velocity", found.net.velocity(), nv);
  hdf5::write_number(net, "epsilon", found.net.epsilon());
  hdf5::write_string(net, "norm", norm_name(scenario.sampling.norm));

  const Handle explore = hdf5::create_group(file, "explore");
  for_each_number(found,
                  [&](const char* name, auto value) { hdf5::write_number(explore, name, value); });
  hdf5::write_number<std::int32_t>(explore, "settled", found.settled ? 1 : 0);
  hdf5::write_string(explore, "stopped", found.stopped);
  hdf5::write_string(explore, "solutions", solutions_name(found.solutions));
  hdf5::write_number<std::uint64_t>(explore, "step_size", found.step_size);
  hdf5::write_number<std::uint64_t>(explore, "islands", found.trees.size());
  write_list(explore, "mark_ends", found.mark.ends);
  hdf5::write_number<std::int32_t>(explore, "ends_sought", found.mark.ends_sought ? 1 : 0);
  std::vector<std::uint32_t> origins;
  for (const ExplorationOrigin& origin : found.origins) {
    origins.insert(origins.end(), {origin.island, origin.node});
  }
  write_list(explore, "origins", origins, 2);
  write_ends(explore, found, nv);
  const Outputs& outputs = scenario.evidence.outputs;
  const RowMatrix rows = outputs.matrix;  // row-major
  hdf5::write_strings(explore, "direction_names", outputs.names);
  write_list(explore, "directions", std::vector<double>(rows.data(), rows.data() + rows.size()),
             nv);
  sections::write_bound(file, found.bound, scenario.problem);
  for (std::size_t i = 0; i < found.trees.size(); ++i) {
    write_tree(explore, i, found.trees[i], found.step_size);
  }
}

/// @throws hdf5::Error unless every origin is a node of a tree
void check_origins(const Exploration& found) {
  const auto check = [&](const ExplorationOrigin& origin) {
    if (origin.island >= found.trees.size() ||
        origin.node >= found.trees[origin.island].parent.size()) {
      throw hdf5::Error("a member's node is in no tree");
    }
  };
  std::ranges::for_each(found.origins, check);
  for (const ExploredEnd& end : found.ends) check(end.origin);
}

Solutions solutions_named(const std::string& name) {
  const std::vector<std::string>& words = words_of(Solutions{});
  const auto at = std::ranges::find(words, name);
  if (at == words.end()) throw hdf5::Error(name + " are no solutions");
  return static_cast<Solutions>(at - words.begin());
}

ExplorationResult read_exploration_contents(hid_t file, const std::string& name) {
  Scenario scenario = parse_scenario(hdf5::read_string(file, "scenario"), name + ": scenario");
  const ImpactProblem& problem = scenario.problem;
  const auto nv = static_cast<hsize_t>(problem.velocities());
  const Handle net = hdf5::open_group(file, "net");
  Exploration found{.net =
                        EpsilonNet(problem.velocities(), hdf5::read_number<double>(net, "epsilon"),
                                   net_metric(problem, scenario.sampling.norm))};
  const auto velocity = read_list<double>(net, "velocity", nv);
  std::vector<std::uint64_t> index(velocity.size() / nv);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = i;
  found.net.restore(index, velocity);

  const Handle explore = hdf5::open_group(file, "explore");
  for_each_number(found, [&]<class T>(const char* attribute, T& value) {
    value = hdf5::read_number<T>(explore, attribute);
  });
  found.complete = hdf5::read_number<std::int32_t>(file, "complete") != 0;
  found.settled = hdf5::read_number<std::int32_t>(explore, "settled") != 0;
  found.stopped = hdf5::read_string(explore, "stopped");
  found.notes = parse_notes(hdf5::read_string(file, "notes"));
  found.solutions = solutions_named(hdf5::read_string(explore, "solutions"));
  found.step_size = hdf5::read_number<std::uint64_t>(explore, "step_size");
  found.mark.ends = read_list<double>(explore, "mark_ends");
  std::string writer = hdf5::read_string(file, "version");
  if (hdf5::has_attribute(explore, "ends_sought")) {
    found.mark.ends_sought = hdf5::read_number<std::int32_t>(explore, "ends_sought") != 0;
  } else {
    writer += ", whose searches differ";  // an earlier one of the same number
  }
  const auto origins = read_list<std::uint32_t>(explore, "origins", 2);
  for (std::size_t i = 0; i < origins.size(); i += 2) {
    found.origins.push_back({origins[i], origins[i + 1]});
  }
  if (found.origins.size() != found.net.size()) throw hdf5::Error("members lack their origins");
  read_ends(explore, nv, found);
  const auto islands = hdf5::read_number<std::uint64_t>(explore, "islands");
  for (std::size_t i = 0; i < islands; ++i) {
    found.trees.push_back(read_tree(explore, i, found.step_size));
  }
  check_origins(found);
  found.bound = sections::read_bound(file, problem);
  return {std::move(scenario), std::move(found), std::move(writer)};
}

}  // namespace

bool is_exploration(const fs::path& file) { return format_of(file) == sealed_formats::exploration; }

void write_exploration(const fs::path& file, const Scenario& scenario, const Exploration& found) {
  PartFile part(file);
  std::string reason = part.attempt([&] {
    const Handle hdf5_file = part.create_hdf5();
    write_contents(hdf5_file, scenario, found);
  });
  if (!reason.empty()) {
    part.abandon();
    throw RunError(fmt::format("cannot write {}: {}", part.file().string(), reason));
  }
  part.seal({{"format", sealed_formats::exploration}});
  part.commit();
}

ExplorationResult read_exploration(const fs::path& file) {
  return read_sealed(file, sealed_formats::exploration, read_exploration_contents);
}

void check_continues(const ExplorationResult& earlier, const Scenario& scenario,
                     const fs::path& file) {
  if (earlier.version != version()) {
    throw InputError(
        fmt::format("{} was written by Carom {} (must be {}: another version may give other bits)",
                    file.string(), earlier.version, version()));
  }
  if (same_run(earlier.scenario, scenario)) return;
  throw InputError(
      fmt::format("{} holds another exploration (problem and options must be equal, "
                  "but for the budget)",
                  file.string()));
}

}  // namespace carom
