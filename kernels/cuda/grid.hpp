#pragma once

#include <cstddef>

namespace carom {

/// The threads of a kernel.
struct Grid {
  unsigned blocks = 1;
  unsigned threads = 1;          ///< per block
  std::size_t shared_bytes = 0;  ///< of shared_memory, per block
};

}  // namespace carom
