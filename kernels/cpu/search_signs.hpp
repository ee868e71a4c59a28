#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/signs/found_piece.hpp"

namespace carom::inline CAROM_ISA {

/// Finds all solutions of a step by SignSearch. If it is given up and the step `tries_lines`,
/// SignLines goes on, and may find a piece again.
/// @param most_nodes the search ends, incomplete, at this number
SearchCounts search_signs(const SearchedStep& step, int most_nodes, FoundPieces& found);

}  // namespace carom::inline CAROM_ISA
