#pragma once

namespace carom {

/// While this object lives, SIGINT, SIGTERM and SIGHUP (a closed terminal; unless ignored, as under
/// nohup) are requests to stop. The first signal only sets a flag; a signal more than a second
/// later ends the process at once. After a request, the handlers stay until the process ends: a
/// repeated request must not kill a program that is already stopping.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True once a signal has arrived under an InterruptGuard.
bool interrupted();

/// Acts like a first signal, because another rank received one.
void interrupt();

}  // namespace carom
