#include <fmt/format.h>

#include <string>

#include "carom/bounds.hpp"

namespace carom {

const char* scope_name(BoundScope scope) {
  return scope == BoundScope::any_h ? "any-h" : "inclusion";
}

const char* method_name(BoundMethod method) {
  switch (method) {
    case BoundMethod::hulls:
      return "hulls";
    case BoundMethod::energy:
      return "energy";
    case BoundMethod::templates:
      return "templates";
    case BoundMethod::groups:
      return "groups";
    case BoundMethod::orders:
      break;
  }
  return "orders";
}

const char* verified_name(Verified verified) {
  return verified == Verified::exact       ? "exact"
         : verified == Verified::certified ? "certified"
                                           : "no";
}

std::string status_text(const OuterBound& bound) {
  if (bound.status == BoundStatus::n_steps) {
    return fmt::format("at most {} step{}", bound.steps, bound.steps == 1 ? "" : "s");
  }
  return bound.closed() ? "closed" : "none";
}

}  // namespace carom
