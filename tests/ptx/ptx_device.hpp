#pragma once

#include <set>
#include <string>

namespace ptx {

/// Names of the translated kernels that ran so far in this process.
std::set<std::string> started_kernels();

}  // namespace ptx
