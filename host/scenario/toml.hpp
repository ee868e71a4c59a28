#pragma once

// The text of a file can violate asserts of toml++ 3.3 (`[=` does); without asserts, the parser
// reaches the branch that reports the error. The shared library of Linux distributions is compiled
// with asserts, so Carom always uses the header-only parser, without asserts. (Under Clang, NDEBUG
// would turn the asserts into assumptions, which is worse.)
#undef TOML_SHARED_LIB
#undef TOML_HEADER_ONLY
#define TOML_HEADER_ONLY 1
#define TOML_ASSERT(expression) static_assert(true)

#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")
