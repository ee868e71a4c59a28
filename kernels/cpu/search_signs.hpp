#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/signs/found_piece.hpp"

namespace carom::inline CAROM_ISA {

/// Finds all solutions of a step by SignSearch. Where lines go on, pieces may be found twice.
/// @param most_nodes the search ends, incomplete, at this number
SearchCounts search_signs(const SearchedStep& step, int most_nodes, FoundPieces& found);

}  // namespace carom::inline CAROM_ISA
