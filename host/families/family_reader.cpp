#include "host/families/family_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "host/families/family_state.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"
#include "host/scenario/matrix_file.hpp"
#include "host/scenario/scenario_keys.hpp"
#include "host/scenario/scenario_reader.hpp"

namespace carom {
namespace {

using Document = ScenarioDocument;

/// An axis, and its place in the document.
struct Stated {
  const toml::node* node;
  FamilyAxis axis;
};

/// Adds the line to an error about a part of an axis that another function reads.
template <class Function>
auto with_line(const Document& document, const toml::node& node, Function&& function) {
  try {
    return function();
  } catch (const InputError& error) {
    document.fail(node.source(), error.what());
  }
}

const toml::node& needed(const Document& document, const toml::table& table, const char* key,
                         const std::string& place) {
  const toml::node* node = table.get(key);
  if (node == nullptr) {
    document.fail(table.source(), fmt::format("{} is missing in {}", key, place));
  }
  return *node;
}

/// A column of a table of states: all columns of a file advance together.
struct Column {
  std::int64_t number;
  std::string path;
};

class AxesReader {
 public:
  explicit AxesReader(const Document& document) : document_(document) {}

  void read_axes(const std::string& prefix, const toml::table& table);
  void read_states(const toml::table& table);
  std::vector<FamilyAxis> axes();
  /// Where the document states an axis of axes().
  const toml::node& place_of(std::size_t axis) const { return *axes_[axis].node; }

 private:
  FamilyAxis values_axis(const std::string& path, const toml::table& table) const;
  void add_column(const std::string& path, const toml::table& table);
  FamilyAxis table_axis(const std::string& file, const std::vector<Column>& columns,
                        const toml::node& where) const;

  const Document& document_;
  std::vector<Stated> axes_;
  std::map<std::string, std::pair<const toml::node*, std::vector<Column>>> tables_;  // by file
};

bool has_tables(const toml::table& table) {
  return std::any_of(table.begin(), table.end(),
                     [](const auto& entry) { return entry.second.is_table(); });
}

void AxesReader::read_axes(const std::string& prefix, const toml::table& table) {
  for (const auto& [key, node] : table) {
    const std::string path = prefix + std::string(key.str());
    const toml::table* axis = node.as_table();
    if (axis == nullptr) {
      document_.fail_type(path, node, "a table such as {min = 0, max = 1}");
    }
    if (has_tables(*axis)) {
      read_axes(path + ".", *axis);  // parameters.friction without quotes
    } else if (axis->contains("file")) {
      add_column(path, *axis);
    } else {
      axes_.push_back({&node, values_axis(path, *axis)});
    }
  }
}

FamilyAxis AxesReader::values_axis(const std::string& path, const toml::table& table) const {
  const std::string place = "axis " + path;
  const auto number = [&](const char* key) {
    return document_.number(key, needed(document_, table, key, place));
  };
  if (const toml::node* values = table.get("values")) {
    document_.check_keys(table, place, {"values"});
    const Eigen::VectorXd list = document_.vector("values", *values);
    return with_line(document_, table, [&] { return list_axis(path, {list.begin(), list.end()}); });
  }
  document_.check_keys(table, place, {"min", "max", "count", "values", "file", "column"});
  const toml::node* count = table.get("count");
  const std::int64_t points = count == nullptr ? 0 : document_.integer("count", *count, 1);
  const double least = number("min");
  const double greatest = number("max");
  return with_line(document_, table, [&] {
    return count == nullptr ? drawn_axis(path, least, greatest)
                            : grid_axis(path, least, greatest, static_cast<std::uint64_t>(points));
  });
}

void AxesReader::add_column(const std::string& path, const toml::table& table) {
  const std::string place = "axis " + path;
  document_.check_keys(table, place, {"file", "column"});
  const std::string file = document_.text("file", *table.get("file"));
  const toml::node* column = table.get("column");
  auto& [first, columns] = tables_[file];
  if (first == nullptr || std::tie(table.source().begin.line, table.source().begin.column) <
                              std::tie(first->source().begin.line, first->source().begin.column)) {
    first = &table;
  }
  columns.push_back({column == nullptr ? 0 : document_.integer("column", *column, 0), path});
}

FamilyAxis AxesReader::table_axis(const std::string& file, const std::vector<Column>& columns,
                                  const toml::node& where) const {
  return with_line(document_, where, [&] {
    const auto width = static_cast<std::size_t>(
        read_matrix_file(file, document_.folder(), most_state_numbers).cols());
    std::vector<std::string> names(width);
    for (const Column& column : columns) {
      if (static_cast<std::size_t>(column.number) >= width) {
        throw InputError(fmt::format("axis {}: column is {} (must be below {}, the columns of {})",
                                     column.path, column.number, width, file));
      }
      std::string& name = names[static_cast<std::size_t>(column.number)];
      if (!name.empty()) {
        throw InputError(fmt::format("axis {}: column is {} (must not be that of {})", column.path,
                                     column.number, name));
      }
      name = column.path;
    }
    return states_axis(file, names, document_.folder());
  });
}

void AxesReader::read_states(const toml::table& table) {
  document_.check_keys(table, "[states]", {"file", "columns"});
  const std::string file = document_.text("file", needed(document_, table, "file", "[states]"));
  const std::vector<std::string> columns =
      document_.texts("columns", needed(document_, table, "columns", "[states]"));
  axes_.push_back({&table, with_line(document_, table, [&] {
                     return states_axis(file, columns, document_.folder());
                   })});
}

std::vector<FamilyAxis> AxesReader::axes() {
  for (const auto& [file, columns] : tables_) {
    axes_.push_back({columns.first, table_axis(file, columns.second, *columns.first)});
  }
  tables_.clear();
  // TOML tables have no order: the axes have the order of the text.
  std::sort(axes_.begin(), axes_.end(), [](const Stated& one, const Stated& other) {
    const toml::source_position& a = one.node->source().begin;
    const toml::source_position& b = other.node->source().begin;
    return std::tie(a.line, a.column) < std::tie(b.line, b.column);
  });
  std::vector<FamilyAxis> result;
  for (Stated& stated : axes_) result.push_back(std::move(stated.axis));
  return result;
}

/// Removes the options of the scenario's law that the document replaces: those that the document
/// states in [law] or [sampling], or all of them if it names another law.
void replace_law_options(const Document& document, toml::table& scenario) {
  const auto law_of = [](const toml::table& root) {
    const std::string plain = law_name(Law{});
    return root["law"]["name"].value_or(plain);
  };
  const bool another =
      document.root()["law"]["name"] && law_of(document.root()) != law_of(scenario);
  for (const std::string& option : law_option_names()) {
    if (!another && !document.root()["law"][option] && !document.root()["sampling"][option]) {
      continue;
    }
    for (const char* name : {"law", "sampling"}) {
      if (toml::table* table = scenario[name].as_table()) table->erase(option);
    }
  }
}

/// The scenario with the keys of the document's [law], [sampling] and [roll] instead of the
/// scenario's own keys.
Document with_sampling(const Document& scenario, const std::string& name,
                       const Document& document) {
  toml::table root = scenario.root();
  if (const toml::table* sampling = document.table("sampling")) {
    Scenario probe;
    read_sampling(document, probe);  // checks types and names with the document's lines
    for_each_option(
        [&](const OptionInfo& info, const auto&) {
          const toml::node* node = sampling->get(info.name);
          if (node == nullptr) return;
          document.fail(node->source(),
                        fmt::format("{} is for the rows of carom sample (must not be stated for a "
                                    "family of problems)",
                                    info.name));
        },
        probe.storage);
  }
  std::optional<RollOptions> roll;
  read_roll(document, roll);  // checks types and names
  replace_law_options(document, root);
  for (const char* place : {"law", "sampling", "roll"}) {
    const toml::table* stated = document.table(place);
    if (stated == nullptr) continue;
    root.emplace<toml::table>(place);
    toml::table& target = *root[place].as_table();
    for (const auto& [key, node] : *stated) target.insert_or_assign(key.str(), node);
  }
  return {std::move(root), scenario, fmt::format("{}: scenario {}", document.name(), name),
          &document};
}

}  // namespace

const std::vector<std::string>& family_keys() {
  static const std::vector<std::string> names = {"scenario", "problems", "invalid", "axes",
                                                 "states",   "law",      "sampling"};
  return names;
}

ProblemFamily read_problem_family(const Document& document) {
  const toml::node* stated = document.root().get("scenario");
  if (stated == nullptr) {
    document.fail({}, "scenario is missing (must be a file, or the name of a system)");
  }
  const toml::node& name_node = *stated;
  const std::string name = document.text("scenario", name_node);
  const Document scenario =
      with_line(document, name_node, [&] { return open_scenario(name, document.folder()); });
  const Document base = with_sampling(scenario, name, document);
  AxesReader reader(document);
  if (const toml::table* axes = document.table("axes")) reader.read_axes("", *axes);
  if (const toml::table* states = document.table("states")) reader.read_states(*states);

  FamilyOptions options;
  options.seed = read_document(base).sampling.seed;
  if (const toml::node* invalid = document.root().get("invalid")) {
    options.invalid = document.choice("invalid", *invalid, {"error", "skip"}) == 0
                          ? InvalidMembers::error
                          : InvalidMembers::skip;
  }
  std::vector<FamilyAxis> axes = reader.axes();
  if (axes.empty()) {
    const toml::node* empty = document.root().get("axes");
    if (empty == nullptr) {
      document.fail({}, "axes or states is missing (must give at least one axis)");
    }
    document.fail(empty->source(), "[axes] is empty (must have at least one axis)");
  }
  if (const toml::node* problems = document.root().get("problems")) {
    options.problems = static_cast<std::uint64_t>(document.integer("problems", *problems, 1));
  } else if (std::any_of(axes.begin(), axes.end(), [](const auto& a) { return a.drawn(); })) {
    document.fail(
        {},
        "problems is missing (axes without count or values are drawn: problems says how many "
        "members a data set draws; a grid's axes must have count or values)");
  }
  try {
    return ProblemFamily::State::family(base, std::move(axes), options);
  } catch (const AxisError& error) {
    document.fail(reader.place_of(error.axis()).source(), error.what());
  } catch (const InputError& error) {
    document.fail({}, error.what());
  }
}

ProblemFamily read_problem_family(const std::filesystem::path& file) {
  const Document document = open_document(file);
  document.check_keys(document.root(), "", family_keys());
  return read_problem_family(document);
}

}  // namespace carom
