#pragma once

#include <cstdint>
#include <vector>

#include "carom/caps_distribution.hpp"
#include "kernels/laws/set_valued/caps_view.hpp"

namespace carom {

/// Greatest dimension of Sobol' points. Their quality decreases with the dimension, and the later
/// steps of a long trajectory have little effect: those have uniform caps.
inline constexpr int max_sobol_dimensions = 1024;

/// The data from which kernels draw caps, with the arrays to which the view points.
struct CapsPlan {
  CapsView header;                   ///< all but the pointers
  std::vector<double> scale;         ///< components x m; empty without `weighted`
  std::vector<std::uint32_t> sobol;  ///< sobol_dimensions x 32; empty without `sobol`

  /// A view with pointers into this plan.
  CapsView view() const;
};

/// Sobol' directions are Joe & Kuo's (2008, the table of Boost.Random), for whole steps of m
/// dimensions each.
/// @throws InputError as validate(caps, contacts) does.
CapsPlan plan_caps(const CapsDistribution& caps, int contacts, int max_steps);

}  // namespace carom
