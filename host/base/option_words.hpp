#pragma once

#include <string>

#include "carom/sampling_options.hpp"

namespace carom {

// The words of options on the command line and in Python. Where a text is none of them, the message
// of the InputError calls the option by `name`.

Backend parse_backend(const std::string& text, const std::string& name = "backend");
Norm parse_norm(const std::string& text, const std::string& name = "norm");
Solutions parse_solutions(const std::string& text, const std::string& name = "solutions");

}  // namespace carom
