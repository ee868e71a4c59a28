#include "host/ranks/local_worker.hpp"

namespace carom {

LocalWorker::LocalWorker(const Jobs& jobs, const Place& place)
    : thread_([this, &jobs, &place] { serve(ends_, jobs, place); }) {}

LocalWorker::~LocalWorker() { thread_.join(); }

void LocalWorker::send(Bytes message) { ends_.to_worker.push(std::move(message)); }

std::optional<Bytes> LocalWorker::receive() { return ends_.from_worker.pop({}); }

void LocalWorker::Queue::push(Bytes message) {
  {
    const std::lock_guard lock(mutex_);
    messages_.push_back(std::move(message));
  }
  arrived_.notify_one();
}

std::optional<Bytes> LocalWorker::Queue::pop(std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  if (!arrived_.wait_for(lock, patience, [this] { return !messages_.empty(); })) {
    return std::nullopt;
  }
  Bytes message = std::move(messages_.front());
  messages_.pop_front();
  return message;
}

}  // namespace carom
