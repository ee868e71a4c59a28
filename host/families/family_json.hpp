#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/problem_family.hpp"

namespace carom {

/// Everything that the members of a family depend on, except their base scenario.
nlohmann::ordered_json family_json(const ProblemFamily& family);

/// The options without those on which no bit depends: of processors and launches.
SamplingOptions on_any_machine(SamplingOptions options);

/// The scenario line by line with these sampling options, without options on which results do not
/// depend. @param rolled with [roll] and [start]
nlohmann::ordered_json scenario_json(const Scenario& base, const SamplingOptions& sampling,
                                     bool rolled = false);

/// A checksum of a document: eight hexadecimal digits.
std::string json_id(const nlohmann::ordered_json& document);

/// The first place where two documents differ, "content.outcomes is 64 (was 32)"; empty if none.
std::string first_difference(const nlohmann::ordered_json& now, const nlohmann::ordered_json& then);

}  // namespace carom
