#include "host/ranks/worker.hpp"

#include <deque>
#include <exception>
#include <new>
#include <thread>
#include <utility>

#include "carom/error.hpp"
#include "host/interrupt.hpp"

namespace carom {
namespace {

/// Between two looks at the flag of a signal.
constexpr auto patience = std::chrono::milliseconds(50);

class Worker {
 public:
  Worker(Channel& channel, const Jobs& jobs, const Place& place)
      : channel_(channel), jobs_(jobs), place_(place) {}

  void run() {
    while (!quit_) {
      if (interrupted() && !std::exchange(told_, true)) say(Word::interrupted, 0, Bytes());
      if (const auto message = channel_.receive(orders_.empty() ? patience : patience.zero())) {
        hear(*message);
      } else if (!orders_.empty()) {
        const Order order = std::move(orders_.front());
        orders_.pop_front();
        attempt(order.round, [&] { say(Word::result, order.round, job_.task(order.bytes)); });
      }
    }
    say(Word::gone, 0, Bytes());
  }

 private:
  struct Order {
    std::uint64_t round;
    Bytes bytes;
  };

  void say(Word word, std::uint64_t round, const Bytes& content) {
    channel_.send(Packer().put(word).put(round).put(content).take());
  }

  void say(Word word, std::uint64_t round, const std::string& text) {
    say(word, round, Packer().put(text).take());
  }

  void hear(const Bytes& message) {
    Unpacker in(message);
    const auto word = in.get<Word>();
    const auto round = in.get<std::uint64_t>();
    if (word == Word::begin) {
      std::string name;
      Bytes setup;
      in.get(name).get(setup);
      orders_.clear();
      attempt(round, [&] { begin(name, setup, round); });
    } else if (word == Word::order) {
      Order order{round, {}};
      in.get(order.bytes);
      orders_.push_back(std::move(order));
    } else {
      orders_.clear();
      quit_ = word == Word::quit;
    }
  }

  void begin(const std::string& name, const Bytes& setup, std::uint64_t round) {
    job_ = {};
    for (const Job& job : jobs_) {
      if (job.name != name) continue;
      job_ = job.start(setup, place_);
      say(Word::ready, round, job_.ready);
      return;
    }
    throw RunError("there is no job named " + name);
  }

  /// A rank that failed does no more orders: what they would be about is not known.
  template <class Work>
  void attempt(std::uint64_t round, const Work& work) {
    if (failed_) return;
    failed_ = true;
    try {
      work();
      failed_ = false;
    } catch (const InputError& error) {
      say(Word::bad_input, round, error.what());
    } catch (const std::bad_alloc&) {
      say(Word::failure, round, std::string("out of memory"));
    } catch (const std::exception& error) {
      say(Word::failure, round, error.what());
    }
  }

  Channel& channel_;
  const Jobs& jobs_;
  const Place& place_;
  StartedJob job_;
  std::deque<Order> orders_;
  bool quit_ = false;
  bool failed_ = false;
  bool told_ = false;
};

class RemoteChannel : public Channel {
 public:
  explicit RemoteChannel(Ranks& ranks) : ranks_(ranks) {}

  void send(Bytes message) override {
    ranks_.send(0, std::move(message));
    ranks_.flush();  // a message may need its sender until it has left
  }

  std::optional<Bytes> receive(std::chrono::milliseconds longest) override {
    const auto end = std::chrono::steady_clock::now() + longest;
    while (true) {
      if (auto message = ranks_.receive()) return std::move(message->bytes);
      if (std::chrono::steady_clock::now() >= end) return std::nullopt;
      std::this_thread::sleep_for(poll_interval);
    }
  }

 private:
  Ranks& ranks_;
};

}  // namespace

void serve(Channel& channel, const Jobs& jobs, const Place& place) {
  Worker(channel, jobs, place).run();
}

void serve(Ranks& ranks, const Jobs& jobs) {
  const InterruptGuard guard;
  RemoteChannel channel(ranks);
  serve(channel, jobs, ranks.place());
}

}  // namespace carom
