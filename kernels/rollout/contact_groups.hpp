#pragma once

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Writes the first contact of each contact's group: contacts that move the same bodies are in one
/// group, so that the impulses in a group change no velocity in another.
/// @param moved count x 2: numbers of what each contact moves; negative: nothing
CAROM_HOST_DEVICE inline void find_groups(int count, const int* moved, int* first) {
  for (int a = 0; a < count; ++a) {
    const int* const its = moved + 2 * a;
    first[a] = a;
    for (int b = 0; b < a; ++b) {
      const int* const other = moved + 2 * b;
      bool shared = false;
      for (int i = 0; i < 2; ++i) {
        shared = shared || (its[i] >= 0 && (its[i] == other[0] || its[i] == other[1]));
      }
      if (!shared || first[a] == first[b]) continue;
      const int joined = first[a] < first[b] ? first[a] : first[b];
      const int renamed = first[a] < first[b] ? first[b] : first[a];
      for (int c = 0; c <= a; ++c) {
        if (first[c] == renamed) first[c] = joined;
      }
    }
  }
}

}  // namespace carom::inline CAROM_ISA
