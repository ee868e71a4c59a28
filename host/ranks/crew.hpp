#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/ranks/ranks.hpp"

namespace carom {

/// What a rank can do, by name: its part of an order that all ranks are given, whose result it
/// returns. A task may remember earlier orders.
using Task = std::function<Bytes(const Bytes& order)>;
using Tasks = std::map<std::string, Task>;

/// What rank 0 asks of all ranks, itself among them; the others follow(). Each time, an order is
/// broadcast and the results are gathered. So that nobody waits for a rank that failed, a result is
/// what a rank found or the error that it met, and rank 0 always says when no more orders come.
class Crew {
 public:
  Crew(Ranks& ranks, Tasks tasks) : ranks_(ranks), tasks_(std::move(tasks)) {}
  /// Lets the other ranks end, once they have done the order at hand.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return ranks_.place().size; }

  /// The results of an order in the order of the ranks; nothing if a signal to any rank asks to
  /// stop. @throws InputError or RunError that any rank met, with the name of a rank other than 0
  /// before its text
  std::optional<std::vector<Bytes>> ask(const std::string& task, const Bytes& order);

 private:
  Ranks& ranks_;
  Tasks tasks_;
};

/// What ranks other than 0 do until rank 0 says that no more orders come. An error that is no
/// task's ends the process, and the launcher then ends the others.
void follow(Ranks& ranks, const Tasks& tasks) noexcept;

}  // namespace carom
