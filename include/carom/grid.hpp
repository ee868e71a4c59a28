#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "carom/outcome_modes.hpp"
#include "carom/problem_family.hpp"
#include "carom/status.hpp"

namespace carom {

/// Post-impact sets over a grid of states or parameters: a family without draws, whose members are
/// the grid's states, the last axis fastest.
struct GridSpec : FamilySpec {
  bool nets = false;  ///< keep every state's epsilon-net
};

/// Checks options, and that nothing is drawn. @throws InputError naming the key and the rule.
void validate(const GridSpec& spec);

/// Reads a specification (docs/grid.md). @throws InputError "file:line: ..."
GridSpec read_grid_spec(const std::filesystem::path& file);

/// The post-impact set of one state.
struct GridState {
  std::string refusal = {};  ///< why there is no set: the rule that the state breaks; else empty
  bool colliding = false;    ///< some contact approaches; else the velocity stays as it is
  std::array<std::uint64_t, status_count> status_counts = {};  ///< trajectories by Status
  std::uint64_t checksum = 0;                                  ///< of the rows of its trajectories
  double energy_before = 0.0;                                  ///< kinetic, J
  double energy_mean = 0.0;                                    ///< of outcomes, J; 0 without any
  double energy_least = 0.0;                                   ///< of outcomes, J
  double energy_greatest = 0.0;                                ///< of outcomes, J
  std::map<std::vector<ContactMode>, std::uint64_t> modes = {};  ///< outcomes by mode
  std::uint64_t net_size = 0;                                    ///< members of the net
  /// Greatest distance of two members of the net, in units of the norm: that of two outcomes is at
  /// most 2 epsilon more. It measures how far the outcome is undetermined.
  double diameter = 0.0;
  std::vector<std::uint64_t> net_index = {};  ///< net_size; empty unless nets are kept
  std::vector<double> net_velocity = {};      ///< net_size x nv

  /// Whether the state has a set.
  bool valid() const { return refusal.empty(); }
  /// Trajectories that ended in an outcome.
  std::uint64_t outcomes() const { return status_counts[0]; }
};

/// Calls visit(name, member of GridState) for each number of a state: the columns of /states in a
/// grid file and of Python's arrays.
template <class Visit>
void for_each_grid_column(const Visit& visit) {
  visit("checksum", &GridState::checksum);
  visit("net_size", &GridState::net_size);
  visit("diameter", &GridState::diameter);
  visit("energy_before", &GridState::energy_before);
  visit("energy_mean", &GridState::energy_mean);
  visit("energy_least", &GridState::energy_least);
  visit("energy_greatest", &GridState::energy_greatest);
}

/// What is known of a grid.
struct GridResult {
  std::vector<GridState> states = {};  ///< members 0, 1, ...
  bool complete = false;               ///< all of them
};

/// States that are sampled together: what an interrupted run loses at most.
inline constexpr std::uint64_t grid_block = 64;

/// Told what is known, after every block and now and then within one; false stops.
using GridObserver = std::function<bool(const GridResult& so_far)>;

/// Samples all states. @throws InputError as validate(), or if a member breaks a rule and none may
/// be skipped; RunError
GridResult sample_grid(const GridSpec& spec, const GridObserver& observer = {});
/// Samples the states that `result` does not hold yet; after an error, `result` holds what was done
/// before. @throws as sample_grid()
void continue_grid(const GridSpec& spec, GridResult& result, const GridObserver& observer = {});

/// Writes a grid file (docs/grid.md), which takes its place whole.
/// @throws InputError if it cannot be put there; RunError if the disk is full
void write_grid(const std::filesystem::path& file, const GridSpec& spec, const GridResult& result);

/// What a grid file holds. @throws InputError if it is none, or the grid of another specification
GridResult read_grid(const std::filesystem::path& file, const GridSpec& spec);

}  // namespace carom
