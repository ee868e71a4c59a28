#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// Linear functions of the velocity in which a set is wanted: directions of interest, a task space.
struct Outputs {
  Eigen::MatrixXd matrix = {};          ///< p x nv: row · velocity is an output
  std::vector<std::string> names = {};  ///< p, each once

  /// p, the number of outputs.
  std::size_t size() const { return names.size(); }
};

/// Adds an output with the last row.
void add_output(const Eigen::VectorXd& row, const std::string& name, Outputs& outputs);

/// A contact's axis in names of quantities: "normal", "tangential", in space "tangential 1" and
/// "tangential 2".
/// @param axis 0: normal, 1 ... tangent_dimension: tangential
std::string axis_name(int tangent_dimension, int axis);

/// Adds the output that a text states: a contact's name and an axis ("heel tangential" or
/// "tangential heel"; normal, tangential and, in space, tangential2), in m/s, or nv numbers ("1, 0,
/// -0.5"). The text is its name.
/// @param place what messages call the text
/// @throws InputError naming place and rule
void add_direction(const ImpactProblem& problem, const std::string& text, const std::string& place,
                   Outputs& outputs);

/// Refuses a name that is a contact's speed, "A normal", of another row: reports would have two
/// quantities of one name. @throws InputError
void require_own_names(const Outputs& outputs, const ImpactProblem& problem);

/// Checks shape, entries and names. @throws InputError
/// naming the field and the rule
void validate(const Outputs& outputs, const ImpactProblem& problem);

}  // namespace carom
