#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/dataset.hpp"
#include "carom/roll.hpp"
#include "host/families/dataset/outcome_rows.hpp"
#include "host/families/member_notes.hpp"

namespace carom {

/// The contents of a shard's file, one vector per dataset, row-major.
struct ShardContent {
  struct {
    std::vector<std::uint64_t> member;
    std::vector<double> values;
    std::vector<double> mass_matrix, normal_jacobian, tangent_jacobian, friction, restitution;
    std::vector<double> pre_impact_velocity;
    std::vector<double> energy;          // before the impact, J
    std::vector<double> mode_tolerance;  // m/s
    std::vector<std::uint8_t> split;
    std::vector<std::uint8_t> other_contacts;  // 1: not those of the scenario itself
    std::vector<std::uint64_t> first_outcome;  // row of outcomes
    std::vector<std::uint32_t> outcome_count;
    std::vector<std::uint32_t> status_counts;  // x end_count()
    std::vector<std::uint64_t> net_members;    // of choice `net`
    std::vector<double> cover;                 // of choices `farthest` and `net`
  } problems;
  struct {
    std::vector<std::uint64_t> member;
    std::vector<std::string> reason;
  } skipped;
  NoteTable notes;       // but those that status_counts and net_members tell
  OutcomeRows outcomes;  // of rollouts, only their numbers
  Rollouts rollouts;     // that are whole, of all members
  std::vector<std::uint64_t> outcome_member;
  std::vector<std::uint8_t> outcome_modes;  // x m
  struct {
    std::vector<std::uint64_t> member;
    std::vector<std::uint8_t> law, terminated, unique;
    std::vector<std::string> order;
    std::vector<double> velocity, energy;
    std::vector<std::uint8_t> modes;  // x m
  } comparison;
};

/// Samples the members of a shard, or rolls them out. Besides the result, memory holds at most 4096
/// problems and the rows of 2^17 trajectories (of 1,024 rollouts, or those of one member); with
/// choice `farthest`, also all outcomes of the problems in those rows, or of one problem.
/// @return none if the observer, called with the number of finished members, returned false
std::optional<ShardContent> make_shard(const DatasetSpec& spec, std::uint64_t number,
                                       const std::function<bool(std::uint64_t members)>& observer);

}  // namespace carom
