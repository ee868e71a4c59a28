#include "host/problem/mujoco/protected_call.hpp"

#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace carom::mujoco {
namespace {

using Handler = void (*)(const char*);

constexpr std::size_t message_size = 1024;

/// The jump target for an error of this thread's call; plain memory, since a longjmp calls no
/// destructors.
struct Landing {
  std::jmp_buf place;
  char error[message_size];
  char warning[message_size];
};

thread_local Landing* landing = nullptr;
std::atomic<Handler> earlier_error{nullptr};
std::atomic<Handler> earlier_warning{nullptr};

std::mutex changing_handlers;
int users = 0;             // threads with Handlers
thread_local int own = 0;  // Handlers of this thread

void copy(char* target, const char* message) { std::snprintf(target, message_size, "%s", message); }

void on_error(const char* message) {
  if (landing != nullptr) {
    copy(landing->error, message);
    std::longjmp(landing->place, 1);
  }
  // An error of other code on another thread, which expects the handler not to return.
  if (const Handler earlier = earlier_error.load()) earlier(message);
  std::fprintf(stderr, "MuJoCo: %s\n", message);
  std::exit(EXIT_FAILURE);
}

void on_warning(const char* message) {
  if (landing != nullptr) {
    if (landing->warning[0] == '\0') copy(landing->warning, message);
  } else if (const Handler earlier = earlier_warning.load()) {
    earlier(message);
  } else {
    std::fprintf(stderr, "MuJoCo: %s\n", message);
  }
}

/// A separate stack frame without objects whose destructors a longjmp would skip.
bool returns(Landing& here, void (*call)(void*), void* context) {
  if (setjmp(here.place) != 0) return false;
  call(context);
  return true;
}

}  // namespace

CallReport detail::protected_call(const Library& library, void (*call)(void*), void* context) {
  Landing here;
  here.error[0] = here.warning[0] = '\0';
  const Handlers handlers(library);
  landing = &here;
  const bool returned = returns(here, call, context);
  landing = nullptr;
  return {!returned, here.error, here.warning};
}

Handlers::Handlers(const Library& library) : library_(library) {
  if (own++ > 0) return;
  const std::lock_guard lock(changing_handlers);
  if (users++ > 0) return;
  earlier_error = *library.error_handler;
  earlier_warning = *library.warning_handler;
  *library.error_handler = on_error;
  *library.warning_handler = on_warning;
}

Handlers::~Handlers() {
  if (--own > 0) return;
  const std::lock_guard lock(changing_handlers);
  if (--users > 0) return;
  *library_.error_handler = earlier_error;
  *library_.warning_handler = earlier_warning;
}

}  // namespace carom::mujoco
