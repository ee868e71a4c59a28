#pragma once

#include <vector>

#include "carom/extremes.hpp"

namespace carom {

/// The ends of outputs among some outcomes and among others; either list may be empty.
std::vector<OutputEnds> joined_ends(std::vector<OutputEnds> ends,
                                    const std::vector<OutputEnds>& others);

}  // namespace carom
