#pragma once

#include <cstdint>

#include "kernels/signs/share_a_point.hpp"
#include "kernels/signs/solution_piece.hpp"
#include "kernels/step/solution_components.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// Collects the pieces of a step's solutions that its residual accepts.
template <class Size, int max_coordinates, int max_pieces>
class SolutionPieces {
 public:
  using Piece = SolutionPiece<max_coordinates>;
  using Components = SolutionComponents<Size, max_pieces>;

  CAROM_HOST_DEVICE SolutionPieces(const ContactStep<Size>& step,
                                   const BoxForm<max_coordinates>& box)
      : step_(step), box_(box), components_(step) {}

  /// Adds a piece if it is a solution; returns whether it is.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool add(const Piece& piece) {
    double impulse[2][Size::impulses];
    double speed[2][Size::impulses];
    double residual = 0.0;
    for (int end = 0; end < piece.ends; ++end) {
      box_.impulses_of(piece.x[end], impulse[end]);
      residual = larger(residual, step_.assess(impulse[end], speed[end]));
      if (!(residual <= residual_tolerance)) return false;
    }
    const int known = components_.pieces();
    has_room_ = has_room_ && (piece.ends == 1 ? components_.add(impulse[0], speed[0], residual)
                                              : components_.add(impulse[0], speed[0], impulse[1],
                                                                speed[1], residual));
    if (components_.pieces() == known) return true;
    dimensions_[known] = piece.dimensions;
    for (int c = 0; c < box_.coordinates(); ++c) sign_[known][c] = piece.sign[c];
    return true;
  }

  CAROM_HOST_DEVICE int pieces() const { return components_.pieces(); }
  /// Whether there are any, and there was room for all of them.
  CAROM_HOST_DEVICE bool has_all() const { return has_room_ && components_.pieces() > 0; }

  CAROM_HOST_DEVICE const Components& join() {
    components_.join([&](int p, int q) {
      return (dimensions_[p] > 1 || dimensions_[q] > 1) && share_a_point(box_, sign_[p], sign_[q]);
    });
    return components_;
  }

 private:
  const ContactStep<Size>& step_;
  const BoxForm<max_coordinates>& box_;
  Components components_;
  bool has_room_ = true;
  int dimensions_[max_pieces];
  std::uint8_t sign_[max_pieces][max_coordinates];
};

}  // namespace carom::inline CAROM_ISA
