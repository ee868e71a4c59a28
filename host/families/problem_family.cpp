#include "carom/problem_family.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string_view>

#include "carom/error.hpp"
#include "host/families/family_state.hpp"
#include "host/laws/law_list.hpp"
#include "host/scenario/scenario_reader.hpp"
#include "kernels/random/philox.hpp"

namespace carom {
namespace {

/// A member's draw on one axis; the axis number replaces the step of the random numbers.
double draw(const FamilyAxis& axis, std::uint32_t seed, std::uint64_t member,
            std::uint32_t number) {
  double pair[2];
  constexpr std::uint32_t no_problem = 0;
  Philox(seed, no_problem, member).uniform_pair(number, Purpose::family, 0, pair);
  return std::min(std::fma(pair[0], axis.max - axis.min, axis.min), axis.max);  // rounding
}

/// A copy of the document that outlives it, with the contents of the files that [problem] names
/// instead of their names.
ScenarioDocument without_files(const ScenarioDocument& document) {
  toml::table root = document.root();
  toml::table* problem = root["problem"].as_table();
  if (problem == nullptr) return ScenarioDocument(std::move(root), document);
  const toml::table& stated = *document.table("problem");
  for (const char* key : {"friction", "pre_impact_velocity", "restitution"}) {
    const toml::node* node = stated.get(key);
    if (node == nullptr || !node->is_string()) continue;
    toml::array values;
    for (const double value : document.vector(key, *node)) values.push_back(value);
    problem->insert_or_assign(key, std::move(values));
  }
  for (const char* key : {"mass_matrix", "normal_jacobian", "tangent_jacobian"}) {
    const toml::node* node = stated.get(key);
    if (node == nullptr || !node->is_string()) continue;
    const Eigen::MatrixXd matrix = document.matrix(key, *node);
    toml::array rows;
    for (Eigen::Index row = 0; row < matrix.rows(); ++row) {
      toml::array values;
      for (const double value : matrix.row(row)) values.push_back(value);
      rows.push_back(std::move(values));
    }
    problem->insert_or_assign(key, std::move(rows));
  }
  return ScenarioDocument(std::move(root), document);
}

}  // namespace

ProblemFamily::State::State(const ScenarioDocument& its_document, std::vector<FamilyAxis> its_axes,
                            const FamilyOptions& its_options)
    : document(without_files(its_document)),
      base(read_document(its_document)),
      axes(std::move(its_axes)),
      options(its_options) {
  if (axes.empty()) throw InputError("a family has no axes (must have at least one)");
  bool sources_vary = false;  // of what a derived value is derived from
  for (std::size_t number = 0; number < axes.size(); ++number) {
    try {
      check_axis(axes[number]);
      add_paths(number);
    } catch (const InputError& error) {
      throw AxisError(number, error.what());
    }
  }
  for (const FamilyPath& path : paths) sources_vary |= path.table != "problem";
  check_overlaps();
  add_mirrors();
  toml::table root = document.root();
  bool derived = false;
  for (const FamilyPath& path : paths) derived |= state_derived(path, base, root);
  derive_anew = derived && sources_vary;
  if (derived && !derive_anew) document = ScenarioDocument(std::move(root), document);
  count_members();
  check_effects();
}

void ProblemFamily::State::check_axis(const FamilyAxis& axis) const {
  if (axis.paths.empty()) throw InputError("an axis has no path (must have at least one)");
  const std::string& name = axis.paths.front();
  if (axis.drawn()) {
    if (axis.paths.size() != 1) {
      throw InputError(fmt::format("axis \"{}\" is drawn and has {} paths (must have one)", name,
                                   axis.paths.size()));
    }
    if (!(axis.min < axis.max) || !std::isfinite(axis.max - axis.min)) {
      throw InputError(fmt::format("axis \"{}\": min is {}, max is {} (must be finite, min < max)",
                                   name, axis.min, axis.max));
    }
  }
  if (axis.values.size() % axis.paths.size() != 0) {
    throw InputError(fmt::format("axis \"{}\" has {} values (must be a multiple of its {} paths)",
                                 name, axis.values.size(), axis.paths.size()));
  }
  for (const double value : axis.values) {
    if (std::isfinite(value)) continue;
    throw InputError(fmt::format("axis \"{}\" has the value {} (must be finite)", name, value));
  }
}

void ProblemFamily::State::add_paths(std::size_t number) {
  for (std::string& text : axes[number].paths) {
    paths.push_back(resolve_family_path(text, document.root(), base));
    text = paths.back().text();
    names.push_back(text);
    axis_of.push_back(number);
  }
}

/// An axis of an off-diagonal entry of the mass matrix sets both entries, unless the other one has
/// an axis, too.
void ProblemFamily::State::add_mirrors() {
  mirrors.resize(paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const bool of_matrix = paths[i].table == "problem" && paths[i].key == "mass_matrix";
    if (!of_matrix || paths[i].index.size() != 2 || paths[i].index[0] == paths[i].index[1])
      continue;
    FamilyPath other = paths[i];
    std::swap(other.index[0], other.index[1]);
    if (std::ranges::find(names, other.text()) == names.end()) mirrors[i] = std::move(other);
  }
}

void ProblemFamily::State::set_value(std::size_t place, double value, toml::table& root) const {
  set_number(paths[place], value, root);
  if (mirrors[place]) set_number(*mirrors[place], value, root);
}

void ProblemFamily::State::check_overlaps() const {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (!seen.insert(names[i]).second) {
      throw AxisError(axis_of[i],
                      fmt::format("axis \"{}\" comes twice (must be given once)", names[i]));
    }
  }
  const bool stated = document.root()["problem"]["friction"].node() != nullptr;
  const auto is_source = [](const FamilyPath& path) {  // of the friction of contacts
    return path.table != "problem" && path.key == "friction";
  };
  const auto source = std::ranges::find_if(paths, is_source);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const FamilyPath& path = paths[i];
    if (path.table != "problem") continue;
    if (const std::string all = "problem." + path.key; !path.index.empty() && seen.contains(all)) {
      throw AxisError(axis_of[i], fmt::format("axes are {} and {} (must not set the same contact)",
                                              all, path.text()));
    }
    if (path.key != "friction") continue;
    if (source != paths.end()) {
      throw AxisError(axis_of[i], fmt::format("axes are {} and {} (must not set the same contact)",
                                              source->text(), path.text()));
    }
  }
  if (source != paths.end() && stated) {
    throw AxisError(
        axis_of[static_cast<std::size_t>(source - paths.begin())],
        fmt::format("axis is {} (must be problem.friction: the scenario states that, and it "
                    "replaces the {})",
                    source->text(), source->table == "parameters" ? "parameter" : "other"));
  }
  // One law serves all members: a number of its own would replace that of each member.
  Law law = base.sampling.law;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const FamilyPath& path = paths[i];
    if (path.table != "problem" && !is_source(path)) continue;
    const std::vector<Uncertain>* const own = replacement_of(law, path.key);
    if (own == nullptr || own->empty()) continue;
    throw AxisError(
        axis_of[i],
        fmt::format("axis is {} (must be left out: law {} has a {} of its own, the same for all "
                    "members, which replaces it)",
                    path.text(), law_name(law), path.key));
  }
}

void ProblemFamily::State::count_members() {
  constexpr std::uint64_t most = std::uint64_t{1} << 32;  // a problem id has 32 bits
  if (options.problems == 0) throw InputError("problems is 0 (must be at least 1)");
  const bool draws =
      std::any_of(axes.begin(), axes.end(), [](const FamilyAxis& axis) { return axis.drawn(); });
  if (options.problems > 1 && !draws) {
    throw InputError(fmt::format(
        "problems is {} (must be 1 where no axis is drawn: all would be equal)", options.problems));
  }
  size = options.problems;
  for (const FamilyAxis& axis : axes) {
    if (axis.drawn()) continue;
    if (size <= most) size *= std::min<std::uint64_t>(axis.rows(), most + 1);
  }
  if (size > most) {
    throw InputError(
        fmt::format("the axes give more than {0} members: problems times the points of the grid "
                    "(must be at most {0})",
                    most));
  }
}

void ProblemFamily::State::check_effects() const {
  Law law = base.sampling.law;
  const std::vector<Uncertain>* const own = replacement_of(law, "pre_impact_velocity");
  if (own == nullptr || own->empty()) return;
  const std::vector<double> first = values(0);
  std::size_t place = 0;
  for (const FamilyAxis& axis : axes) {
    const std::size_t columns = axis.paths.size();
    for (std::size_t column = 0; column < columns; ++column, ++place) {
      if (paths[place].table == "problem" || paths[place].table == "start") continue;
      std::vector<double> other = first;
      other[place] = axis.drawn() ? axis.max : axis.values[axis.values.size() - columns + column];
      if (other == first || !differ_only_in_velocity(first, other)) continue;
      throw AxisError(
          axis_of[place],
          fmt::format("axis is {} (must be left out: it changes nothing but the velocity, and law "
                      "{} has one of its own, the same for all members)",
                      names[place], law_name(law)));
    }
  }
}

bool ProblemFamily::State::differ_only_in_velocity(const std::vector<double>& one,
                                                   const std::vector<double>& other) const {
  try {
    const ImpactProblem a = scenario(one).problem;
    const ImpactProblem b = scenario(other).problem;
    return a.mass_matrix == b.mass_matrix && a.normal_jacobian == b.normal_jacobian &&
           a.tangent_jacobian == b.tangent_jacobian && a.friction == b.friction;
  } catch (const InputError&) {  // of the member, which is told or skipped
    return false;
  }
}

std::vector<double> ProblemFamily::State::values(std::uint64_t member) const {
  if (member >= size) {
    throw InputError(fmt::format("member is {} (must be below {})", member, size));
  }
  std::vector<double> all(names.size());
  std::uint64_t point = member / options.problems;
  std::size_t place = names.size();
  for (std::size_t number = axes.size(); number-- > 0;) {
    const FamilyAxis& axis = axes[number];
    place -= axis.paths.size();
    if (axis.drawn()) {
      all[place] = draw(axis, options.seed, member, static_cast<std::uint32_t>(number));
      continue;
    }
    const std::size_t row = point % axis.rows();
    point /= axis.rows();
    std::copy_n(&axis.values[row * axis.paths.size()], axis.paths.size(), &all[place]);
  }
  return all;
}

Scenario ProblemFamily::State::scenario(const std::vector<double>& values) const {
  toml::table root = document.root();
  if (derive_anew) {
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (paths[i].table != "problem") set_value(i, values[i], root);
    }
    const Scenario own = read_document(ScenarioDocument(root, document));
    if (!has_impact(own)) return own;
    for (const FamilyPath& path : paths) state_derived(path, own, root);
  }
  for (std::size_t i = 0; i < paths.size(); ++i) set_value(i, values[i], root);
  return read_document(ScenarioDocument(std::move(root), document));
}

ProblemFamily::ProblemFamily(std::shared_ptr<const State> state) : state_(std::move(state)) {}

ProblemFamily::ProblemFamily(const std::string& scenario, std::vector<FamilyAxis> axes,
                             const FamilyOptions& options, const std::filesystem::path& folder)
    : state_(std::make_shared<const State>(open_scenario(scenario, folder), std::move(axes),
                                           options)) {}

std::uint64_t ProblemFamily::size() const { return state_->size; }
const std::vector<FamilyAxis>& ProblemFamily::axes() const { return state_->axes; }
const std::vector<std::string>& ProblemFamily::names() const { return state_->names; }
const FamilyOptions& ProblemFamily::options() const { return state_->options; }
const Scenario& ProblemFamily::base() const { return state_->base; }

std::vector<std::uint64_t> ProblemFamily::grid() const {
  std::vector<std::uint64_t> extents;
  for (const FamilyAxis& axis : state_->axes) {
    if (!axis.drawn()) extents.push_back(axis.rows());
  }
  return extents;
}

std::vector<double> ProblemFamily::values(std::uint64_t member) const {
  return state_->values(member);
}

const std::string& ProblemFamily::source() const { return state_->document.name(); }

std::string ProblemFamily::description(std::uint64_t member) const {
  const std::vector<double> all = values(member);
  std::string text;
  for (std::size_t i = 0; i < all.size(); ++i) {
    text += fmt::format("{}{} = {}", i == 0 ? "" : ", ", names()[i], all[i]);
  }
  return fmt::format("member {} ({})", member, text);
}

Scenario ProblemFamily::scenario(std::uint64_t member) const {
  try {
    return state_->scenario(values(member));
  } catch (const InputError& error) {
    if (member >= size()) throw;
    throw InputError(fmt::format("{}: {}", description(member), error.what()));
  }
}

FamilyMember ProblemFamily::member(std::uint64_t member, bool impacts_only) const {
  if (member >= size()) values(member);  // throws
  FamilyMember result;
  // A file of members must not depend on where its specification lies.
  const auto without_source = [&](std::string text, std::size_t at) {
    if (std::string_view(text).substr(at).starts_with(source())) {
      const std::size_t end = text.find(": ", at + source().size());
      if (end != std::string::npos) text.erase(at, end + 2 - at);
    }
    return text;
  };
  try {
    result.scenario = scenario(member);
  } catch (const InputError& error) {
    result.refusal = without_source(error.what(), description(member).size() + 2);
    return result;
  }
  const ImpactProblem& problem = result.scenario->problem;
  if (impacts_only && !has_impact(*result.scenario)) {
    result.refusal =
        fmt::format("{}: {}", description(member), without_source(result.scenario->no_impact, 0));
    result.scenario.reset();
  } else if (impacts_only && !colliding(problem, problem.pre_impact_velocity,
                                        base().sampling.termination_tolerance)) {
    result.scenario.reset();
    result.refusal =
        fmt::format("{}: no contact approaches (must be an impact)", description(member));
  }
  return result;
}

}  // namespace carom
