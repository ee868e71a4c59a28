#include "host/ranks/crew.hpp"

#include <exception>
#include <new>

#include "carom/error.hpp"
#include "host/base/interrupt.hpp"

namespace carom {
namespace {

struct Answer {
  enum class Kind : std::uint8_t { result, bad_input, failure };
  Kind kind = Kind::result;
  bool interrupted = false;
  Bytes result;
  std::string error;
};

void each_field(Answer& answer, Archive& archive) {
  archive(answer.kind, answer.interrupted, answer.result, answer.error);
}

/// A rank's answer to a message; it is sent even after an error.
Bytes answer(const Bytes& message, const Tasks& tasks) {
  Answer answer;
  const auto fail = [&](Answer::Kind kind, const char* error) {
    answer.kind = kind;
    answer.error = error;
  };
  try {
    Archive in(message);
    const auto name = in.get<std::string>();
    answer.result = tasks.at(name)(in.get<Bytes>());
  } catch (const InputError& error) {
    fail(Answer::Kind::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    fail(Answer::Kind::failure, "out of memory");
  } catch (const std::exception& error) {
    fail(Answer::Kind::failure, error.what());
  }
  answer.interrupted = interrupted();
  return pack(std::move(answer));
}

}  // namespace

Crew::~Crew() {
  Bytes nothing;
  ranks_.broadcast(nothing);
}

std::optional<std::vector<Bytes>> Crew::ask(const std::string& task, const Bytes& order) {
  Bytes message = pack(task, order);
  ranks_.broadcast(message);
  const auto answers = ranks_.gather(answer(message, tasks_));
  if (!answers) return std::nullopt;
  std::vector<Bytes> results;
  for (const Bytes& bytes : *answers) {
    auto its = unpack<Answer>(bytes);
    // For rank 0, the text needs no rank.
    const std::size_t rank = results.size();
    const std::string where = rank == 0 ? "" : "rank " + std::to_string(rank) + ": ";
    if (its.kind == Answer::Kind::bad_input) throw InputError(where + its.error);
    if (its.kind == Answer::Kind::failure) throw RunError(where + its.error);
    if (its.interrupted) interrupt();
    results.push_back(std::move(its.result));
  }
  if (interrupted()) return std::nullopt;
  return results;
}

void follow(Ranks& ranks, const Tasks& tasks) noexcept {
  const InterruptGuard guard;
  for (Bytes message;; message.clear()) {
    ranks.broadcast(message);
    if (message.empty()) return;
    ranks.gather(answer(message, tasks));
  }
}

}  // namespace carom
