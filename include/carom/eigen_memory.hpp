#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace carom {

/// How Eigen allocates and aligns memory in a translation unit: with AVX (-march=native) or GCC's
/// address sanitizer differently than without. A matrix that code of one kind has allocated must
/// not be released by code of the other. The library defines the member for its own kind alone, so
/// that code of another kind is not linked: docs/cpp.md.
/// @tparam plain_malloc whether Eigen uses malloc as it is
/// @tparam alignment of vectors of four numbers, bytes
template <bool plain_malloc, std::size_t alignment>
struct EigenMemory {
  static const char is_that_of_carom;
};

/// Makes every translation unit need the member; one for all (inline) would tell of one unit only.
[[gnu::used]] static const char* const eigen_memory =
    &EigenMemory<EIGEN_MALLOC_ALREADY_ALIGNED != 0, alignof(Eigen::Vector4d)>::is_that_of_carom;

}  // namespace carom
