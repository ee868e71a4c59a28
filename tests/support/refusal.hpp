#pragma once

#include <string>

#include "carom/error.hpp"

namespace carom::test {

/// What an error of a call says; empty if there is none.
template <class Its = InputError, class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Its& error) {
    return error.what();
  }
  return "";
}

}  // namespace carom::test
