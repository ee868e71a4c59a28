#pragma once

#include <stdexcept>
#include <string>

namespace carom {

/// The user's request breaks a rule: the message names the place, the value and the rule. The
/// command line ends with exit code 2.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A valid request failed on this machine (disk full, device lost, ...). The command line ends with
/// exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace carom
