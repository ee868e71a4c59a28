#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/peers/lcp_dump.hpp"

namespace carom::peers {

/// One way to solve LCPs. What a user would prepare once per problem (layout of W, work memory) or
/// would hold in that form anyway (w) belongs into the constructor; `solve` is what is timed.
class LcpSolver {
 public:
  virtual ~LcpSolver() = default;
  /// False where the solver itself reports a failure.
  virtual bool solve(int lcp) = 0;
  /// Writes z (n) of the LCP just solved; not timed.
  virtual void solution(int lcp, double* z) const = 0;
};

struct Peer {
  std::string solver;
  std::function<std::unique_ptr<LcpSolver>(const LcpSet&)> make;
};

/// What one round gave: counts over all LCPs of a set, time over whole passes.
struct Figures {
  std::string system;
  int size = 0;  ///< n
  std::string solver;
  double nanoseconds = 0.0;  ///< per LCP
  long long lcps = 0;        ///< that the counts are of
  long long wrong = 0;       ///< residual > 1e-6; negative: not measured
  long long reported = 0;    ///< failures that the solver itself reported
  long long silent = 0;      ///< wrong, and not reported; negative: not measured
};

/// One line of JSON on standard output.
void print(const Figures& figures);

/// Runs whole passes until they took long enough to be timed; returns ns of processor time per item
/// (of the whole process: what others run on the machine counts less, hidden threads count too).
/// `pass` returns how many items it did.
double time_passes(const std::function<long long()>& pass);

/// The main function of a peer, one round: solves a small LCP whose solution is known by hand (and
/// gives up if a solver does not), then every LCP of the dump named on the command line.
int run_round(int argc, char** argv, const std::vector<Peer>& peers);

}  // namespace carom::peers
