#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "carom/note.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/problem_family.hpp"
#include "carom/questions.hpp"
#include "carom/status.hpp"

namespace carom {

/// Post-impact sets over a grid of states or parameters: a family without draws, whose members are
/// the grid's states, the last axis fastest.
struct GridSpec : FamilySpec {
  bool nets = false;                  ///< store the epsilon-net of every state
  std::vector<std::string> ask = {};  ///< what is asked about every state, see add_question()
};

/// Checks the options, and that no axis is drawn. @throws InputError naming the key and the rule.
void validate(const GridSpec& spec);

/// Reads a specification (docs/grid.md) and gives it to resolve(). @throws InputError "file:line:
/// ..."
GridSpec read_grid_spec(const std::filesystem::path& file, const StageObserver& pilots = {});

/// The post-impact set of one state.
struct GridState {
  std::string refusal = {};    ///< why the state has no set: the rule that it breaks; else empty
  std::uint8_t colliding = 0;  ///< 1: some contact approaches; else the velocity stays unchanged
  std::uint8_t other_contacts = 0;  ///< 1: its contacts are not those of the scenario itself
  std::array<std::uint64_t, status_count> status_counts = {};  ///< trajectories by Status
  std::uint64_t checksum = 0;                                  ///< of the rows of its trajectories
  double energy_before = 0.0;                                  ///< kinetic, J
  double energy_mean = 0.0;      ///< of outcomes, J; 0 without outcomes
  double energy_least = 0.0;     ///< of outcomes, J
  double energy_greatest = 0.0;  ///< of outcomes, J
  std::map<std::vector<ContactMode>, std::uint64_t> modes = {};  ///< outcomes by mode
  std::uint64_t net_size = 0;                                    ///< members of the net
  /// Greatest distance of two members of the net, in units of the norm; two of the sampled outcomes
  /// are at most 2 epsilon farther apart. The set's own diameter is larger: its ends are rare.
  double net_diameter = 0.0;
  std::vector<std::uint64_t> net_index = {};  ///< net_size; empty unless nets are stored
  std::vector<double> net_velocity = {};      ///< net_size x nv
  /// To the questions of the grid; empty without a set. Where trajectories do not answer all of
  /// them, a proof is tried, and then a search. A question that cannot be asked of the state, such
  /// as one about a contact that does not touch, is open, with nothing found.
  std::vector<Answer> answers = {};
  std::vector<Note> notes = {};  ///< but those that status_counts tells

  /// Whether the state has a set.
  bool valid() const { return refusal.empty(); }
  /// Trajectories that ended in an outcome.
  std::uint64_t outcomes() const { return status_counts[0]; }
};

/// Calls visit(name, pointer to member of GridState) for each number of a state. These are the
/// columns of /states in a grid file and of Python's arrays.
template <class Visit>
void for_each_grid_column(const Visit& visit) {
  visit("colliding", &GridState::colliding);
  visit("other_contacts", &GridState::other_contacts);
  visit("checksum", &GridState::checksum);
  visit("net_size", &GridState::net_size);
  visit("net_diameter", &GridState::net_diameter);
  visit("energy_before", &GridState::energy_before);
  visit("energy_mean", &GridState::energy_mean);
  visit("energy_least", &GridState::energy_least);
  visit("energy_greatest", &GridState::energy_greatest);
}

/// The states sampled so far.
struct GridResult {
  std::vector<GridState> states = {};  ///< members 0, 1, ...
  bool complete = false;               ///< whether all states are there
};

/// Notes on the states' sets.
std::vector<FamilyNote> notes(const GridSpec& spec, const GridResult& result);

/// States that are computed together, of a grid without and with questions; an interrupted run
/// loses at most this many.
inline constexpr std::uint64_t grid_block = 64;
inline constexpr std::uint64_t asked_grid_block = 16;  // each can take seconds

/// Called after every block and from time to time within one; returning false stops the run.
using GridObserver = std::function<bool(const GridResult& so_far)>;

/// Samples all states. @throws InputError as validate(), or if a member breaks a rule and the spec
/// does not allow skipping; RunError if the device fails
GridResult sample_grid(const GridSpec& spec, const GridObserver& observer = {});
/// Samples the states that `result` does not hold yet; states finished before an error stay in
/// `result`. @throws as sample_grid()
void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer = {});

/// Writes a grid file (docs/grid.md) and puts it in place as a whole.
/// @throws InputError if the file cannot be put there; RunError if the disk is full
void write_grid(const std::filesystem::path& file, const GridSpec& spec, const GridResult& result);

/// Reads a grid file. @throws InputError if the file is no grid, or the grid of another
/// specification
GridResult read_grid(const std::filesystem::path& file, const GridSpec& spec);

}  // namespace carom
