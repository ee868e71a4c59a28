#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/dataset.hpp"
#include "host/scenario/family_json.hpp"

namespace carom {

/// Everything that the bits of a data set depend on, the version of Carom included.
nlohmann::ordered_json spec_json(const DatasetSpec& spec);

/// A checksum of that: eight hexadecimal digits.
std::string spec_id(const DatasetSpec& spec);

}  // namespace carom
