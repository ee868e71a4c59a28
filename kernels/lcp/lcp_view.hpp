#pragma once

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Tolerances of the pivoting. All are relative, so that scaling the problem has no effect.
struct LemkeTolerances {
  /// An update that cancels more than this share of a tableau entry leaves rounding noise, and the
  /// entry is set to zero. Some dozen pivots lose 2^-48 of an entry in double precision.
  double cancellation = 0x1p-43;
  /// A column's entry below this share of its largest one is noise, too small to pivot on.
  double pivot_floor = 1e-11;
  /// Ratios that differ by less than this share are a tie, decided lexicographically. A wrong tie
  /// costs this much accuracy: more than a step's residual_tolerance would fail its check, as of
  /// every second block that comes to rest. A tie split by noise leads to a ray (measured: with
  /// redundant contacts, 1e-11 gives twice the rays of 1e-9).
  double tie = 1e-9;
  /// Lexicographic pivoting cannot cycle, but noise can. Step LCPs take about n pivots and rarely 3
  /// n; regular runs are longer only with friction far above 1 (measured: up to 20 n).
  int pivots_per_row = 6;
};

enum class LemkeOutcome : unsigned char { solved, ray, pivot_limit };

/// A linear complementarity problem y = matrix z + constant, y >= 0, z >= 0, y'z = 0, of which the
/// first `bounded` unknowns may have upper bounds: there 0 <= z <= bound, with y >= 0 where z = 0,
/// y <= 0 where z = bound, and y = 0 between. It is restricted to the unknowns `index`: the others
/// are held at z = 0 and their rows are left out.
///
/// An upper bound represents a pair of unknowns of a problem without bounds, [bound - z; its
/// multiplier], with its own covering entry; the method takes the same path as on that larger
/// problem.
struct LcpView {
  int size = 0;                        ///< number of unknowns in use
  const short* index = nullptr;        ///< unknowns in use, ascending; null: 0, ..., size - 1
  int stride = 0;                      ///< column stride of the matrix
  const double* matrix = nullptr;      ///< column by column
  const double* matrix_low = nullptr;  ///< rounding remainder of the matrix; null: zero
  const double* constant = nullptr;    ///< of a method without inputs
  const double* cover = nullptr;       ///< covering vector, > 0
  int bounded = 0;                ///< number of unknowns in use with an upper bound: the first ones
  const double* bound = nullptr;  ///< > 0; of a method without inputs
  const double* bound_cover = nullptr;  ///< > 0
  int inputs = 0;
  const double* input = nullptr;      ///< inputs; the first ones are the bounds, > 0
  const double* input_map = nullptr;  ///< constant = input_map input, column by column
};

}  // namespace carom::inline CAROM_ISA
