#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "carom/law.hpp"
#include "python/bindings/bindings.hpp"

namespace carom::python {

/// Options of a law's own, name -> text.
inline nb::dict own_options(const Law& law) {
  nb::dict own;
  for (const auto& [name, text] : law_options(law)) own[name.c_str()] = text;
  return own;
}

/// One of them; None where the law has no such option.
inline std::optional<std::string> own_option(const Law& law, const std::string& wanted) {
  for (const auto& [name, text] : law_options(law)) {
    if (name == wanted) return text;
  }
  return std::nullopt;
}

}  // namespace carom::python
