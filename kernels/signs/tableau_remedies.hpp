#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/bits.hpp"
#include "kernels/base/lanes.hpp"

namespace carom::inline CAROM_ISA {

/// What the nonbasic variables of a SignTableau can do to move a basic one in one direction.
/// Computed without branches, which would be mispredicted.
template <int MaxColumns>
class TableauRemedies {
 public:
  using Group = Lanes<double, row_lanes<double, 4>>;
  static constexpr int width = sizeof(Group) / sizeof(double);
  static constexpr int stride = (MaxColumns + width - 1) / width * width;

  /// @param coefficient coefficient(j): how far it moves per unit of column j
  /// @param below, above `stride` numbers: how far each nonbasic variable can fall, <= 0, and rise
  template <class Coefficient>
  CAROM_HOST_DEVICE TableauRemedies(int columns, const Coefficient& coefficient,
                                    const double* below, const double* above)
      : columns_(columns) {
    for (int j = 0; j < columns; ++j) size_[j] = coefficient(j);
    for (int j = columns; j % width != 0; ++j) size_[j] = 0.0;
    const Group zero = Group::all(0.0);
    for (int b = 0; b < columns; b += width) {
      const Group t = Group::load(size_ + b);
      const Group room = Group::select(zero < t, Group::load(above + b), -Group::load(below + b));
      Group::select(zero < room, magnitude(t), zero).store(size_ + b);
      room.store(room_ + b);
    }
  }

  /// Size of a column's coefficient; 0 if its variable cannot move that way.
  CAROM_HOST_DEVICE double size(int column) const { return size_[column]; }

  /// The column of the largest size; -1 if no size is `least` or more.
  CAROM_HOST_DEVICE int largest(double least) const {
    Group most = Group::all(0.0);
    for (int b = 0; b < columns_; b += width) most = larger(Group::load(size_ + b), most);
    most = -least_of_all(-most);
    if (!(most.first() >= least)) return -1;
    for (int b = 0; b < columns_; b += width) {
      const std::uint32_t bits = Group::at_most(most, Group::load(size_ + b));
      if (bits != 0) return b + lowest_bit(bits);
    }
    return -1;
  }

  /// The column of the first variable with a size of `least` or more; -1 if there is none.
  /// @param variable of each column
  CAROM_HOST_DEVICE int first(double least, const std::int16_t* variable) const {
    int column = -1;
    for (int j = 0; j < columns_; ++j) {
      if (!(size_[j] >= least)) continue;
      if (column < 0 || variable[j] < variable[column]) column = j;
    }
    return column;
  }

  /// Whether all of them together move the basic variable by `lack`, of which `column` (-1: none)
  /// may do enough.
  CAROM_HOST_DEVICE bool suffice(int column, double lack) const {
    if (column >= 0 && size_[column] * room_[column] >= lack) return true;
    double within_reach = 0.0;
    for (int j = 0; j < columns_; ++j) within_reach = std::fma(size_[j], room_[j], within_reach);
    return !(within_reach < lack);
  }

 private:
  int columns_;
  alignas(Group) double size_[stride];
  alignas(Group) double room_[stride];  // how far the nonbasic variable can move that way
};

}  // namespace carom::inline CAROM_ISA
