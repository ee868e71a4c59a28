#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "carom/explore.hpp"
#include "host/evidence/script_moves.hpp"
#include "host/explore/scripted_walk.hpp"

namespace carom {

/// Where a slot of a round starts. Its path is a function of this and of the problem.
struct SlotStart {
  std::vector<double> state;   ///< from which it takes its steps
  std::vector<double> script;  ///< steps to change and to take first; empty: new ones only
  std::uint64_t depth = 0;     ///< steps from the pre-impact velocity to the state
  SearchNumbers random{Philox(0, 0, 0)};
};

/// What a slot found.
struct SlotPath {
  std::vector<double> numbers;  ///< of the steps taken
  Walk walk;
};

/// Runs the slots of a round; nothing if a signal asks to stop.
using RunSlots = std::function<std::optional<std::vector<SlotPath>>(const std::vector<SlotStart>&)>;

/// Options of the law with which an exploration takes its steps: any caps, and Lemke's
/// solution where all would be sought along lines, which take far longer.
SamplingOptions exploration_options(const ImpactProblem& problem, const SamplingOptions& given);

/// Runs slots in this process: on its threads, or the LCPs on a GPU if the options' backend is
/// `cuda`. Both give the same bits.
class SlotRunner {
 public:
  static constexpr double least_number = 1e-6;  ///< of a script; of a cap, as a part of h

  /// `walker` must outlive this object.
  /// @param options of the walker
  /// @throws InputError or RunError if the options state a device that cannot be used
  SlotRunner(const ScriptedWalker& walker, const SamplingOptions& options);
  ~SlotRunner();
  SlotRunner(const SlotRunner&) = delete;
  SlotRunner& operator=(const SlotRunner&) = delete;

  std::vector<SlotPath> run(std::span<const SlotStart> starts) const;

 private:
  /// The order in which a slot's new steps take contacts, each alone and once; of most slots none.
  struct Order {
    std::vector<double> rank;              ///< of each contact; empty: no order
    std::optional<std::size_t> last = {};  ///< contact
  };
  /// A slot under way.
  struct Run {
    SlotPath path;
    std::uint64_t depth = 0;
    std::vector<double> script;  ///< numbers of steps to take before new ones
    std::size_t scripted = 0;    ///< of them, those taken
    SearchNumbers random{Philox(0, 0, 0)};
    Order order = {};
    ScriptedStep step;
    bool under_way = false;  ///< the step has an LCP to solve
  };
  Run begin(const SlotStart& start) const;
  void begin_step(Run& run) const;
  void take(Run& run, Status status, const double* after) const;
  void take_here(Run& run, double* after) const;
  void finish_here(Run& run) const;
  void run_on_device(std::vector<Run>& runs) const;
  void change(std::vector<double>& script, SearchNumbers& random) const;
  Order draw_order(SearchNumbers& random) const;
  static std::optional<std::size_t> take_next(const std::vector<std::size_t>& active, Order& order);
  void append_fresh(Run& run) const;
  void append_caps(const std::vector<std::size_t>& active, std::vector<double>& script,
                   SearchNumbers& random) const;

  const ScriptedWalker& walker_;
  const int threads_;
  const std::uint64_t max_steps_;
  const CapsView caps_;  // uniform
  const ScriptMoves moves_;
  std::unique_ptr<CudaLauncher> device_;  ///< null: the CPU solves
};

/// explore() whose slots `run` runs; null: this process.
Exploration explore(const ImpactProblem& problem, const SamplingOptions& options,
                    const ExploreOptions& explore, const SampleObserver& observer,
                    std::optional<Exploration> start, const OuterBound* bound, const RunSlots& run);

}  // namespace carom
