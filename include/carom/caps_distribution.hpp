#pragma once

#include <string>
#include <vector>

#include "carom/selection.hpp"

namespace carom {

/// One part of a mixture.
struct CapsComponent {
  CapsKind kind = CapsKind::uniform;
  double weight = 1.0;  ///< share of the trajectories, relative to the other components' weights
  int power = 8;        ///< of `corners` and `early_corners`, 1 to 64
  std::vector<double> scale;  ///< of `weighted`: m factors in (0, 1]
};

/// A mixture; each trajectory is drawn from one of the components.
struct CapsDistribution {
  std::vector<CapsComponent> components{CapsComponent{}};

  /// Whether some component is of this kind.
  bool uses(CapsKind kind) const;
};

/// The text of a mixture in scenarios, flags and reports: `uniform`, `corners:8`, `weighted:1,0.2`,
/// `0.7*uniform + 0.3*corners:4`. parse_caps(to_text(d)) gives d.
std::string to_text(const CapsDistribution& caps);

/// Reads a mixture from its text. @throws InputError naming the component and the rule
CapsDistribution parse_caps(const std::string& text);

/// The caps of a problem with this number of contacts where none are stated (docs/choosing.md).
CapsDistribution default_caps(int contacts);

/// Checks weights, powers, and that `weighted` has one scale per contact.
/// @throws InputError naming the component and the rule
void validate(const CapsDistribution& caps, int contacts);

}  // namespace carom
