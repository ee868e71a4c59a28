#pragma once

#include "kernels/base/lanes.hpp"
#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// A team of threads that computes one thing together; here, of one thread. The threads of a larger
/// team (kernels/cuda/whole_warp.hpp) run the same code with the same numbers, on arrays that they
/// share. Only the work of each() and own(), and the lanes of a Group, are divided among them. An
/// array that all threads read changes only within each(), once() or between two calls of meet().
struct SoleThread {
  template <class T, int rows>
  static constexpr int width = row_lanes<T, rows>;
  /// Lanes for the rows of a small matrix.
  template <class T, int rows>
  using Group = Lanes<T, row_lanes<T, rows>>;
  /// As many lanes as the team has threads.
  template <class T>
  using Numbers = Lanes<T, 1>;
  /// Neighbours in a row of a matrix that a thread computes side by side.
  template <class T, int columns>
  using Row = Lanes<T, row_lanes<T, columns>>;
  static constexpr int threads = 1;

  /// Waits until every thread is here. What one of them wrote before, all read afterwards.
  CAROM_VIEW_FUNCTION static void meet() {}
  /// Calls work(i) for each i < count, each on one of the threads.
  template <class Work>
  CAROM_VIEW_FUNCTION static void own(int count, const Work& work) {
    for (int i = 0; i < count; ++i) work(i);
  }
  /// The same, and the threads meet before and after.
  template <class Work>
  CAROM_VIEW_FUNCTION static void each(int count, const Work& work) {
    own(count, work);
  }
  /// Calls work(b) for the first column b of each Row from column `first`, or before it, up to
  /// `last`, each on one of the threads, which meet before and after.
  template <class Row, class Work>
  CAROM_VIEW_FUNCTION static void columns(int first, int last, const Work& work) {
    constexpr int lanes = static_cast<int>(sizeof(Row) / sizeof(double));
    for (int b = first / lanes * lanes; b < last; b += lanes) work(b);
  }
  /// The same for `rows` rows: work(i, b).
  /// @param first first(i), which does not fall with i: of the columns that are needed in row i;
  /// there may be work on others
  template <class Row, class First, class Work>
  CAROM_VIEW_FUNCTION static void cells(int rows, const First& first, int last, const Work& work) {
    for (int i = 0; i < rows; ++i)
      columns<Row>(first(i), last, [&](int b) CAROM_INLINE_LAMBDA { work(i, b); });
  }
  template <class Row, class Work>
  CAROM_VIEW_FUNCTION static void cells(int rows, int last, const Work& work) {
    cells<Row>(
        rows, [](int) { return 0; }, last, work);
  }
  /// Calls fold(i, number(i)) for each i < count in order, on all threads; number(i) is called on
  /// one of them.
  template <class Number, class Fold>
  CAROM_VIEW_FUNCTION static void fold(int count, const Number& number, const Fold& fold) {
    for (int i = 0; i < count; ++i) fold(i, number(i));
  }
  /// Calls work() on one of the threads, which meet before and after.
  template <class Work>
  CAROM_VIEW_FUNCTION static void once(const Work& work) {
    work();
  }
  /// The largest, and the sum, of a number of each thread.
  template <class T>
  CAROM_VIEW_FUNCTION static T largest(T number) {
    return number;
  }
  template <class T>
  CAROM_VIEW_FUNCTION static T sum(T number) {
    return number;
  }
};

template <class Size>
struct TeamOfSize {
  using Team = SoleThread;
};
template <class Size>
requires requires { typename Size::Team; }
struct TeamOfSize<Size> {
  using Team = typename Size::Team;
};

/// The team of a size of programs: a single thread, unless the size names another.
template <class Size>
using TeamOf = typename TeamOfSize<Size>::Team;

}  // namespace carom::inline CAROM_ISA
