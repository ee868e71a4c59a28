#pragma once

#include <cstdint>

#include "kernels/step/capacity.hpp"

namespace carom::inline CAROM_ISA {

/// Members of a net in the coordinates F v of its metric, sorted by one coordinate.
struct NetMembers {
  const double* metric = nullptr;  ///< F, nv x nv by rows; null: the identity
  const double* point = nullptr;   ///< size x nv, by rows
  std::uint32_t size = 0;
  int axis = 0;  ///< the coordinate by which they are sorted
  double epsilon = 0.0;
  /// A number that no other metric and members have in this process. 0: unknown.
  std::uint64_t version = 0;

  /// Whether a member lies within epsilon of a velocity: exactly the decision of EpsilonNet.
  CAROM_HOST_DEVICE bool cover(const double* velocity, int nv) const {
    double query[max_velocities];
    to_coordinates(velocity, nv, query);
    const double squared = epsilon * epsilon;
    // Beyond this distance, rounding cannot make a distance look shorter than epsilon.
    constexpr double margin = 1.0 + 1e-9;
    const double reach = epsilon * margin;
    // Members near in one coordinate, from the query outwards: up, then down.
    const std::uint32_t middle = first_from(query[axis], nv);
    for (std::uint32_t i = middle; i < size; ++i) {
      if (coordinate(i, nv) - query[axis] > reach) break;
      if (squared_distance(i, query, nv, squared) <= squared) return true;
    }
    for (std::uint32_t i = middle; i-- > 0;) {
      if (query[axis] - coordinate(i, nv) > reach) break;
      if (squared_distance(i, query, nv, squared) <= squared) return true;
    }
    return false;
  }

 private:
  CAROM_HOST_DEVICE void to_coordinates(const double* velocity, int nv, double* query) const {
    for (int i = 0; i < nv; ++i) {
      if (metric == nullptr) {
        query[i] = velocity[i];
        continue;
      }
      query[i] = 0.0;
      for (int j = 0; j < nv; ++j) query[i] += metric[i * nv + j] * velocity[j];
    }
  }
  CAROM_HOST_DEVICE const double* member(std::uint32_t i, int nv) const {
    return point + std::uint64_t{i} * static_cast<std::uint64_t>(nv);
  }
  CAROM_HOST_DEVICE double coordinate(std::uint32_t i, int nv) const { return member(i, nv)[axis]; }

  /// The first member whose coordinate is not below `value`.
  CAROM_HOST_DEVICE std::uint32_t first_from(double value, int nv) const {
    std::uint32_t begin = 0;
    for (std::uint32_t end = size; begin < end;) {
      const std::uint32_t middle = begin + (end - begin) / 2;
      if (coordinate(middle, nv) < value) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
  /// Ends early with a partial sum above `most`: the other terms cannot reduce it.
  CAROM_HOST_DEVICE double squared_distance(std::uint32_t i, const double* query, int nv,
                                            double most) const {
    const double* const its_point = member(i, nv);
    double sum = 0.0;
    for (int j = 0; j < nv && sum <= most; ++j) {
      const double difference = its_point[j] - query[j];
      sum += difference * difference;
    }
    return sum;
  }
};

}  // namespace carom::inline CAROM_ISA
