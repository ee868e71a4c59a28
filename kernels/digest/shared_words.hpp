#pragma once

#include <atomic>
#include <cstdint>

#include "kernels/base/qualifiers.hpp"

namespace carom::inline CAROM_ISA {

// 64-bit words that many threads change at once. No thread waits and the order of the changes is
// arbitrary: the result must not depend on it.

/// The value of `word`, possibly a moment old.
CAROM_HOST_DEVICE inline std::uint64_t seen(const std::uint64_t& word) {
#if defined(__CUDA_ARCH__)
  return *const_cast<const volatile std::uint64_t*>(&word);
#else
  return std::atomic_ref(const_cast<std::uint64_t&>(word)).load(std::memory_order_relaxed);
#endif
}

/// Adds to `word` and returns its old value.
CAROM_HOST_DEVICE inline std::uint64_t add_to(std::uint64_t& word, std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  return atomicAdd(reinterpret_cast<unsigned long long*>(&word), number);
#else
  return std::atomic_ref(word).fetch_add(number, std::memory_order_relaxed);
#endif
}

/// Sets `word` to `number` if it is `expected`; returns the old value.
CAROM_HOST_DEVICE inline std::uint64_t replace_if(std::uint64_t& word, std::uint64_t expected,
                                                  std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  return atomicCAS(reinterpret_cast<unsigned long long*>(&word), expected, number);
#else
  std::atomic_ref(word).compare_exchange_strong(expected, number, std::memory_order_relaxed);
  return expected;
#endif
}

/// Sets `word` to the smaller of `word` and `number`.
CAROM_HOST_DEVICE inline void lower_to(std::uint64_t& word, std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  if (number < seen(word)) atomicMin(reinterpret_cast<unsigned long long*>(&word), number);
#else
  std::uint64_t there = seen(word);
  while (number < there) {
    const std::uint64_t found = replace_if(word, there, number);
    if (found == there) return;
    there = found;
  }
#endif
}

/// Sets `word` to the larger of `word` and `number`.
CAROM_HOST_DEVICE inline void raise_to(std::uint64_t& word, std::uint64_t number) {
#if defined(__CUDA_ARCH__)
  if (number > seen(word)) atomicMax(reinterpret_cast<unsigned long long*>(&word), number);
#else
  std::uint64_t there = seen(word);
  while (number > there) {
    const std::uint64_t found = replace_if(word, there, number);
    if (found == there) return;
    there = found;
  }
#endif
}

}  // namespace carom::inline CAROM_ISA
