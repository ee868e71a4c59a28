#include "host/bounds/push_order.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace carom {
namespace {

class OrderSearch {
 public:
  OrderSearch(const PushSpace& space, const Eigen::VectorXd& goal, const OrderLimits& limits,
              ProofWork& work)
      : space_(space), goal_(goal), left_(limits), work_(work) {}

  OrderBound run() {
    add({}, std::vector<char>(space_.edges().size(), 0), space_.most());
    while (!open_.empty()) {
      std::ranges::pop_heap(open_, is_lower);
      PushProgram program = std::move(open_.back());
      open_.pop_back();
      const double next = open_.empty() ? -1.0 : open_.front().bound();
      if (!program.is_solved()) {
        work_.spend(0);
        left_.products -= program.solve(next);
        if (!program.is_impossible()) put(std::move(program));
        continue;
      }
      Pusher wrong{};
      const bool goes_on = left_.programs > 0 && left_.products > 0;
      if (!goes_on || !program.find_wrong(wrong)) return {program.bound(), programs_};
      branch(program, wrong);
    }
    return {-1.0, programs_};
  }

 private:
  static bool is_lower(const PushProgram& one, const PushProgram& other) {
    return one.bound() < other.bound();
  }

  void put(PushProgram program) {
    open_.push_back(std::move(program));
    std::ranges::push_heap(open_, is_lower);
  }

  void add(std::vector<Pusher> order, std::vector<char> idle, double known) {
    --left_.programs;
    ++programs_;
    put(PushProgram(space_, goal_, std::move(order), std::move(idle), known));
  }

  /// Puts the last push of a pusher to every place of the order, and to none.
  void branch(const PushProgram& program, const Pusher& pusher) {
    const std::vector<Pusher>& order = program.order();
    std::size_t first = 0;
    std::size_t last = order.size();
    bool pushes = false;
    for (std::size_t t = 0; t < order.size(); ++t) {
      if (pusher.covers(order[t])) {  // no edge pushes after its contact's last push
        first = t + 1;
        pushes = true;
      }
      if (order[t].covers(pusher)) last = std::min(last, t);
    }
    for (std::size_t t = first; t <= last; ++t) {
      std::vector<Pusher> longer = order;
      longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(t), pusher);
      add(std::move(longer), program.idle(), program.bound());
    }
    if (pushes) return;
    std::vector<char> idle = program.idle();
    for (std::size_t e = 0; e < idle.size(); ++e) {
      if (pusher.covers(space_.edges()[e])) idle[e] = 1;
    }
    add(order, std::move(idle), program.bound());
  }

  const PushSpace& space_;
  const Eigen::VectorXd& goal_;
  OrderLimits left_;
  std::uint64_t programs_ = 0;
  ProofWork& work_;
  std::vector<PushProgram> open_;  // a heap
};

}  // namespace

OrderBound bound_by_orders(const PushSpace& space, const Eigen::VectorXd& goal,
                           const OrderLimits& limits, ProofWork& work) {
  return OrderSearch(space, goal, limits, work).run();
}

}  // namespace carom
