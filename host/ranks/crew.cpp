#include "host/ranks/crew.hpp"

#include <exception>
#include <new>

#include "carom/error.hpp"
#include "host/base/interrupt.hpp"

namespace carom {
namespace {

struct Reply {
  enum class Kind : std::uint8_t { result, bad_input, failure };
  Kind kind = Kind::result;
  bool interrupted = false;
  Bytes result;
  std::string error;
};

void each_field(Reply& reply, Archive& archive) {
  archive(reply.kind, reply.interrupted, reply.result, reply.error);
}

/// A rank's reply to a message; it is sent even after an error.
Bytes reply(const Bytes& message, const Tasks& tasks) {
  Reply reply;
  const auto fail = [&](Reply::Kind kind, const char* error) {
    reply.kind = kind;
    reply.error = error;
  };
  try {
    Archive in(message);
    const auto name = in.get<std::string>();
    reply.result = tasks.at(name)(in.get<Bytes>());
  } catch (const InputError& error) {
    fail(Reply::Kind::bad_input, error.what());
  } catch (const std::bad_alloc&) {
    fail(Reply::Kind::failure, "out of memory");
  } catch (const std::exception& error) {
    fail(Reply::Kind::failure, error.what());
  }
  reply.interrupted = interrupted();
  return pack(std::move(reply));
}

}  // namespace

Crew::~Crew() {
  Bytes nothing;
  ranks_.broadcast(nothing);
}

std::optional<std::vector<Bytes>> Crew::ask(const std::string& task, const Bytes& order) {
  Bytes message = pack(task, order);
  ranks_.broadcast(message);
  const auto replies = ranks_.gather(reply(message, tasks_));
  if (!replies) return std::nullopt;
  std::vector<Bytes> results;
  for (const Bytes& bytes : *replies) {
    auto its = unpack<Reply>(bytes);
    // For rank 0, the text needs no rank.
    const std::size_t rank = results.size();
    const std::string where = rank == 0 ? "" : "rank " + std::to_string(rank) + ": ";
    if (its.kind == Reply::Kind::bad_input) throw InputError(where + its.error);
    if (its.kind == Reply::Kind::failure) throw RunError(where + its.error);
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
    ranks.gather(reply(message, tasks));
  }
}

}  // namespace carom
