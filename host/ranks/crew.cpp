#include "host/ranks/crew.hpp"

#include <algorithm>
#include <numeric>
#include <thread>

#include "carom/error.hpp"
#include "host/interrupt.hpp"

namespace carom {
namespace {

constexpr int polls_per_listen = 100;

[[noreturn]] void rethrow(const Place& own, int worker, bool bad_input, const std::string& text) {
  // Of rank 0 itself the text says enough.
  const std::string where = worker == own.rank ? "" : "rank " + std::to_string(worker) + ": ";
  if (bad_input) throw InputError(where + text);
  throw RunError(where + text);
}

}  // namespace

Crew::Crew(Ranks& ranks, const Jobs& jobs) : ranks_(ranks), own_(jobs, ranks.place()) {}

Crew::~Crew() {
  tell_all(Word::quit, {});
  // A rank that still sends a result must get rid of it before it can end.
  for (int left = size() - 1; left > 0;) {
    if (const auto message = ranks_.receive()) {
      if (Unpacker(message->bytes).get<Word>() == Word::gone) --left;
    } else {
      std::this_thread::sleep_for(poll_interval);
    }
  }
}

void Crew::tell(int worker, Word word, const Bytes& content) {
  Bytes message = Packer().put(word).put(round_).take();
  message.insert(message.end(), content.begin(), content.end());
  if (worker == 0) {
    own_.send(std::move(message));
  } else {
    ranks_.send(worker, std::move(message));
  }
}

void Crew::tell_all(Word word, const Bytes& content) {
  for (int worker = size() - 1; worker >= 0; --worker) tell(worker, word, content);
}

std::optional<Crew::Heard> Crew::poll() {
  Heard heard;
  Bytes message;
  if (auto remote = ranks_.receive()) {
    heard.worker = remote->from;
    message = std::move(remote->bytes);
  } else if (auto own = own_.receive()) {
    message = std::move(*own);
  } else {
    return std::nullopt;
  }
  Unpacker in(message);
  in.get(heard.word).get(heard.round).get(heard.content);
  if (heard.word == Word::bad_input || heard.word == Word::failure) {
    std::string text;
    Unpacker(heard.content).get(text);
    rethrow(ranks_.place(), heard.worker, heard.word == Word::bad_input, text);
  }
  if (heard.word == Word::interrupted) interrupt();
  return heard;
}

std::optional<Crew::Heard> Crew::listen() {
  for (int attempt = 0; attempt < polls_per_listen && !interrupted(); ++attempt) {
    if (auto heard = poll()) return heard;
    std::this_thread::sleep_for(poll_interval);
  }
  return std::nullopt;
}

Bytes Crew::begin(const std::string& job, const Bytes& setup) {
  ++round_;
  tell_all(Word::begin, Packer().put(job).put(setup).take());
  while (true) {
    const std::optional<Heard> heard = poll();
    const bool own = heard && heard->worker == 0 && heard->round == round_;
    if (own && heard->word == Word::ready) return heard->content;
    if (!heard) std::this_thread::sleep_for(poll_interval);
  }
}

void Crew::hand_out(const NextOrder& next, int most, std::vector<int>& outstanding) {
  // First orders for all before second ones for any.
  for (int ahead = 0; ahead < most; ++ahead) {
    for (int worker = 0; worker < size(); ++worker) {
      if (outstanding[static_cast<std::size_t>(worker)] > ahead) continue;
      const std::optional<Bytes> order = next(worker);
      if (!order) continue;
      tell(worker, Word::order, Packer().put(*order).take());
      ++outstanding[static_cast<std::size_t>(worker)];
    }
  }
}

bool Crew::run(const NextOrder& next, const TakeResult& take, int most) {
  ++round_;
  std::vector<int> outstanding(static_cast<std::size_t>(size()), 0);
  bool go_on = true;
  while (go_on) {
    hand_out(next, most, outstanding);
    if (std::accumulate(outstanding.begin(), outstanding.end(), 0) == 0) return true;
    const std::optional<Heard> heard = listen();
    go_on = !interrupted();
    if (!heard || heard->word != Word::result || heard->round != round_) continue;
    --outstanding[static_cast<std::size_t>(heard->worker)];
    go_on = take(heard->worker, heard->content) && go_on;
  }
  tell_all(Word::cancel, {});
  return false;
}

bool Crew::run_units(const std::string& job, const Bytes& setup, std::uint64_t count,
                     const std::function<bool(std::uint64_t, const Bytes&)>& done) {
  begin(job, setup);
  std::uint64_t next_unit = 0;
  std::vector<std::uint64_t> units(static_cast<std::size_t>(size()), 0);  // of each worker
  const NextOrder next = [&](int worker) -> std::optional<Bytes> {
    if (next_unit == count) return std::nullopt;
    units[static_cast<std::size_t>(worker)] = next_unit;
    return Packer().put(next_unit++).take();
  };
  constexpr int one_at_a_time = 1;  // a unit is long: none may wait behind another's
  const TakeResult take = [&](int worker, const Bytes& result) {
    return done(units[static_cast<std::size_t>(worker)], result);
  };
  return run(next, take, one_at_a_time);
}

}  // namespace carom
