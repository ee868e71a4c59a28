#pragma once

#include <algorithm>
#include <exception>

#include "kernels/cpu/run_items.hpp"
#include "kernels/signs/solution_piece.hpp"

namespace carom {

/// Calls found(piece) with all solutions of a step, by the search for this processor; it returns
/// whether it accepts the piece.
/// @param box the step in box form
/// @param most_nodes the search ends, incomplete, at this number
template <int most, class Found>
SearchCounts search_pieces(const BoxForm<most>& box, const SearchedStep& step, int most_nodes,
                           const Found& found) {
  class Pieces final : public FoundPieces {
   public:
    Pieces(int coordinates, const Found& found) : coordinates_(coordinates), found_(found) {}
    bool add(const FoundPiece& its) noexcept override {
      if (error_) return false;
      piece_.ends = its.ends;
      piece_.dimensions = its.dimensions;
      piece_.orientation = its.orientation;
      std::copy_n(its.sign, coordinates_, piece_.sign);
      for (int end = 0; end < its.ends; ++end) {
        std::copy_n(its.x[end], coordinates_, piece_.x[end]);
        std::copy_n(its.speed[end], coordinates_, piece_.speed[end]);
      }
      try {
        return found_(static_cast<const SolutionPiece<most>&>(piece_));
      } catch (...) {
        error_ = std::current_exception();
      }
      return false;
    }
    void rethrow() const {
      if (error_) std::rethrow_exception(error_);
    }

   private:
    int coordinates_;
    const Found& found_;
    SolutionPiece<most> piece_{};
    std::exception_ptr error_;
  };
  Pieces pieces(box.coordinates(), found);
  const SearchCounts counts = item_runner().search(step, most_nodes, pieces);
  pieces.rethrow();
  return counts;
}

}  // namespace carom
