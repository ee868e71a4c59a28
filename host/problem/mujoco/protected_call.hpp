#pragma once

#include <memory>
#include <string>
#include <type_traits>

#include "host/problem/mujoco/library.hpp"

namespace carom::mujoco {

/// MuJoCo's messages during a call.
struct CallReport {
  bool failed = false;  ///< the call ended with an error: MuJoCo's data must not be used again
  std::string error;
  std::string warning;  ///< the first warning
};

/// While one lives, MuJoCo's handlers of errors and warnings, which are global, are Carom's. Calls
/// within take no lock.
class Handlers {
 public:
  explicit Handlers(const Library& library);
  ~Handlers();
  Handlers(const Handlers&) = delete;
  Handlers& operator=(const Handlers&) = delete;

 private:
  const Library& library_;
};

namespace detail {
CallReport protected_call(const Library& library, void (*call)(void*), void* context);
}

/// Calls `function`, which calls MuJoCo, so that MuJoCo's errors end the call instead of the
/// process, and neither errors nor warnings reach MUJOCO_LOG.TXT. As in MuJoCo's own Python
/// bindings, an error is a longjmp: `function` must have no object that needs a destructor. Many
/// threads may call; errors of threads that do not go to the previous handlers.
template <class Function>
CallReport protected_call(const Library& library, Function&& function) {
  using Plain = std::remove_reference_t<Function>;
  static_assert(std::is_trivially_destructible_v<Plain>);
  return detail::protected_call(
      library, [](void* context) { (*static_cast<Plain*>(context))(); }, std::addressof(function));
}

}  // namespace carom::mujoco
