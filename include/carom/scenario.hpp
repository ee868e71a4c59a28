#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "carom/compliant.hpp"
#include "carom/evidence_options.hpp"
#include "carom/explore.hpp"
#include "carom/impact_problem.hpp"
#include "carom/mujoco.hpp"
#include "carom/note.hpp"
#include "carom/rigid_world.hpp"
#include "carom/roll_options.hpp"
#include "carom/sampling_options.hpp"
#include "carom/stage_observer.hpp"

namespace carom {

/// What a result file keeps of the trajectories.
struct StorageOptions {
  /// Rows stored under /samples: the first `samples` trajectories; default all.
  std::uint64_t samples = UINT64_MAX;
  /// Rows per file in FILE.rows, where each process writes the rows that it sampled; 0: all rows
  /// are in FILE itself.
  std::uint64_t shard_rows = 0;
  /// The first `paths` trajectories have the velocities of all their steps stored under /paths.
  std::uint64_t paths = 256;
};

/// A scenario file: a problem and how to sample it.
struct Scenario {
  /// For titles: as stated, else the scenario file's name without .toml; "" where there is neither.
  std::string name;
  std::string system;  ///< "rocking_block", ..., "matrices", "mujoco", "planar", "spatial", ...
  std::map<std::string, double> parameters;  ///< of a built-in system, complete with defaults
  std::optional<MujocoOptions> mujoco;       ///< of system "mujoco": the source of `problem`
  ImpactProblem problem;                     ///< validated; nothing without an impact
  SamplingOptions sampling;                  ///< as stated; call validate() after a change
  StorageOptions storage;                    ///< of a result file
  EvidenceOptions evidence;                  ///< validated
  std::optional<ExploreOptions> explore;     ///< stated if the set is explored, not sampled
  std::optional<RigidWorld> world;           ///< of which `problem` is the first impact
  /// Why the motion of the world or model has no impact; "" if it has one. Then of `problem` only
  /// restitution may be stated, one number.
  std::string no_impact;
  std::optional<CompliantSystem> compliant;  ///< contacts give way: it has a motion only
  std::optional<RollOptions> roll;           ///< stated if the world is moved in time
  double window = RollOptions{}.window;      ///< that of `roll` when `problem` was read, m
};

/// The world of a scenario, with its restitution.
/// @throws InputError if the scenario has none, or its problem was changed but for one restitution
RigidWorld world_of(const Scenario& scenario);

/// The sampling options of impacts in time: those of the scenario, without h and N that a system
/// brings along for its own impact, and with the selection of solutions that is usual in time.
SamplingOptions sampling_in_time(const Scenario& scenario);

/// The restitution of all contacts of a scenario in time; nothing where the law has none, or
/// contacts give way.
/// @throws InputError if it differs between contacts
std::optional<double> restitution_in_time(const Scenario& scenario);

/// The options of a scenario's motion: its own, or the defaults, resolved().
/// @throws InputError if the scenario has no motion, or an option breaks a rule
RollOptions roll_options_in_time(const Scenario& scenario);

/// What titles call a scenario: its name, else its MuJoCo model or its system.
std::string title(const Scenario& scenario);

/// Reads a scenario and the matrix files that it names (.npy or .h5 beside it).
/// @throws InputError "file:line: key ... (rule)"; unknown keys name the nearest known one.
Scenario read_scenario(const std::filesystem::path& file);

/// Reads a scenario from text; `folder` is where relative matrix files are looked up, `name` is the
/// file's name in messages.
/// @throws InputError as read_scenario
Scenario parse_scenario(const std::string& text, const std::string& name = "scenario",
                        const std::filesystem::path& folder = {});

/// Reads a scenario file or, if there is no such file, the built-in system of that name. @throws
/// InputError as read_scenario, or if there is neither, or if it has no impact
Scenario load_scenario(const std::string& file_or_system);

/// The same, of any scenario: also of one that has a motion only.
Scenario load_motion(const std::string& file_or_system);

/// Whether a scenario has a problem: its contacts are rigid, and its motion has an impact.
bool has_impact(const Scenario& scenario);

/// @throws InputError if a scenario has no impact
void require_impact(const Scenario& scenario);

/// The scenario of system "matrices" for a problem, as if read from a file that states only the
/// problem.
/// @throws InputError if the problem breaks a rule
Scenario matrices_scenario(ImpactProblem problem);

/// Gives each option that is left to Carom its value (resolved()): what then runs, and is written,
/// repeats the run bit by bit.
/// @param pilots is told of the pilot runs that choose max_steps and epsilon
/// @throws RunError if it stops them
/// @throws InputError if a stated option breaks a rule
void resolve(Scenario& scenario, const StageObserver& pilots = {});

/// Refuses outputs with the name of another quantity, and lets a scenario that asks questions
/// prove a bound if its law has one. @throws InputError
void settle_outputs(Scenario& scenario);

/// Canonical TOML of a scenario, complete with every default and the matrices inline, 17 digits:
/// parse_scenario() returns the same scenario, and so the same run; it does not read a MuJoCo model
/// again.
std::string to_toml(const Scenario& scenario);

/// What is known before a run: the velocity is separated already, h is far above the impulse that
/// stops the impact, the friction cone is not pointed, epsilon or the termination tolerance does
/// not fit the problem.
std::vector<Note> notes(const ImpactProblem& problem, const SamplingOptions& options);

/// One parameter of a built-in system.
struct SystemParameter {
  std::string name;
  double value;      ///< default: the paper's
  std::string unit;  ///< "" for a pure number
  std::string description;
  enum class Rule { any, positive, not_negative } rule = Rule::any;
};

/// A built-in parametric impact problem.
struct System {
  std::string name;
  std::string description;
  std::vector<SystemParameter> parameters;
  SamplingOptions sampling;  ///< the paper's, of the impact with the default parameters
  ImpactProblem (*build)(const std::map<std::string, double>& parameters);
  /// The system in time, from before its impact; null: only the impact is known.
  PlanarWorld (*world)(const std::map<std::string, double>& parameters) = nullptr;
};

/// The built-in systems: Halm & Posa's (Tables 4-8, in their order), then Seghete & Murphey's.
const std::vector<System>& systems();

}  // namespace carom
