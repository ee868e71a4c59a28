#include "host/interrupt.hpp"

#include <unistd.h>

#include <csignal>

namespace carom {
namespace {

// A shell reports a process that SIGINT killed as 128 + 2; 1 is this program's "run failed".
constexpr int impatient_exit = 1;

volatile std::sig_atomic_t stop_requested = 0;
struct sigaction previous_interrupt;
struct sigaction previous_terminate;

extern "C" void request_stop(int) {
  if (stop_requested != 0) _exit(impatient_exit);
  stop_requested = 1;
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_requested = 0;
  struct sigaction action = {};
  action.sa_handler = request_stop;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;  // a write to the result file must not fail because of the flag
  sigaction(SIGINT, &action, &previous_interrupt);
  sigaction(SIGTERM, &action, &previous_terminate);
}

InterruptGuard::~InterruptGuard() {
  sigaction(SIGINT, &previous_interrupt, nullptr);
  sigaction(SIGTERM, &previous_terminate, nullptr);
}

void interrupt() { stop_requested = 1; }

bool interrupted() { return stop_requested != 0; }

}  // namespace carom
