#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "carom/note.hpp"
#include "carom/sampling_options.hpp"
#include "carom/scenario.hpp"
#include "carom/stage_observer.hpp"

namespace carom {

/// What varies over a family: one place of a scenario, or several that vary together.
///
/// A path names a number in the scenario's TOML: `parameters.leg_angle_deg`,
/// `problem.pre_impact_velocity[1]`, `problem.friction` (all contacts), `problem.friction[0]`,
/// `mujoco.qvel[3]`, `body.box.velocity[0]` of the [[body]] of that name. The table may be left out
/// where that is unambiguous: `leg_angle_deg`.
struct FamilyAxis {
  std::vector<std::string> paths;  ///< one path, or one per column of a table of states
  std::vector<double> values;      ///< rows x paths, row-major; empty: drawn from [min, max]
  double min = 0.0;                ///< of a drawn axis
  double max = 0.0;

  /// Whether the values are drawn.
  bool drawn() const { return values.empty(); }
  /// Number of values of each path.
  std::size_t rows() const { return paths.empty() ? 0 : values.size() / paths.size(); }
};

/// Values drawn uniformly from [min, max], independently for every member.
FamilyAxis drawn_axis(const std::string& path, double min, double max);
/// `count` evenly spaced values from min to max, both included; only min if count is 1.
FamilyAxis grid_axis(const std::string& path, double min, double max, std::uint64_t count);
/// These values, in their order.
FamilyAxis list_axis(const std::string& path, std::vector<double> values);
/// Columns of a table whose rows are members: "states.npy" or "states.h5:/dataset",
/// two-dimensional.
/// @param columns a path per column; "" leaves a column out
/// @throws InputError naming the file
FamilyAxis states_axis(const std::string& file, const std::vector<std::string>& columns,
                       const std::filesystem::path& folder = {});

/// How to treat a member that breaks a rule of its scenario, or where no contact approaches.
enum class InvalidMembers { error, skip };

/// Options of a family.
struct FamilyOptions {
  std::uint64_t problems = 1;  ///< members per point of the grid, each with its own draws
  std::uint32_t seed = 1;      ///< of the draws
  InvalidMembers invalid = InvalidMembers::error;
};

/// A member's scenario, or why the member has none.
struct FamilyMember {
  std::optional<Scenario> scenario;
  std::string refusal;  ///< names the member, its values and the rule; empty beside a scenario
};

/// Scenarios that differ in the values of some axes. Axes with values span a grid, the last
/// fastest; each of its points has options.problems members. A member is a pure function of its
/// index. All functions are safe to call from many threads.
class ProblemFamily {
 public:
  /// @param scenario a file, or the name of a built-in system
  /// @param folder where a relative name is looked up if the working folder has no such file
  /// @throws InputError naming the axis and the rule it breaks
  ProblemFamily(const std::string& scenario, std::vector<FamilyAxis> axes,
                const FamilyOptions& options = {}, const std::filesystem::path& folder = {});

  /// Members: product of the grid's extents, times options.problems; at most 2^32.
  std::uint64_t size() const;
  /// Axes with complete paths, in the order given.
  const std::vector<FamilyAxis>& axes() const;
  /// Complete paths of all values, axis by axis.
  const std::vector<std::string>& names() const;
  /// Rows of each axis with values, in the order given.
  std::vector<std::uint64_t> grid() const;
  const FamilyOptions& options() const;
  /// The scenario that the axes change, unchanged. All members have its sampling options.
  const Scenario& base() const;

  /// The name of the text that has the scenario, as in errors; no refusal of a member has it.
  const std::string& source() const;
  /// Values of one member, one per name.
  std::vector<double> values(std::uint64_t member) const;
  /// `member 17 (leg_angle_deg = 80.5, friction = 1)`.
  std::string description(std::uint64_t member) const;
  /// @throws InputError naming the member, its values and the rule it breaks
  Scenario scenario(std::uint64_t member) const;
  /// The scenario of a member, or the reason why it has none.
  /// @param impacts_only also refuses a member where no contact approaches
  FamilyMember member(std::uint64_t member, bool impacts_only = true) const;

  struct State;  ///< opaque; Carom's own code defines it

 private:
  explicit ProblemFamily(std::shared_ptr<const State> state);
  std::shared_ptr<const State> state_;
};

/// The note, how many members have it and which is the first, as reports tell it.
std::string family_note_text(const FamilyNote& note, const ProblemFamily& family);

/// A family, and how to sample each of its members.
struct FamilySpec {
  ProblemFamily family;
  /// Options for every member; trajectories = M. Member i has the problem id problem_id + i, so
  /// `carom sample --problem-id` gives the same bits for one member alone.
  SamplingOptions sampling;
};

/// Gives each sampling option that is left to Carom its value, one for all members (resolved()),
/// but for h, of which each has its own; pilots sample at most 16 members, spread over the family.
/// @param pilots is told of the pilot runs
/// @throws InputError if a stated option breaks a rule, RunError if `pilots` stops them
void resolve(FamilySpec& spec, const StageObserver& pilots = {});

/// Reads a family from a TOML file with the keys `scenario`, `problems`, `seed`, `invalid`, and the
/// tables [axes] and [states] (docs/datasets.md).
/// @throws InputError "file:line: ..."
ProblemFamily read_problem_family(const std::filesystem::path& file);

}  // namespace carom
