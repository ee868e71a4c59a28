#pragma once

// toml++ 3.3 asserts what the text of a file can break (`[=` does); without its asserts it goes on
// to the branch that reports the error. Distributions' shared library has them compiled in, so the
// parser is always taken from the header, without. (With NDEBUG it would, under Clang, turn them
// into assumptions, which is worse.)
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(expression) static_assert(true)

#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
