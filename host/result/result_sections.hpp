#pragma once

#include "carom/post_impact_set.hpp"
#include "carom/scenario.hpp"
#include "host/files/hdf5_tools.hpp"

/// Parts of a result file that are written and read as a whole.
namespace carom::sections {

/// Makes /problem.
void write_problem(hid_t file, const ImpactProblem& problem);
/// Fills /summary, which exists.
void write_summary(hid_t file, const Summary& summary, const ImpactProblem& problem);
/// Writes attributes of /summary, which exists.
void write_table(hid_t file, const TableInfo& table);
void write_audit(hid_t file, const std::optional<SolutionAudit>& audit);
/// Root attributes that are known at the end of a run, and those of /net.
void write_outcome(hid_t file, const PostImpactSet& set, Norm norm);

TableInfo read_table(hid_t file);
std::optional<SolutionAudit> read_audit(hid_t file);
/// @throws hdf5::Error if it does not fit the scenario.
Summary read_summary(hid_t file, const Scenario& scenario);
/// @throws hdf5::Error if it does not fit the scenario.
EpsilonNet read_net(hid_t file, const Scenario& scenario, std::uint64_t trajectories);

}  // namespace carom::sections
