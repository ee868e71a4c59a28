#include "host/base/standard_error.hpp"

#include <cstdio>

namespace carom {

void tell(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace carom
