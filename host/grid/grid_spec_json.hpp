#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/grid.hpp"

namespace carom {

/// Everything that the bits of a grid depend on, the version of Carom included.
nlohmann::ordered_json spec_json(const GridSpec& spec);

/// A checksum of that: eight hexadecimal digits.
std::string spec_id(const GridSpec& spec);

}  // namespace carom
