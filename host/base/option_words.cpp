#include "host/base/option_words.hpp"

#include <fmt/format.h>

#include <vector>

#include "carom/error.hpp"
#include "host/base/nearest_name.hpp"

namespace carom {
namespace {

[[noreturn]] void fail(const std::string& name, const std::string& text, const char* rule,
                       const std::string& hint = "") {
  throw InputError(fmt::format("{} is \"{}\" (must be {}){}", name, text, rule, hint));
}

}  // namespace

Backend parse_backend(const std::string& text, const std::string& name) {
  for (const Backend backend : {Backend::automatic, Backend::cpu, Backend::cuda}) {
    if (text == backend_name(backend)) return backend;
  }
  fail(name, text, "auto, cpu or cuda");
}

Norm parse_norm(const std::string& text, const std::string& name) {
  for (const Norm norm : {Norm::euclidean, Norm::kinetic}) {
    if (text == norm_name(norm)) return norm;
  }
  fail(name, text, "euclidean or kinetic");
}

Solutions parse_solutions(const std::string& text, const std::string& name) {
  std::vector<std::string> names;
  for (const Solutions solutions :
       {Solutions::first, Solutions::cover, Solutions::all, Solutions::table}) {
    if (text == solutions_name(solutions)) return solutions;
    names.emplace_back(solutions_name(solutions));
  }
  fail(name, text, "first, cover, all or table", suggestion(text, names));
}

}  // namespace carom
