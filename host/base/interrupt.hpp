#pragma once

namespace carom {

/// Turns SIGINT, SIGTERM and SIGHUP (a terminal that is closed; unless it is ignored, as under
/// nohup) into a request to stop for as long as it lives. The first signal only
/// sets a flag; one that comes more than a second later ends the process at once. After a request
/// this stays so until the process ends: the same request once more, which comes while the program
/// is on its way out, must not kill it.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
};

/// True once a signal has arrived under an InterruptGuard.
bool interrupted();

/// The same as a first signal: another rank got one.
void interrupt();

}  // namespace carom
