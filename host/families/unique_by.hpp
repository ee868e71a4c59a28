#pragma once

#include <string>
#include <utility>
#include <vector>

namespace carom {

/// A value of a parameter at which normals are orthogonal in the kinetic metric, so that impacts
/// at their contacts commute (Seghete & Murphey, Theorem 2 and Figure 7).
struct OrthogonalValue {
  double value = 0.0;
  std::vector<std::pair<int, int>> pairs;  ///< of contacts whose normals are orthogonal
  bool all = false;                        ///< all of them: one outcome in any order
};

struct UniqueBy {
  std::string path;                     ///< complete
  std::vector<OrthogonalValue> values;  ///< ascending
  std::vector<std::string> contact_names;
};

/// Looks for values of one number of a scenario between two others at which a pair of normals is
/// orthogonal: where the cosine of the pair changes its sign between two of 400 even parts. A
/// cosine that only touches zero is not found.
/// @param scenario a file, or the name of a built-in system
/// @param path as FamilyAxis has it
/// @throws InputError if the path is none, or the scenario breaks a rule for a value
UniqueBy unique_by(const std::string& scenario, const std::string& path, double least,
                   double greatest);

}  // namespace carom
