#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "carom/error.hpp"
#include "carom/grid.hpp"
#include "carom/version.hpp"
#include "host/families/family_json.hpp"
#include "host/families/family_notes.hpp"
#include "host/families/grid/state_answers.hpp"
#include "host/families/member_notes.hpp"
#include "host/families/spec_json.hpp"
#include "host/files/part_file.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using hdf5::Handle;
using hdf5::Shape;
using Modes = std::vector<ContactMode>;

constexpr std::int32_t grid_format_version = 2;

hsize_t velocities(const GridSpec& spec) {
  return static_cast<hsize_t>(spec.family.base().problem.velocities());
}

/// One number of every state, as a column of /states.
template <class T, class Get>
void put_column(hid_t group, const char* name, const GridResult& result, Get&& get) {
  std::vector<T> column;
  for (const GridState& state : result.states) column.push_back(static_cast<T>(get(state)));
  hdf5::write_array(group, name, hdf5::number_type<T>(), {column.size()}, column.data());
}

template <class T, class Set>
void take_column(hid_t group, const char* name, GridResult& result, Set&& set) {
  std::vector<T> column(result.states.size());
  hdf5::read_array(group, name, hdf5::number_type<T>(), {column.size()}, column.data());
  for (std::size_t i = 0; i < column.size(); ++i) set(result.states[i], column[i]);
}

void write_axes(hid_t file, const GridSpec& spec) {
  const Handle group = hdf5::create_group(file, "axes");
  const std::vector<std::uint64_t> shape = spec.family.grid();
  hdf5::write_array(group, "shape", H5T_NATIVE_UINT64, {shape.size()}, shape.data());
  for (std::size_t i = 0; i < spec.family.axes().size(); ++i) {
    const FamilyAxis& axis = spec.family.axes()[i];
    const Handle its = hdf5::create_group(group, std::to_string(i));
    hdf5::write_strings(its, "paths", axis.paths);
    hdf5::write_array(its, "values", H5T_NATIVE_DOUBLE, {axis.rows(), axis.paths.size()},
                      axis.values.data());
  }
}

void write_states(hid_t file, const GridSpec& spec, const GridResult& result) {
  const Handle group = hdf5::create_group(file, "states");
  std::vector<double> values;
  std::vector<std::string> refusals;
  std::vector<std::uint64_t> counts;
  for (std::size_t member = 0; member < result.states.size(); ++member) {
    const GridState& state = result.states[member];
    const std::vector<double> its = spec.family.values(member);
    values.insert(values.end(), its.begin(), its.end());
    refusals.push_back(state.refusal);
    counts.insert(counts.end(), state.status_counts.begin(), state.status_counts.end());
  }
  const hsize_t rows = result.states.size();
  hdf5::write_strings(group, "names", spec.family.names());
  hdf5::write_array(group, "values", H5T_NATIVE_DOUBLE, {rows, spec.family.names().size()},
                    values.data());
  hdf5::write_strings(group, "refusal", refusals);
  hdf5::write_array(group, "status_counts", H5T_NATIVE_UINT64, {rows, status_count}, counts.data());
  put_column<std::uint8_t>(group, "valid", result, [](const auto& s) { return s.valid() ? 1 : 0; });
  for_each_grid_column([&]<class T>(const char* name, T GridState::*member) {
    put_column<T>(group, name, result, [&](const GridState& state) { return state.*member; });
  });
}

/// All modes that occur in any state, sorted, with their counts in each state.
void write_modes(hid_t file, const GridSpec& spec, const GridResult& result) {
  std::set<Modes> all;
  for (const GridState& state : result.states) {
    for (const auto& [mode, count] : state.modes) all.insert(mode);
  }
  std::vector<std::string> names;
  std::vector<std::uint8_t> contacts;
  for (const Modes& mode : all) {
    names.push_back(mode_text(mode, spec.family.base().problem.contact_names));
    for (const ContactMode contact : mode) contacts.push_back(static_cast<std::uint8_t>(contact));
  }
  std::vector<std::uint64_t> counts;
  for (const GridState& state : result.states) {
    for (const Modes& mode : all) {
      const auto found = state.modes.find(mode);
      counts.push_back(found == state.modes.end() ? 0 : found->second);
    }
  }
  const Handle group = hdf5::create_group(file, "modes");
  const auto m = static_cast<hsize_t>(spec.family.base().problem.contacts());
  hdf5::write_strings(group, "names", names);
  hdf5::write_array(group, "contacts", H5T_NATIVE_UINT8, {all.size(), m}, contacts.data());
  hdf5::write_array(group, "count", H5T_NATIVE_UINT64, {result.states.size(), all.size()},
                    counts.data());
}

/// The code of an answer in files: 0 where the state has no set.
std::uint8_t answer_code(const Answer& answer) {
  return static_cast<std::uint8_t>(static_cast<int>(answer.verdict) + 1);
}

/// The questions about the scenario itself.
Outputs base_outputs(const GridSpec& spec) {
  const Scenario& base = spec.family.base();
  return asked_outputs(spec, base.problem, base.evidence.outputs);
}

void write_answers(hid_t file, const GridSpec& spec, const GridResult& result) {
  const Handle group = hdf5::create_group(file, "answers");
  const std::vector<hsize_t> shape = {result.states.size(), spec.ask.size()};
  const auto write = [&]<class T>(const char* name, T without, const auto& of) {
    std::vector<T> column;
    for (const GridState& state : result.states) {
      for (std::size_t i = 0; i < spec.ask.size(); ++i) {
        column.push_back(state.valid() ? of(state.answers.at(i)) : without);
      }
    }
    hdf5::write_array(group, name, hdf5::number_type<T>(), {shape[0], shape[1]}, column.data());
  };
  const Outputs asked = base_outputs(spec);
  std::vector<double> values;
  std::vector<std::uint8_t> greater;
  for (const Question& question : asked.questions) {
    values.push_back(question.value);
    greater.push_back(question.greater ? 1 : 0);
  }
  hdf5::write_strings(group, "question", spec.ask);
  hdf5::write_array(group, "value", H5T_NATIVE_DOUBLE, {values.size()}, values.data());
  hdf5::write_array(group, "greater", H5T_NATIVE_UINT8, {greater.size()}, greater.data());
  write("answer", std::uint8_t{0}, answer_code);
  for_each_answer_number([&](const char* name, double Answer::*member) {
    write(name, std::numeric_limits<double>::quiet_NaN(),
          [&](const Answer& answer) { return answer.*member; });
  });
}

void read_answers(hid_t file, const GridSpec& spec, GridResult& result) {
  const Handle group = hdf5::open_group(file, "answers");
  const Outputs asked = base_outputs(spec);
  const std::size_t size = spec.ask.size();
  const auto read = [&]<class T>(const char* name, T, const auto& set) {
    std::vector<T> column(result.states.size() * size);
    hdf5::read_array(group, name, hdf5::number_type<T>(), {result.states.size(), size},
                     column.data());
    for (std::size_t i = 0; i < column.size(); ++i) {
      GridState& state = result.states[i / size];
      if (state.valid()) set(state.answers[i % size], column[i]);
    }
  };
  for (GridState& state : result.states) {
    for (std::size_t i = 0; state.valid() && i < size; ++i) {
      state.answers.push_back({.question = spec.ask[i], .greater = asked.questions[i].greater});
    }
  }
  read("answer", std::uint8_t{}, [&](Answer& answer, std::uint8_t code) {
    if (code == 0 || code > std::size(all_verdicts)) {
      throw hdf5::Error("/answers/answer has a code that is none");
    }
    answer.verdict = all_verdicts[code - 1];
  });
  for_each_answer_number([&](const char* name, double Answer::*member) {
    read(name, double{}, [&](Answer& answer, double value) { answer.*member = value; });
  });
}

void write_nets(hid_t file, const GridSpec& spec, const GridResult& result) {
  std::vector<std::uint64_t> first = {0};
  std::vector<std::uint64_t> index;
  std::vector<double> velocity;
  for (const GridState& state : result.states) {
    index.insert(index.end(), state.net_index.begin(), state.net_index.end());
    velocity.insert(velocity.end(), state.net_velocity.begin(), state.net_velocity.end());
    first.push_back(index.size());
  }
  const Handle group = hdf5::create_group(file, "nets");
  hdf5::write_array(group, "first", H5T_NATIVE_UINT64, {first.size()}, first.data());
  hdf5::write_array(group, "index", H5T_NATIVE_UINT64, {index.size()}, index.data());
  hdf5::write_array(group, "velocity", H5T_NATIVE_DOUBLE, {index.size(), velocities(spec)},
                    velocity.data());
}

void write_hdf5(const PartFile& part, const GridSpec& spec, const GridResult& result) {
  const Handle file = part.create_hdf5();
  Scenario base = spec.family.base();
  base.sampling = on_any_machine(spec.sampling);
  hdf5::write_string(file, "format", sealed_formats::grid);
  hdf5::write_number<std::int32_t>(file, "grid_format_version", grid_format_version);
  hdf5::write_string(file, "carom_version", version());
  hdf5::write_string(file, "spec", spec_json(spec).dump());
  hdf5::write_string(file, "base_scenario", to_toml(base));
  hdf5::write_string(file, "norm", spec.sampling.norm == Norm::kinetic ? "kinetic" : "euclidean");
  hdf5::write_number<double>(file, "epsilon", *spec.sampling.epsilon);
  hdf5::write_number<std::uint64_t>(file, "trajectories", spec.sampling.trajectories);
  hdf5::write_number<std::uint8_t>(file, "complete", result.complete ? 1 : 0);
  hdf5::write_string(file, "notes", notes_json(notes(spec, result), spec.family).dump());
  write_axes(file, spec);
  write_states(file, spec, result);
  write_modes(file, spec, result);
  NoteTable notes;
  for (std::size_t i = 0; i < result.states.size(); ++i) notes.add(i, result.states[i].notes);
  notes.write(file);
  if (!spec.ask.empty()) write_answers(file, spec, result);
  if (spec.nets) write_nets(file, spec, result);
}

void read_modes(hid_t file, const GridSpec& spec, GridResult& result) {
  const Handle group = hdf5::open_group(file, "modes");
  const std::size_t modes = hdf5::array_shape(group, "names").front();
  const auto m = static_cast<std::size_t>(spec.family.base().problem.contacts());
  std::vector<std::uint8_t> contacts(modes * m);
  std::vector<std::uint64_t> counts(result.states.size() * modes);
  hdf5::read_array(group, "contacts", H5T_NATIVE_UINT8, {modes, m}, contacts.data());
  hdf5::read_array(group, "count", H5T_NATIVE_UINT64, {result.states.size(), modes}, counts.data());
  for (std::size_t mode = 0; mode < modes; ++mode) {
    Modes its;
    for (std::size_t i = 0; i < m; ++i) {
      its.push_back(static_cast<ContactMode>(contacts[mode * m + i]));
    }
    for (std::size_t state = 0; state < result.states.size(); ++state) {
      const std::uint64_t count = counts[state * modes + mode];
      if (count > 0) result.states[state].modes[its] = count;
    }
  }
}

void read_nets(hid_t file, const GridSpec& spec, GridResult& result) {
  const Handle group = hdf5::open_group(file, "nets");
  const std::size_t members = hdf5::array_shape(group, "index").front();
  std::vector<std::uint64_t> first(result.states.size() + 1);
  std::vector<std::uint64_t> index(members);
  std::vector<double> velocity(members * velocities(spec));
  hdf5::read_array(group, "first", H5T_NATIVE_UINT64, {first.size()}, first.data());
  hdf5::read_array(group, "index", H5T_NATIVE_UINT64, {members}, index.data());
  hdf5::read_array(group, "velocity", H5T_NATIVE_DOUBLE, {members, velocities(spec)},
                   velocity.data());
  if (first.back() != members || !std::is_sorted(first.begin(), first.end())) {
    throw hdf5::Error("/nets/first does not divide /nets");
  }
  for (std::size_t i = 0; i < result.states.size(); ++i) {
    const auto begin = static_cast<std::ptrdiff_t>(first[i]);
    const auto end = static_cast<std::ptrdiff_t>(first[i + 1]);
    const auto nv = static_cast<std::ptrdiff_t>(velocities(spec));
    result.states[i].net_index.assign(index.begin() + begin, index.begin() + end);
    result.states[i].net_velocity.assign(velocity.begin() + begin * nv,
                                         velocity.begin() + end * nv);
  }
}

GridResult read_hdf5(hid_t file, const GridSpec& spec) {
  GridResult result;
  const Handle group = hdf5::open_group(file, "states");
  result.states.resize(hdf5::array_shape(group, "checksum").front());
  if (result.states.size() > spec.family.size()) throw hdf5::Error("/states is too long");
  const std::vector<std::string> refusals = hdf5::read_strings(group, "refusal");
  const std::size_t statuses = hdf5::array_shape(group, "status_counts").back();
  if (statuses > status_count) throw hdf5::Error("/states/status_counts is too wide");
  std::vector<std::uint64_t> counts(result.states.size() * statuses);  // older files know fewer
  hdf5::read_array(group, "status_counts", H5T_NATIVE_UINT64, {result.states.size(), statuses},
                   counts.data());
  for (std::size_t i = 0; i < result.states.size(); ++i) {
    result.states[i].refusal = refusals.at(i);
    std::copy_n(counts.begin() + static_cast<std::ptrdiff_t>(i * statuses), statuses,
                result.states[i].status_counts.begin());
  }
  for_each_grid_column([&]<class T>(const char* name, T GridState::*member) {
    if (!hdf5::exists(group, name)) return;  // older files know fewer
    take_column<T>(group, name, result, [&](GridState& state, T value) { state.*member = value; });
  });
  read_modes(file, spec, result);
  for (auto& [member, notes] : read_member_notes(file)) {
    result.states.at(member).notes = std::move(notes);
  }
  if (!spec.ask.empty()) read_answers(file, spec, result);
  if (spec.nets) read_nets(file, spec, result);
  result.complete = result.states.size() == spec.family.size();
  return result;
}

}  // namespace

void write_grid(const fs::path& file, const GridSpec& spec, const GridResult& result) {
  const hdf5::Quiet quiet;
  PartFile part(file);
  const std::string reason = part.attempt([&] { write_hdf5(part, spec, result); });
  if (!reason.empty()) {
    throw RunError(fmt::format("cannot write {}: {}", file.string(), reason));
  }
  part.seal({{"format", sealed_formats::grid}});
  part.commit();
}

GridResult read_grid(const fs::path& path, const GridSpec& spec) {
  const hdf5::Quiet quiet;
  const std::string name = path.string();
  try {
    const SealedFile sealed(path, sealed_formats::grid);
    return sealed.read([&](hid_t file) {
      auto stored = nlohmann::ordered_json::parse(hdf5::read_string(file, "spec"));
      const bool is_old = hdf5::read_number<std::int32_t>(file, "grid_format_version") < 2;
      if (is_old) stored.at("family").erase("invalid");
      if (const std::string difference = first_difference(spec_json(spec), stored);
          !difference.empty()) {
        throw InputError(
            fmt::format("{} holds the grid of another specification: {}", name, difference));
      }
      GridResult result = read_hdf5(file, spec);
      if (is_old && !result.complete) {
        throw InputError(
            fmt::format("{} was begun by an earlier Carom, which kept no notes on states "
                        "(must be begun anew)",
                        name));
      }
      return result;
    });
  } catch (const hdf5::Error& error) {
    throw InputError(fmt::format("{} is damaged or cut short: {}", name, error.what()));
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{} is no readable grid file: {}", name, error.what()));
  } catch (const std::out_of_range& error) {
    throw InputError(fmt::format("{} is no readable grid file: {}", name, error.what()));
  }
}

}  // namespace carom
