#pragma once

#include <optional>
#include <string>
#include <vector>

#include "carom/scenario.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Reads [sampling] over the defaults in `scenario`.
void read_sampling(const ScenarioDocument& document, Scenario& scenario);

/// Reads [evidence] over the defaults in `options`.
void read_evidence(const ScenarioDocument& document, EvidenceOptions& options);

/// Reads [explore], if there is one.
void read_explore(const ScenarioDocument& document, std::optional<ExploreOptions>& options);
void read_roll(const ScenarioDocument& document, std::optional<RollOptions>& options);
/// @param system whose contacts give way, if there is one: then position and velocity may be arrays
void read_start(const ScenarioDocument& document, const CompliantSystem* system,
                std::optional<RollOptions>& options);

/// Checks, of what is known to move, the names of coordinates in [start] and in `ask`. Times of
/// questions are not checked, since a command may change the duration.
void check_names_in_time(const ScenarioDocument& document, const Scenario& scenario);

/// Reads [bound], if there is one.
void read_bound(const ScenarioDocument& document, std::optional<BoundOptions>& options);

/// Reads [outputs].
void read_outputs(const ScenarioDocument& document, const ImpactProblem& problem, Outputs& outputs);

/// Refuses keys of `table` (called "[problem]", ... or "" for the top) other than `known`, naming
/// the nearest known key, or the table to which a key of that name belongs.
void check_keys(const ScenarioDocument& document, const toml::table& table,
                const std::string& place, const std::vector<std::string>& known);

/// Keys outside any table, and keys of [problem].
const std::vector<std::string>& top_keys();
const std::vector<std::string>& problem_keys();

}  // namespace carom
