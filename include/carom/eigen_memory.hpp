#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace carom {

/// How Eigen allocates and aligns in a translation unit. With AVX (-march=native) or GCC's address
/// sanitizer this differs from what it is without, and a matrix that one of them has allocated must
/// not be released by the other. The library defines the member for its own kind alone, so that a
/// program of another kind is not linked: docs/cpp.md.
/// @tparam plain_malloc whether Eigen uses malloc as it is
/// @tparam alignment of vectors of four numbers, bytes
template <bool plain_malloc, std::size_t alignment>
struct EigenMemory {
  static const char is_that_of_carom;
};

/// Makes every program need the member.
[[gnu::used]] inline const char* const eigen_memory =
    &EigenMemory<EIGEN_MALLOC_ALREADY_ALIGNED != 0, alignof(Eigen::Vector4d)>::is_that_of_carom;

}  // namespace carom
