#pragma once

#include <cmath>

#include "kernels/base/least_norm.hpp"
#include "kernels/laws/sequential/contact_alone.hpp"
#include "kernels/modes/contact_states.hpp"

namespace carom::inline CAROM_ISA {

/// Writes the impulse (1 + d) of a contact alone as a map (1 + d square, row-major) of its speeds
/// before the step, for unknowns of one of its states. A state whose equations are dependent gets
/// its solution of least norm: where the velocity varies along a state's solutions, their ends are
/// those of other states.
CAROM_OUT_OF_LINE CAROM_HOST_DEVICE inline void write_map(const ContactView& contact,
                                                          const ContactUnknowns& unknowns,
                                                          double* map) {
  constexpr int most = ContactUnknowns::most;
  const int width = contact.shape.impulses();
  const int count = unknowns.count;
  // Speeds after the step per unknown. Rows and columns get like sizes: with friction 1e5, they
  // differ by this factor.
  LeastNorm<most> system(count);
  double column_scale[most];
  double row_scale[most];
  for (int c = 0; c < count; ++c) {
    double square = 0.0;
    for (int b = 0; b < width; ++b) {
      square = std::fma(unknowns.impulse[c][b], unknowns.impulse[c][b], square);
    }
    column_scale[c] = 1.0 / std::sqrt(square);
    for (int r = 0; r < count; ++r) {
      double sum = 0.0;
      for (int a = 0; a < width; ++a) {
        for (int b = 0; b < width; ++b) {
          sum = std::fma(unknowns.equation[r][a] * unknowns.impulse[c][b],
                         contact.delassus()[a * width + b], sum);
        }
      }
      system.column(c)[r] = sum * column_scale[c];
    }
  }
  for (int r = 0; r < count; ++r) {
    double largest = 0.0;
    for (int c = 0; c < count; ++c) largest = larger(largest, std::fabs(system.column(c)[r]));
    row_scale[r] = largest > 0.0 ? 1.0 / largest : 1.0;
    for (int c = 0; c < count; ++c) system.column(c)[r] *= row_scale[r];
  }
  system.factor();
  for (int j = 0; j < width; ++j) {
    double right[most] = {};
    double x[most];
    for (int r = 0; r < count; ++r) right[r] = -unknowns.equation[r][j] * row_scale[r];
    system.solve(right, x);
    for (int a = 0; a < width; ++a) {
      double sum = 0.0;
      for (int c = 0; c < count; ++c) {
        sum = std::fma(unknowns.impulse[c][a], x[c] * column_scale[c], sum);
      }
      map[a * width + j] = sum;
    }
  }
}

}  // namespace carom::inline CAROM_ISA
