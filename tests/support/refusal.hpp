#pragma once

#include <string>

#include "carom/error.hpp"
#include "carom/scenario.hpp"

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

/// The same of a scenario's text, whose name is "s.toml".
inline std::string text_refusal(const std::string& text) {
  return refusal([&] { parse_scenario(text, "s.toml"); });
}

}  // namespace carom::test
