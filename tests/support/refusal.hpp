#pragma once

#include <string>

#include "carom/error.hpp"

namespace carom::test {

/// What the InputError of a call says; empty if there is none.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

}  // namespace carom::test
