#pragma once

#include <cmath>

#include "kernels/step/contact_step.hpp"

namespace carom::inline CAROM_ISA {

/// The solutions of a step in pieces: points, and continua whose solutions lie between two ends.
/// Pieces that touch are one component, and components are what counts as distinct solutions: a
/// continuum comes in as many pieces as it has contact modes or patterns of signs, and its ends are
/// pieces of their own.
template <class Size, int MaxPieces>
class SolutionComponents {
 public:
  /// Speeds that differ by less than the step's merge distance are equal.
  template <class Step>
  CAROM_HOST_DEVICE explicit SolutionComponents(const Step& step)
      : impulses_(step.impulses()), distance_(step.merge_distance()) {}

  /// Adds a point: impulses and contact speeds after them, m (1 + d) each. Of points that are
  /// equal, the first is kept or, where its residual is more than rounding, the one with the least.
  /// False if there is no room.
  CAROM_HOST_DEVICE bool add(const double* impulse, const double* speed, double residual) {
    for (int p = 0; p < pieces_; ++p) {
      Piece& known = piece_[p];
      if (known.is_continuum || !(difference(speed, known.end[0].speed) <= distance_)) continue;
      if (known.residual > refinement_threshold && residual < known.residual) {
        known.residual = residual;
        set_end(known.end[0], impulse, speed);
      }
      return true;
    }
    if (pieces_ == MaxPieces) return false;
    piece_[pieces_].is_continuum = false;
    piece_[pieces_].residual = residual;
    set_end(piece_[pieces_++].end[0], impulse, speed);
    return true;
  }

  /// Adds a continuum by its ends, whose residuals are `residual` at most.
  CAROM_HOST_DEVICE bool add(const double* impulse, const double* speed,
                             const double* other_impulse, const double* other_speed,
                             double residual) {
    if (difference(speed, other_speed) <= distance_) return add(impulse, speed, residual);
    if (pieces_ == MaxPieces) return false;
    piece_[pieces_].is_continuum = true;
    set_end(piece_[pieces_].end[0], impulse, speed);
    set_end(piece_[pieces_++].end[1], other_impulse, other_speed);
    return true;
  }

  /// Numbers the components, in the order of their first pieces. Pieces touch if ends are equal, or
  /// if touch(p, q) says so.
  template <class Touch>
  CAROM_HOST_DEVICE void join(Touch&& touch) {
    for (int p = 0; p < pieces_; ++p) piece_[p].component = p;
    for (int p = 0; p < pieces_; ++p) {
      for (int q = 0; q < p; ++q) {
        if (piece_[p].component == piece_[q].component) continue;
        if (share_an_end(piece_[p], piece_[q]) || touch(p, q)) {
          rename(piece_[p].component, piece_[q].component);
        }
      }
    }
    for (int p = 0; p < pieces_; ++p) {
      // Pieces of components without a number have larger ones: their places, or later ones.
      if (piece_[p].component >= components_) rename(piece_[p].component, components_++);
    }
  }

  CAROM_HOST_DEVICE int pieces() const { return pieces_; }
  CAROM_HOST_DEVICE int components() const { return components_; }
  CAROM_HOST_DEVICE int component(int piece) const { return piece_[piece].component; }
  CAROM_HOST_DEVICE bool is_continuum(int piece) const { return piece_[piece].is_continuum; }
  CAROM_HOST_DEVICE bool has_continuum() const {
    for (int p = 0; p < pieces_; ++p) {
      if (piece_[p].is_continuum) return true;
    }
    return false;
  }

  /// Impulses of a solution of a component: of a point, its own; of a continuum, those at `part`
  /// (from 0 to 1) of the way along its pieces, measured in contact speeds.
  CAROM_HOST_DEVICE void place(int component, double part, double* impulse) const {
    double left = 0.0;
    for (int p = 0; p < pieces_; ++p) {
      if (piece_[p].component == component) left = std::fma(part, length(piece_[p]), left);
    }
    const Piece* chosen = nullptr;
    for (int p = 0; p < pieces_; ++p) {
      const Piece& piece = piece_[p];
      // The points of a continuum have no length.
      const bool follows = chosen != nullptr && chosen->is_continuum;
      if (piece.component != component || (follows && !piece.is_continuum)) continue;
      if (follows) {
        if (left <= length(*chosen)) break;
        left -= length(*chosen);
      }
      chosen = &piece;
    }
    const double weight = chosen->is_continuum ? smaller(left / length(*chosen), 1.0) : 0.0;
    const End& other = chosen->end[chosen->is_continuum ? 1 : 0];
    for (int i = 0; i < impulses_; ++i) {
      impulse[i] = weight == 0.0 ? chosen->end[0].impulse[i]
                                 : std::fma(weight, other.impulse[i],
                                            (1.0 - weight) * chosen->end[0].impulse[i]);
    }
  }

 private:
  struct End {
    double impulse[Size::impulses];
    double speed[Size::impulses];
  };
  struct Piece {
    bool is_continuum;
    int component;
    double residual;  ///< of a point
    End end[2];
  };

  CAROM_HOST_DEVICE void set_end(End& end, const double* impulse, const double* speed) const {
    for (int i = 0; i < impulses_; ++i) {
      end.impulse[i] = impulse[i];
      end.speed[i] = speed[i];
    }
  }

  CAROM_HOST_DEVICE double difference(const double* one, const double* other) const {
    double most = 0.0;
    for (int i = 0; i < impulses_; ++i) most = larger(most, std::fabs(one[i] - other[i]));
    return most;
  }

  CAROM_HOST_DEVICE double length(const Piece& piece) const {
    return piece.is_continuum ? difference(piece.end[0].speed, piece.end[1].speed) : 0.0;
  }

  CAROM_HOST_DEVICE bool share_an_end(const Piece& one, const Piece& other) const {
    for (int i = 0; i <= (one.is_continuum ? 1 : 0); ++i) {
      for (int j = 0; j <= (other.is_continuum ? 1 : 0); ++j) {
        if (difference(one.end[i].speed, other.end[j].speed) <= distance_) return true;
      }
    }
    return false;
  }

  CAROM_HOST_DEVICE void rename(int from, int to) {
    for (int p = 0; p < pieces_; ++p) {
      if (piece_[p].component == from) piece_[p].component = to;
    }
  }

  int impulses_;
  double distance_;
  int pieces_ = 0;
  int components_ = 0;
  Piece piece_[MaxPieces];
};

}  // namespace carom::inline CAROM_ISA
