#include "host/base/interrupt.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <ctime>

namespace carom {
namespace {

// A shell reports a process that SIGINT killed as 128 + 2; 1 is this program's "run failed".
constexpr int impatient_exit = 1;
// timeout(1), mpirun and batch systems signal a process and its group: a second signal soon after
// the first repeats the request.
constexpr long long same_request_ns = 1'000'000'000;

std::atomic<long long> requested_at = 0;  // ns, of a steady clock; 0: not requested
static_assert(std::atomic<long long>::is_always_lock_free);  // required in a signal handler
constexpr std::array signals = {SIGINT, SIGTERM, SIGHUP};
std::array<struct sigaction, signals.size()> previous;

long long now_ns() {
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return 1'000'000'000LL * now.tv_sec + now.tv_nsec + 1;
}

extern "C" void request_stop(int) {
  long long first = 0;
  const long long now = now_ns();
  if (requested_at.compare_exchange_strong(first, now) || now - first < same_request_ns) return;
  constexpr char message[] = "\ncarom: ended at once by a second signal\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, message, sizeof message - 1);
  _exit(impatient_exit);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  requested_at = 0;
  struct sigaction action = {};
  action.sa_handler = request_stop;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // a write to the result file must not fail because of the flag
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &previous[i]);
    const bool is_unwanted = signals[i] == SIGHUP && previous[i].sa_handler == SIG_IGN;
    if (!is_unwanted) sigaction(signals[i], &action, nullptr);
  }
}

InterruptGuard::~InterruptGuard() {
  if (interrupted()) return;
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &previous[i], nullptr);
}

void interrupt() {
  long long first = 0;
  requested_at.compare_exchange_strong(first, now_ns());
}

bool interrupted() { return requested_at != 0; }

}  // namespace carom
