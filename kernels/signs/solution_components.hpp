#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/signs/solution_piece.hpp"

namespace carom::inline CAROM_ISA {

/// The pieces of a step's solutions, and which of them touch. Signs cut a continuum into pieces,
/// and its ends and edges are pieces of their own: what counts as one solution is a component,
/// pieces that are connected.
template <int MaxCoordinates, int MaxPieces>
class SolutionComponents {
 public:
  using Box = BoxForm<MaxCoordinates>;
  using Piece = SolutionPiece<MaxCoordinates>;

  /// @param distance contact speeds that differ by less are equal, m/s
  CAROM_HOST_DEVICE SolutionComponents(const Box& box, double distance)
      : box_(box), distance_(distance) {}

  /// False if there is no room.
  CAROM_HOST_DEVICE bool add(const Piece& piece) {
    if (pieces_ == MaxPieces) return false;
    piece_[pieces_] = piece;
    component_[pieces_] = pieces_;
    ++pieces_;
    return true;
  }

  /// Numbers the components, in the order of their first pieces.
  CAROM_HOST_DEVICE void join() {
    for (int p = 1; p < pieces_; ++p) {
      for (int q = 0; q < p; ++q) {
        if (component_[p] != component_[q] && touch(piece_[p], piece_[q])) {
          rename(component_[p], component_[q]);
        }
      }
    }
    for (int p = 0; p < pieces_; ++p) {
      if (component_[p] >= components_) rename(component_[p], components_++);
    }
  }

  CAROM_HOST_DEVICE int components() const { return components_; }
  CAROM_HOST_DEVICE int pieces() const { return pieces_; }
  CAROM_HOST_DEVICE const Piece& piece(int p) const { return piece_[p]; }
  CAROM_HOST_DEVICE int component(int p) const { return component_[p]; }

  /// Whether any component is a continuum.
  CAROM_HOST_DEVICE bool has_continuum() const {
    for (int p = 0; p < pieces_; ++p) {
      if (length(p) > distance_) return true;
    }
    return false;
  }

  /// A solution of a component, as x: of a point, the point; of a continuum, the one at `part`
  /// (from 0 to 1) of the way along its pieces, measured in contact speeds. Solutions of the same
  /// signs are convex.
  CAROM_HOST_DEVICE void place(int component, double part, double* x) const {
    double whole = 0.0;
    for (int p = 0; p < pieces_; ++p) {
      if (component_[p] == component) whole += length(p);
    }
    double left = part * whole;
    int chosen = -1;
    for (int p = 0; p < pieces_; ++p) {
      if (component_[p] != component) continue;
      if (chosen >= 0 && !(length(p) > 0.0)) continue;  // points of a continuum have no weight
      if (chosen >= 0 && length(chosen) > 0.0 && left <= length(chosen)) break;
      if (chosen >= 0) left -= length(chosen);
      chosen = p;
    }
    const Piece& piece = piece_[chosen];
    const double size = length(chosen);
    const double weight = size > 0.0 ? smaller(left / size, 1.0) : 0.0;
    for (int c = 0; c < box_.coordinates(); ++c) {
      x[c] = piece.ends == 1 ? piece.x[0][c]
                             : std::fma(weight, piece.x[1][c], (1.0 - weight) * piece.x[0][c]);
    }
  }

 private:
  CAROM_HOST_DEVICE double difference(const double* one, const double* other) const {
    double most = 0.0;
    for (int c = 0; c < box_.coordinates(); ++c) {
      most = larger(most, std::fabs(one[c] - other[c]));
    }
    return most;
  }

  CAROM_HOST_DEVICE double length(int p) const {
    return piece_[p].ends == 1 ? 0.0 : difference(piece_[p].speed[0], piece_[p].speed[1]);
  }

  CAROM_HOST_DEVICE void rename(int from, int to) {
    for (int p = 0; p < pieces_; ++p) {
      if (component_[p] == from) component_[p] = to;
    }
  }

  /// Points and segments touch at their ends: where signs differ, a strict inequality of one of
  /// them becomes an equality, and so what they share is a face of both. Of a larger continuum, the
  /// ends are only two of its points.
  CAROM_HOST_DEVICE bool touch(const Piece& one, const Piece& other) const {
    for (int i = 0; i < one.ends; ++i) {
      for (int j = 0; j < other.ends; ++j) {
        if (difference(one.speed[i], other.speed[j]) <= distance_) return true;
      }
    }
    return (one.dimensions > 1 || other.dimensions > 1) && share_a_point(one, other);
  }

  /// Whether a solution belongs to the closures of both pieces.
  CAROM_HOST_DEVICE bool share_a_point(const Piece& one, const Piece& other) const {
    SignTableau<MaxCoordinates> tableau;
    tableau.start(box_);
    for (int c = 0; c < box_.coordinates(); ++c) {
      const unsigned signs = one.sign[c] | other.sign[c];
      const bool normal = box_.is_normal(c);
      const auto fix = [&](int variable, double value) { tableau.bound(variable, value, value); };
      // The largest x of a normal and the least of a friction belong to different signs.
      if ((signs & plus) != 0) fix(normal ? tableau.impulse(c) : tableau.rest(c), 0.0);
      if ((signs & minus) != 0) {
        const int variable = tableau.impulse(c);
        if (normal && (signs & plus) != 0) return false;
        fix(variable, normal ? tableau.upper(variable) : 0.0);
      }
      const bool idle = one.sign[c] == no_sign && other.sign[c] == no_sign;
      if (!idle) {
        tableau.bound(tableau.speed(c), signs == minus ? -INFINITY : 0.0,
                      signs == plus ? INFINITY : 0.0);
      }
    }
    int exchanges = 0;
    return tableau.repair(box_.tolerances.feasible, exchanges) != Repair::infeasible;
  }

  const Box& box_;
  double distance_;
  int pieces_ = 0;
  int components_ = 0;
  Piece piece_[MaxPieces];
  int component_[MaxPieces];
};

}  // namespace carom::inline CAROM_ISA
