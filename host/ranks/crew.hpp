#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "host/ranks/local_worker.hpp"

namespace carom {

/// All ranks of a run as rank 0 sees them: one worker each, its own among them. Rank 0 hands out
/// orders and gets results; the others serve(). An error on any rank ends the round: the same kind
/// of error is thrown here, with the rank's name before its text.
class Crew {
 public:
  Crew(Ranks& ranks, const Jobs& jobs);
  /// Tells every rank to quit, and waits until they have done the order at hand.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Workers, one per rank; worker 0 is rank 0's own.
  int size() const { return ranks_.place().size; }

  /// Begins a job on every rank; returns what rank 0's own worker says of it.
  Bytes begin(const std::string& job, const Bytes& setup);

  /// The next order for a worker; nothing while there is none, or none is left.
  using NextOrder = std::function<std::optional<Bytes>(int worker)>;
  /// Takes a worker's result; false gives the round up.
  using TakeResult = std::function<bool(int worker, const Bytes& result)>;
  /// Hands out orders of the job that was begun, to each worker as it gets done, until none is left
  /// and all results are in. False if it was given up, or interrupted by a signal to any rank;
  /// results that were still to come are dropped.
  /// @param most orders that a worker has at a time: one to do and one to go on with, so that it
  /// does not wait for rank 0 between two
  bool run(const NextOrder& next, const TakeResult& take, int most = 2);

  /// Runs a job whose orders are the numbers 0 ... count - 1, each on whichever rank is free. The
  /// order is one std::uint64_t. `done` is told a unit and its result, in the order of arrival;
  /// false gives the rest up.
  bool run_units(const std::string& job, const Bytes& setup, std::uint64_t count,
                 const std::function<bool(std::uint64_t unit, const Bytes& result)>& done);

 private:
  struct Heard {
    int worker = 0;
    Word word = Word::ready;
    std::uint64_t round = 0;
    Bytes content;
  };

  void tell(int worker, Word word, const Bytes& content);
  void tell_all(Word word, const Bytes& content);
  /// A message of any worker; nothing if none came in a while.
  std::optional<Heard> listen();
  std::optional<Heard> poll();
  void hand_out(const NextOrder& next, int most, std::vector<int>& outstanding);

  Ranks& ranks_;
  LocalWorker own_;
  std::uint64_t round_ = 0;
};

}  // namespace carom
