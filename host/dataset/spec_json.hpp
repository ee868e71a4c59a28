#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/dataset.hpp"

namespace carom {

/// Everything that the bits of a data set depend on, the version of Carom included.
nlohmann::ordered_json spec_json(const DatasetSpec& spec);

/// A checksum of that: eight hexadecimal digits.
std::string spec_id(const DatasetSpec& spec);

/// The first place where two of them differ, "content.outcomes is 64 (was 32)"; empty if none.
std::string first_difference(const nlohmann::ordered_json& now, const nlohmann::ordered_json& then);

}  // namespace carom
