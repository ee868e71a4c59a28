#pragma once

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom::test {

/// The greatest difference of two entries.
inline double farthest(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

inline Eigen::MatrixXd matrix_of(const nlohmann::json& rows) {
  Eigen::MatrixXd matrix(static_cast<Eigen::Index>(rows.size()),
                         static_cast<Eigen::Index>(rows.at(0).size()));
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) {
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
      matrix(i, j) = rows.at(static_cast<std::size_t>(i)).at(static_cast<std::size_t>(j));
    }
  }
  return matrix;
}

inline Eigen::VectorXd vector_of(const nlohmann::json& array) {
  Eigen::VectorXd vector(static_cast<Eigen::Index>(array.size()));
  for (Eigen::Index i = 0; i < vector.size(); ++i)
    vector(i) = array.at(static_cast<std::size_t>(i));
  return vector;
}

inline nlohmann::json read_json(const std::string& relative) {
  std::ifstream file(std::string(CAROM_TEST_DATA) + "/" + relative);
  return nlohmann::json::parse(file);
}

/// The problem in a file of tests/data/systems or tests/data/all_solutions.
inline ImpactProblem problem_of(const nlohmann::json& data) {
  ImpactProblem problem;
  problem.mass_matrix = matrix_of(data.at("M"));
  problem.normal_jacobian = matrix_of(data.at("Jn"));
  problem.tangent_jacobian = matrix_of(data.at("Jt"));
  problem.friction = vector_of(data.at("mu"));
  problem.pre_impact_velocity = vector_of(data.at("v0"));
  problem.contact_names = data.value("contact_names", std::vector<std::string>{});
  problem.friction_directions = data.value("friction_directions", problem.friction_directions);
  return problem;
}

/// A system of tests/data/systems, as an independent implementation built it.
inline ImpactProblem reference_problem(const std::string& name) {
  return problem_of(read_json("systems/" + name + ".json"));
}

/// A system of tests/data/all_solutions, four contacts in space and more.
inline ImpactProblem spatial_problem(const std::string& name) {
  return problem_of(read_json("all_solutions/" + name + ".json"));
}

}  // namespace carom::test
