#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "host/ranks/crew.hpp"

namespace carom::test {

/// Ranks that are threads of this process. Rank 0 gives each a copy of what it broadcasts, and
/// takes from each what it gathers.
class Mailboxes {
 public:
  explicit Mailboxes(int size) : to_(static_cast<std::size_t>(size)), from_(to_.size()) {}
  std::size_t size() const { return to_.size(); }

  void give(int rank, const Bytes& bytes) { put(to_[at(rank)], bytes); }
  Bytes take(int rank) { return get(to_[at(rank)]); }
  void hand_in(int rank, const Bytes& bytes) { put(from_[at(rank)], bytes); }
  Bytes collect(int rank) { return get(from_[at(rank)]); }

 private:
  using Box = std::deque<Bytes>;
  static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
  void put(Box& box, const Bytes& bytes) {
    const std::lock_guard lock(mutex_);
    box.push_back(bytes);
    arrived_.notify_all();
  }
  Bytes get(Box& box) {
    std::unique_lock lock(mutex_);
    arrived_.wait(lock, [&] { return !box.empty(); });
    const Bytes bytes = std::move(box.front());
    box.pop_front();
    return bytes;
  }

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::vector<Box> to_;
  std::vector<Box> from_;
};

class ThreadRanks : public Ranks {
 public:
  ThreadRanks(Mailboxes& boxes, int rank, int size) : boxes_(boxes) {
    place_ = {.rank = rank, .size = size, .local_rank = rank, .threads = 1};
  }
  const Place& place() const override { return place_; }
  void broadcast(Bytes& bytes) override {
    if (place_.rank > 0) {
      bytes = boxes_.take(place_.rank);
    } else {
      for (int rank = 1; rank < place_.size; ++rank) boxes_.give(rank, bytes);
    }
  }
  std::optional<std::vector<Bytes>> gather(Bytes bytes) override {
    boxes_.hand_in(place_.rank, bytes);
    std::vector<Bytes> all;
    for (int rank = 0; place_.rank == 0 && rank < place_.size; ++rank) {
      all.push_back(boxes_.collect(rank));
    }
    return all;
  }

 private:
  Mailboxes& boxes_;
  Place place_;
};

/// What the rank at a place can do.
using MakeTasks = std::function<Tasks(const Place& place)>;

/// A crew of `size` ranks, of which those beyond the first are threads.
class TestCrew {
 public:
  TestCrew(int size, const MakeTasks& tasks) : boxes_(size), own_(boxes_, 0, size) {
    for (int rank = 1; rank < size; ++rank) {
      others_.emplace_back([this, rank, size, tasks] {
        ThreadRanks ranks(boxes_, rank, size);
        follow(ranks, tasks(ranks.place()));
      });
    }
    crew_.emplace(own_, tasks(own_.place()));
  }
  ~TestCrew() {
    crew_.reset();
    for (std::thread& thread : others_) thread.join();
  }
  Crew& operator*() { return *crew_; }
  Crew* operator->() { return &*crew_; }

 private:
  Mailboxes boxes_;
  ThreadRanks own_;
  std::vector<std::thread> others_;
  std::optional<Crew> crew_;
};

}  // namespace carom::test
