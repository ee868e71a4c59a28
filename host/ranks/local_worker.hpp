#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "host/ranks/worker.hpp"

namespace carom {

/// Rank 0's own worker: a thread that serves like any other rank, while rank 0 hands out the work.
class LocalWorker {
 public:
  LocalWorker(const Jobs& jobs, const Place& place);
  /// Waits for the order at hand; the last message must have been `quit`.
  ~LocalWorker();

  void send(Bytes message);
  /// A message of the worker, if there is one.
  std::optional<Bytes> receive();

 private:
  class Queue {
   public:
    void push(Bytes message);
    std::optional<Bytes> pop(std::chrono::milliseconds patience);

   private:
    std::mutex mutex_;
    std::condition_variable arrived_;
    std::deque<Bytes> messages_;
  };

  struct Ends : Channel {
    void send(Bytes message) override { from_worker.push(std::move(message)); }
    std::optional<Bytes> receive(std::chrono::milliseconds patience) override {
      return to_worker.pop(patience);
    }
    Queue to_worker;
    Queue from_worker;
  };

  Ends ends_;
  std::thread thread_;
};

}  // namespace carom
