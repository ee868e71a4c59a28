#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

/// Normal impulses with which no contact approaches, N·s, where there is no friction.
template <int most_contacts>
class FrictionlessStop {
  static_assert(most_contacts <= 64);  // bits of a set

 public:
  /// Normal i is row and column i * width of the Delassus matrix, and entry i * width of the
  /// speeds, m/s, which follow the impulses.
  struct Contacts {
    int count;
    int width;
    const double* delassus;  ///< m/s per N·s
    int delassus_stride;
    double* speed;
    double* factor;  ///< room for rows of a Cholesky factor
    int factor_stride;
    int most_factor_rows;  ///< at least the rank of the Delassus matrix
  };

  /// The largest impulse when contacts stop in turn, as many rounds as there are contacts, or
  /// together.
  CAROM_HOST_DEVICE double largest_impulse(const Contacts& contacts) {
    for (int i = 0; i < contacts.count; ++i) impulse_[i] = 0.0;
    const double still = rounding * largest_approach(contacts);
    double largest = 0.0;
    for (int round = 0; round < contacts.count; ++round) {
      for (int i = 0; i < contacts.count; ++i) {
        const double whole = larger(
            impulse_[i] - contacts.speed[i * contacts.width] / admittance(contacts, i, i), 0.0);
        push(contacts, i, whole - impulse_[i]);
        impulse_[i] = whole;
        largest = larger(whole, largest);
      }
    }
    stop_together(contacts, still);
    for (int i = 0; i < contacts.count; ++i) largest = larger(impulse_[i], largest);
    return largest;
  }

 private:
  static constexpr double rounding = 1e-13;  // of the fastest approach

  CAROM_HOST_DEVICE static double admittance(const Contacts& contacts, int i, int j) {
    return contacts.delassus[i * contacts.width * contacts.delassus_stride + j * contacts.width];
  }
  CAROM_HOST_DEVICE static double largest_approach(const Contacts& contacts) {
    double largest = 0.0;
    for (int i = 0; i < contacts.count; ++i) {
      largest = larger(-contacts.speed[i * contacts.width], largest);
    }
    return largest;
  }
  CAROM_HOST_DEVICE static void push(const Contacts& contacts, int i, double impulse) {
    for (int j = 0; j < contacts.count; ++j) {
      double& speed = contacts.speed[j * contacts.width];
      speed = std::fma(admittance(contacts, j, i), impulse, speed);
    }
  }

  /// From any impulses on: those of least energy, by active sets (Lawson and Hanson's method of
  /// nonnegative least squares).
  /// @param still no contact needs to approach more slowly, m/s
  CAROM_HOST_DEVICE void stop_together(const Contacts& contacts, double still) {
    const int most_exchanges = 4 * contacts.count;
    std::uint64_t pushing = 0;
    for (int i = 0; i < contacts.count; ++i) {
      if (impulse_[i] > 0.0) pushing |= std::uint64_t{1} << i;
    }
    for (int exchange = 0; exchange < most_exchanges; ++exchange) {
      const int rows = find_changes(contacts, pushing);
      double part = 1.0;
      int empty = -1;
      for (int a = 0; a < rows; ++a) {
        const double left = impulse_[chosen_[a]];
        if (left + part * change_[a] < 0.0) {
          part = left / -change_[a];
          empty = chosen_[a];
        }
      }
      for (int a = 0; a < rows; ++a) {
        const int i = chosen_[a];
        const double whole =
            i == empty ? 0.0 : larger(std::fma(part, change_[a], impulse_[i]), 0.0);
        push(contacts, i, whole - impulse_[i]);
        impulse_[i] = whole;
      }
      if (empty >= 0) {
        pushing &= ~(std::uint64_t{1} << empty);
        continue;
      }
      int fastest = -1;
      double least = -still;
      for (int i = 0; i < contacts.count; ++i) {
        if ((pushing >> i & 1) != 0 || !(contacts.speed[i * contacts.width] < least)) continue;
        least = contacts.speed[i * contacts.width];
        fastest = i;
      }
      if (fastest < 0) return;
      pushing |= std::uint64_t{1} << fastest;
    }
  }

  /// The changes of impulse that stop all pushing contacts at once; contacts that depend on others
  /// keep their impulses. Returns the number of changes.
  CAROM_HOST_DEVICE int find_changes(const Contacts& contacts, std::uint64_t pushing) {
    constexpr double dependent = 1e-12;  // pivot of a matrix with a unit diagonal
    const auto row = [&](int a) { return contacts.factor + a * contacts.factor_stride; };
    int rows = 0;
    for (int i = 0; i < contacts.count && rows < contacts.most_factor_rows; ++i) {
      if ((pushing >> i & 1) == 0) continue;
      double* const its = row(rows);
      double pivot = admittance(contacts, i, i);
      double right = -contacts.speed[i * contacts.width];
      for (int b = 0; b < rows; ++b) {
        double entry = admittance(contacts, i, chosen_[b]);
        for (int k = 0; k < b; ++k) entry = std::fma(-its[k], row(b)[k], entry);
        its[b] = entry / row(b)[b];
        pivot = std::fma(-its[b], its[b], pivot);
        right = std::fma(-its[b], change_[b], right);
      }
      if (!(pivot > dependent * admittance(contacts, i, i))) continue;
      its[rows] = std::sqrt(pivot);
      change_[rows] = right / its[rows];
      chosen_[rows] = i;
      ++rows;
    }
    for (int a = rows - 1; a >= 0; --a) {
      for (int k = a + 1; k < rows; ++k) {
        change_[a] = std::fma(-row(k)[a], change_[k], change_[a]);
      }
      change_[a] /= row(a)[a];
    }
    return rows;
  }

  double impulse_[most_contacts];
  double change_[most_contacts];  ///< of the chosen contacts' impulses
  int chosen_[most_contacts];     ///< contact of each row of the factor
};

}  // namespace carom::inline CAROM_ISA
