#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "carom/impact_problem.hpp"

namespace carom {

/// A question about outcomes: can an output, or its absolute value, be greater than a value?
struct Question {
  std::string text;        ///< "B tangential > 0.1"
  std::size_t output = 0;  ///< of Outputs
  bool absolute = false;   ///< of questions with `greater` only
  bool greater = true;     ///< or less
  double value = 0.0;
};

/// Linear functions of the velocity in which a set is wanted: directions of interest, a task space.
struct Outputs {
  Eigen::MatrixXd matrix = {};           ///< p x nv: row · velocity is an output
  std::vector<std::string> names = {};   ///< p, each once
  std::vector<Question> questions = {};  ///< what is asked about them

  /// p, the number of outputs.
  std::size_t size() const { return names.size(); }
};

/// Adds an output with the last row. @throws InputError if others have another number of columns
void add_output(const Eigen::VectorXd& row, const std::string& name, Outputs& outputs);

/// A contact's axis in names of quantities: "normal", "tangential", in space "tangential 1" and
/// "tangential 2".
/// @param axis 0: normal, 1 ... tangent_dimension: tangential
std::string axis_name(int tangent_dimension, int axis);

/// Adds the output that a text states: a contact's name and an axis ("heel tangential" or
/// "tangential heel"; normal, tangential and, in space, tangential2), in m/s, or nv numbers ("1, 0,
/// -0.5"). The text is its name, but for "torso = 1, 0, -0.5".
/// @param place what messages call the text
/// @throws InputError naming place and rule
void add_direction(const ImpactProblem& problem, const std::string& text, const std::string& place,
                   Outputs& outputs);

/// Adds a question, such as "|left heel tangential| > 0.1 m/s", about an output, which is added if
/// it is a direction that is none yet. Units are m/s, rad/s or deg/s, or none.
/// @throws InputError naming the question and the rule it breaks
void add_question(const ImpactProblem& problem, const std::string& text, Outputs& outputs);

/// Refuses a name that is a contact's speed, "A normal", of another row: reports would have two
/// quantities of one name. @throws InputError
void require_own_names(const Outputs& outputs, const ImpactProblem& problem);

/// Checks shape, entries and names. @throws InputError
/// naming the field and the rule
void validate(const Outputs& outputs, const ImpactProblem& problem);

}  // namespace carom
