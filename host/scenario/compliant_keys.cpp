#include "host/scenario/compliant_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>

#include "carom/scenario.hpp"
#include "host/roll/biped_numbers.hpp"
#include "host/scenario/scenario_keys.hpp"

namespace carom {
namespace {

using Node = toml::node;

/// Reads [problem], each key by its own function.
class ProblemTable {
 public:
  ProblemTable(const ScenarioDocument& document, const toml::table& table)
      : document_(document), table_(table) {}

  void vector(const char* key, Eigen::VectorXd& to, bool is_required = true) {
    take(key, is_required, [&](const Node& node) { to = document_.vector(key, node); });
  }
  /// One number for all, or `count` of them.
  void vector(const char* key, Eigen::VectorXd& to, Eigen::Index count, bool is_required) {
    take(key, is_required, [&](const Node& node) {
      to = node.is_number() ? Eigen::VectorXd::Constant(count, document_.number(key, node))
                            : document_.vector(key, node);
    });
  }
  void matrix(const char* key, Eigen::MatrixXd& to, bool is_required = true) {
    take(key, is_required, [&](const Node& node) { to = document_.matrix(key, node); });
  }
  void number(const char* key, double& to) {
    take(key, false, [&](const Node& node) { to = document_.number(key, node); });
  }
  void texts(const char* key, std::vector<std::string>& to) {
    take(key, false, [&](const Node& node) { to = document_.texts(key, node); });
  }
  void take(const char* key, bool is_required, const std::function<void(const Node&)>& read) {
    known_.emplace_back(key);
    const Node* const node = table_.get(key);
    if (node != nullptr) return read(*node);
    if (is_required) {
      document_.fail(table_.source(), fmt::format("{} is missing in [problem]", key));
    }
  }

  /// Refuses keys that nothing has read.
  void check() const { check_keys(document_, table_, "[problem]", known_); }

 private:
  const ScenarioDocument& document_;
  const toml::table& table_;
  std::vector<std::string> known_;
};

Springs read_springs(ProblemTable& table) {
  Springs springs;
  table.matrix("mass_matrix", springs.mass_matrix);
  table.vector("force", springs.force);
  table.matrix("normal_jacobian", springs.normal_jacobian);
  const Eigen::Index m = springs.normal_jacobian.rows();
  table.vector("gap_offset", springs.gap_offset, m, true);
  table.vector("contact_stiffness", springs.contact_stiffness, m, true);
  table.vector("contact_damping", springs.contact_damping, m, false);
  table.vector("contact_preload", springs.contact_preload, m, false);
  table.matrix("stiffness", springs.stiffness, false);
  table.matrix("damping", springs.damping, false);
  return springs;
}

SpringPlate read_plate(ProblemTable& table) {
  SpringPlate plate;
  table.vector("positions", plate.positions);
  table.number("height", plate.height);
  table.number("mass", plate.mass);
  table.number("inertia", plate.inertia);
  table.number("stiffness", plate.stiffness);
  table.number("damping", plate.damping);
  table.number("gravity", plate.gravity);
  table.number("steepest", plate.steepest);
  return plate;
}

SpringBiped read_biped(ProblemTable& table) {
  SpringBiped biped;
  for_each_biped_number([&](const char* name, NumberRule, double& to) { table.number(name, to); },
                        biped);
  return biped;
}

/// [[problem.mode]], in any order.
PiecewiseAffine read_affine(const ScenarioDocument& document, ProblemTable& table) {
  PiecewiseAffine affine;
  table.matrix("guards", affine.guards);
  table.vector("guard_offset", affine.guard_offset, affine.guards.rows(), false);
  if (affine.guard_offset.size() == 0) {
    affine.guard_offset = Eigen::VectorXd::Zero(affine.guards.rows());
  }
  table.take("mode", true, [&](const Node& node) {
    if (!node.is_array_of_tables()) {
      document.fail(node.source(), "mode is no array of tables (must be [[problem.mode]])");
    }
    std::map<std::size_t, std::pair<Eigen::MatrixXd, Eigen::VectorXd>> modes;
    for (const Node& entry : *node.as_array()) {
      const toml::table& mode = *entry.as_table();
      check_keys(document, mode, "[[problem.mode]]", {"bits", "matrix", "vector"});
      for (const char* key : {"bits", "matrix", "vector"}) {
        if (mode.get(key) == nullptr) {
          document.fail(mode.source(), fmt::format("{} is missing in [[problem.mode]]", key));
        }
      }
      const Node& bits = *mode.get("bits");
      const std::string text = document.text("bits", bits);
      std::size_t number = 0;
      for (std::size_t k = 0; k < text.size(); ++k) {
        number |= text[k] == '1' ? std::size_t{1} << k : 0;
      }
      const auto is_bit = [](char c) { return c == '0' || c == '1'; };
      if (static_cast<Eigen::Index>(text.size()) != affine.guards.rows() ||
          !std::ranges::all_of(text, is_bit) || modes.contains(number)) {
        document.fail(bits.source(),
                      fmt::format("bits is \"{}\" (must be a 0 or 1 for each guard, and different "
                                  "in each mode)",
                                  text));
      }
      modes[number] = {document.matrix("matrix", *mode.get("matrix")),
                       document.vector("vector", *mode.get("vector"))};
    }
    for (auto& [number, mode] : modes) {
      affine.matrices.push_back(std::move(mode.first));
      affine.vectors.push_back(std::move(mode.second));
    }
  });
  return affine;
}

}  // namespace

bool is_compliant(const std::string& system) {
  return std::ranges::find(compliant_systems, system) != std::end(compliant_systems);
}

CompliantSystem read_compliant(const ScenarioDocument& document, const std::string& system) {
  const toml::table* const problem = document.table("problem");
  const toml::table nothing;
  if (problem == nullptr && system != "biped") {
    document.fail({}, fmt::format("[problem] is missing (system \"{}\" needs it)", system));
  }
  ProblemTable table(document, problem == nullptr ? nothing : *problem);
  CompliantSystem read;
  if (system == "springs") {
    read.motion = read_springs(table);
  } else if (system == "plate") {
    read.motion = read_plate(table);
  } else if (system == "biped") {
    read.motion = read_biped(table);
  } else {
    read.motion = read_affine(document, table);
  }
  table.texts("coordinate_names", read.coordinates);
  table.texts("contact_names", read.contacts);
  table.vector("lowest", read.lowest, false);
  table.vector("highest", read.highest, false);
  table.check();
  return validated(std::move(read));
}

}  // namespace carom
