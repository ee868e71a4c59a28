#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "carom/propagative.hpp"

namespace carom::cli {

/// A line on what the propagative law guarantees.
std::string verdict_text(const PropagativeVerdict& verdict);

/// A matrix as an array of its rows.
template <class Matrix>
nlohmann::ordered_json rows_json(const Matrix& matrix) {
  auto rows = nlohmann::ordered_json::array();
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    auto row = nlohmann::ordered_json::array();
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) row.push_back(matrix(i, j));
    rows.push_back(std::move(row));
  }
  return rows;
}

/// {`kind`, `pointed`, `separating_velocity`, `inner_products`, `stages`, `bounds`}
nlohmann::ordered_json verdict_json(const PropagativeVerdict& verdict);

}  // namespace carom::cli
