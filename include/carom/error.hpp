#pragma once

#include <stdexcept>
#include <string>

namespace carom {

/// What a user asked for cannot be done: the message names the place, the value and the rule.
/// The command line ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A valid request failed on this machine (disk full, device lost, ...). Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace carom
