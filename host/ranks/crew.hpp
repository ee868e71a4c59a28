#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/ranks/ranks.hpp"

namespace carom {

/// A named task of a rank: computes the rank's part of an order that all ranks receive, and returns
/// the result. A task may keep state from earlier orders.
using Task = std::function<Bytes(const Bytes& order)>;
using Tasks = std::map<std::string, Task>;

/// Rank 0 gives orders to all ranks, including itself; the other ranks follow(). Each order is
/// broadcast and the results are gathered. So that no rank waits for a failed one, a result
/// contains either the rank's data or its error, and rank 0 always announces the end of the orders.
class Crew {
 public:
  Crew(Ranks& ranks, Tasks tasks) : ranks_(ranks), tasks_(std::move(tasks)) {}
  /// Ends the other ranks after the current order.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  int size() const { return ranks_.place().size; }

  /// The results of an order in the order of the ranks; nothing if a signal to any rank asks to
  /// stop. @throws InputError or RunError of any rank; the text begins with the rank unless it is 0
  std::optional<std::vector<Bytes>> ask(const std::string& task, const Bytes& order);

 private:
  Ranks& ranks_;
  Tasks tasks_;
};

/// The loop of ranks other than 0 until rank 0 announces the end of the orders. An error outside a
/// task ends the process, and the launcher then ends the other ranks.
void follow(Ranks& ranks, const Tasks& tasks) noexcept;

}  // namespace carom
