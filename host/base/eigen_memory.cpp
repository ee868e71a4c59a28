#include "carom/eigen_memory.hpp"

namespace carom {

template <bool plain_malloc, std::size_t alignment>
const char EigenMemory<plain_malloc, alignment>::is_that_of_carom = 0;

template struct EigenMemory<EIGEN_MALLOC_ALREADY_ALIGNED != 0, alignof(Eigen::Vector4d)>;

}  // namespace carom
