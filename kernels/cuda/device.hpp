#pragma once

#include <string>

namespace carom {

/// Makes a device the current one; returns its name.
/// @throws InputError if there is no such device; RunError if it cannot run Carom's kernels
std::string open_device(int device);

}  // namespace carom
