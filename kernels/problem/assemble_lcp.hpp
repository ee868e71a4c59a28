#pragma once

#include "kernels/problem/assemble.hpp"

// What a flat problem has for its steps: the Delassus matrix, the LCP's matrix and the maps to its
// constants.

namespace carom::inline CAROM_ISA {

template <class Size>
CAROM_HOST_DEVICE inline double Assembly<Size>::write_delassus() {
  const ProblemShape shape = view().shape;
  double sum = 0.0;
  double least = INFINITY;
  for (int i = 0; i < shape.contacts; ++i) {
    const double admittance = high_[column(i, 0)][column(i, 0)];
    sum += admittance;
    least = smaller(admittance, least);
  }
  const double mean = sum / shape.contacts;
  const double unit = power_of_two_near(mean);
  double* const delassus = data_ + view().delassus_at();
  const Row inverse = Row::all(1.0 / unit);
  Team::template cells<Row>(shape.impulses(), shape.impulses(), [&](int i, int b) {
    (Row::load(&high_[i][b]) * inverse).store(&high_[i][b]);
    (Row::load(&low_[i][b]) * inverse).store(&low_[i][b]);
    for (int j = b; j < b + lanes && j < shape.impulses(); ++j) {
      delassus[i * shape.impulses() + j] = high_[i][j];
    }
  });
  Team::once([&] {
    data_[view().scalars_at()] = unit;
    data_[view().scalars_at() + 1] = least;
  });
  return mean;
}

template <class Size>
CAROM_HOST_DEVICE inline typename Assembly<Size>::SplitRow Assembly<Size>::along(int p,
                                                                                 const double* high,
                                                                                 const double* low,
                                                                                 int stride) const {
  const ProblemShape shape = view().shape;
  if (p < shape.contacts) {
    const int at = column(p, 0) * stride;
    return {Row::load(high + at), Row::load(low + at)};
  }
  const int k = shape.friction_directions;
  const int d = shape.tangent_dimension;
  const int contact = (p - shape.contacts) / k;
  const double* direction = view().directions() + (p - shape.contacts) % k * d;
  SplitRow sum;
  for (int a = 0; a < d; ++a) {
    const int at = column(contact, 1 + a) * stride;
    const SplitRow row(Row::load(high + at), Row::load(low + at));
    sum = sum + row * SplitRow(Row::all(direction[a]));
  }
  return sum;
}

template <class Size>
CAROM_HOST_DEVICE inline double Assembly<Size>::write_matrix() {
  const ProblemShape shape = view().shape;
  const int size = shape.bounded_size();
  const int directions = shape.contacts + shape.frictions();
  double* const matrix = data_;
  double* const matrix_low = data_ + size * size;
  Team::own(2 * size * size, [&](int i) { matrix[i] = 0.0; });
  // Columns first: row c holds J_c M^-1 J' of all directions.
  double* const high = scratch_;
  double* const low = scratch_ + Size::impulses * direction_stride;
  Team::template cells<Row>(directions, shape.impulses(), [&](int p, int b) CAROM_INLINE_LAMBDA {
    double some_high[lanes];
    double some_low[lanes];
    const SplitRow sum = along(p, &high_[0][b], &low_[0][b], impulse_stride);
    sum.high.store(some_high);
    sum.low.store(some_low);
    for (int c = b; c < b + lanes && c < shape.impulses(); ++c) {
      high[c * direction_stride + p] = some_high[c - b];
      low[c * direction_stride + p] = some_low[c - b];
    }
  });
  for (int c = 0; c < shape.impulses(); ++c) {
    for (int p = directions; p < whole_rows<Row>(directions); ++p) {
      high[c * direction_stride + p] = low[c * direction_stride + p] = 0.0;
    }
  }
  for (int p = 0; p < directions; ++p) {
    Team::template columns<Row>(0, p + 1, [&](int b) CAROM_INLINE_LAMBDA {
      double some_high[lanes];
      double some_low[lanes];
      const SplitRow sum = along(p, high + b, low + b, direction_stride);
      sum.high.store(some_high);
      sum.low.store(some_low);
      for (int q = b; q < b + lanes && q <= p; ++q) {
        matrix[p * size + q] = matrix[q * size + p] = some_high[q - b];
        matrix_low[p * size + q] = matrix_low[q * size + p] = some_low[q - b];
      }
    });
  }
  double largest = 0.0;
  for (int p = 0; p < directions; ++p) largest = larger(matrix[p * size + p], largest);
  Team::each(shape.contacts, [&](int i) {
    const int gamma = directions + i;
    matrix[i * size + gamma] = view().friction()[i];
    for (int j = 0; j < shape.friction_directions; ++j) {
      const int direction = shape.contacts + i * shape.friction_directions + j;
      matrix[gamma * size + direction] = 1.0;
      matrix[direction * size + gamma] = -1.0;
    }
  });
  return largest;
}

template <class Size>
CAROM_HOST_DEVICE inline void Assembly<Size>::write_constants(double mean_admittance) {
  const ProblemShape shape = view().shape;
  const int size = shape.bounded_size();
  // Rows of caps and cones are of impulses: with the mean admittance as their unit, the vector
  // selects the same solution in every unit of mass. Rows of caps start feasible: they need little,
  // and cost pivots if they have much. Speeds of contacts at rest are equal: with equal entries
  // their ratios would tie. (bench/RESULTS.md, "A covering vector in general position")
  const double impulse = view().impulse_unit() / mean_admittance;
  constexpr double golden_angle = 0.3819660112501051;  // of a turn
  double* const cover = data_ + view().cover_at();
  Team::own(shape.lcp_size(), [&](int i) {
    const double turns = golden_angle * (i + 1 - shape.contacts);
    cover[i] = i < shape.contacts                      ? 0x1p-20 * impulse
               : i < shape.lcp_size() - shape.contacts ? 1.0 + (turns - std::floor(turns))
                                                       : 0x1p-3 * impulse;
  });
  double* const map = data_ + view().input_map_at();
  Team::own(size * shape.inputs(), [&](int i) { map[i] = 0.0; });
  const int d = shape.tangent_dimension;
  Team::each(shape.contacts, [&](int i) {
    const int speed = shape.contacts + column(i, 0);
    map[speed * size + i] = 1.0;
    for (int j = 0; j < shape.friction_directions; ++j) {
      const int row = shape.contacts + i * shape.friction_directions + j;
      for (int a = 0; a < d; ++a) {
        map[(speed + 1 + a) * size + row] = view().directions()[j * d + a];
      }
    }
  });
}

}  // namespace carom::inline CAROM_ISA
