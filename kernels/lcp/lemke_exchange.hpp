#pragma once

#include "kernels/lcp/lemke_tableau.hpp"

// Updates of a LemkeTableau's columns by exchanges.

namespace carom::inline CAROM_ISA {

template <int MaxSize, class Real, int Inputs, bool Whole, class Team>
CAROM_HOST_DEVICE inline void LemkeTableau<MaxSize, Real, Inputs, Whole, Team>::exchange(
    int column, int row, int j, Group negative_inverse) {
  if constexpr (is_shared) {
    Team::meet();  // all have read the pivot
    turn(exchange_[0], column, row, j, negative_inverse);
    follow_together(exchange_[0], column);
    Team::once([&] { ++pivots_; });
    return;
  }
  if (exchanges_ == max_exchanges) {
    for (int c = 0; c <= size(); ++c) bring(c);
    for (int c = 0; c <= size(); ++c) done_[c] = 0;
    exchanges_ = 0;
  }
  Exchange& now = exchange_[exchanges_];
  turn(now, column, row, j, negative_inverse);
  for (int c = 0; c < last_columns; ++c) {
    const int constant = constant_column + c;
    update(now, j < 0 ? entry_[constant][row] : slack(j, constant), entry_[constant]);
  }
  done_[column] = static_cast<short>(++exchanges_);
  ++pivots_;
}

template <int MaxSize, class Real, int Inputs, bool Whole, class Team>
CAROM_HOST_DEVICE inline void LemkeTableau<MaxSize, Real, Inputs, Whole, Team>::turn(
    Exchange& now, int column, int row, int j, Group negative_inverse) {
  now.negative_inverse = negative_inverse.first();
  now.row = row;
  now.unknown = j;
  const Group inverses = -negative_inverse;
  for (int g = 0; g < groups(); ++g) {
    const Group slope = entries(g, column);
    slope.store(now.slope + g * width);
    const typename Group::Mask is_row = Group::is_lane(row - g * width);
    if constexpr (keeps_masks) now.row_mask[g] = is_row;
    Group::select(is_row, inverses, slope * inverses).store(entry_[column] + g * width);
  }
}

template <int MaxSize, class Real, int Inputs, bool Whole, class Team>
CAROM_HOST_DEVICE inline void LemkeTableau<MaxSize, Real, Inputs, Whole, Team>::follow_together(
    const Exchange& exchange, int column) {
  const double cancellation = cancellation_;
  const int count = size();
  // Each thread computes a whole column at a time; the last ones are those of the constants.
  Team::each(count + 1 + last_columns, [&](int c) {
    if (c == column) return;
    const int row = exchange.row;
    const int its = c <= count ? c : constant_column + c - count - 1;
    Real* const at = entry_[its];
    const Real entry = exchange.unknown < 0 ? at[row] : slack(exchange.unknown, its);
    if (rounded(entry) != 0.0) {
      const Real step = entry * exchange.negative_inverse;
      for (int i = 0; i < count; ++i) {
        const Real old = at[i];
        const Real result = multiply_add(exchange.slope[i], step, old);
        const bool noise = std::fabs(rounded(result)) < cancellation * std::fabs(rounded(old));
        at[i] = noise ? Real(0.0) : result;
      }
      if (row >= 0) at[row] = step;
    } else if (row >= 0) {
      at[row] = entry;
    }
  });
}

template <int MaxSize, class Real, int Inputs, bool Whole, class Team>
CAROM_HOST_DEVICE inline void LemkeTableau<MaxSize, Real, Inputs, Whole, Team>::follow(
    const Exchange& exchange, Real* column) const {
  const int row = exchange.row;
  if (exchange.unknown < 0) {
    update(exchange, column[row], column);
  } else {
    const Real most = bound_cover_[exchange.unknown] * column[covering_row_];
    update(exchange, row < 0 ? most : difference(most, column[row]), column);
  }
}

template <int MaxSize, class Real, int Inputs, bool Whole, class Team>
CAROM_HOST_DEVICE inline void LemkeTableau<MaxSize, Real, Inputs, Whole, Team>::update(
    const Exchange& exchange, Real entry, Real* column) const {
  if (large && rounded(entry) == 0.0) {
    if (exchange.row >= 0) column[exchange.row] = entry;
    return;
  }
  const Group step = Group::all(entry * exchange.negative_inverse);
  const Group cancellation = Group::all(static_cast<Real>(cancellation_));
  for (int g = 0; g < groups(); ++g) {
    const Group old = Group::load(column + g * width);
    const Group result = fused(Group::load(exchange.slope + g * width), step, old);
    const auto noise = magnitude(result) < cancellation * magnitude(old);
    // By selection if vectors are wide: storing a single number into a vector that is loaded soon
    // afterwards stalls the processor.
    Group::select(exchange.is_row(g), step, Group::select(noise, Group::all(Real(0.0)), result))
        .store(column + g * width);
  }
}

}  // namespace carom::inline CAROM_ISA
