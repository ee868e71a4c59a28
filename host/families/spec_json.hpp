#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/dataset.hpp"
#include "carom/grid.hpp"
#include "host/families/family_json.hpp"

namespace carom {

/// Everything that the bits of a grid or a data set depend on, the version of Carom included.
nlohmann::ordered_json spec_json(const GridSpec& spec);
nlohmann::ordered_json spec_json(const DatasetSpec& spec);

/// A checksum of the document: eight hexadecimal digits.
template <class Spec>
std::string spec_id(const Spec& spec) {
  return json_id(spec_json(spec));
}

}  // namespace carom
