#pragma once

#include <string>
#include <vector>

#include "carom/problem_family.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// Reads families out of documents that may have more keys than theirs.
class ProblemFamilyReader {
 public:
  /// Keys of a document's root that belong to a family.
  static const std::vector<std::string>& keys();
  /// Reads `scenario` (relative to the document's folder), `problems`, `invalid`, [axes], [states],
  /// and [sampling], whose keys replace the scenario's. Its seed is that of the draws, too.
  static ProblemFamily read(const ScenarioDocument& document);
};

}  // namespace carom
