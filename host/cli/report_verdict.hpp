#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/propagative.hpp"

namespace carom::cli {

/// A line on what the propagative law guarantees.
std::string verdict_text(const PropagativeVerdict& verdict);

/// {`kind`, `pointed`, `separating_velocity`, `inner_products`, `stages`, `bounds`}
nlohmann::ordered_json verdict_json(const PropagativeVerdict& verdict);

}  // namespace carom::cli
