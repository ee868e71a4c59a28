#include "host/evidence/sequence_resolver.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "carom/selection.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/laws/sequential/law.hpp"
#include "kernels/laws/set_valued/host_solution.hpp"

namespace carom {
namespace {

// Number of stages whose velocities are kept: enough for plots, small compared with a result.
constexpr int longest_path = 1000;

using SteppedLaw = SequentialLaw<LargestCapacity, HostStep>;
using StageState = SteppedLaw::State;

/// A stage: the state after it, and what led there.
struct Stage {
  StageState state;
  Status status;
  int solutions;         ///< distinct ones that the contact has
  double energy_change;  ///< in the unit of contact speeds times impulses as speeds
};

/// The sequential law with contacts and solutions that are chosen instead of drawn.
class ChosenSteps {
 public:
  ChosenSteps(const StepLcpView& problem, double tolerance)
      : problem_(problem),
        key_{.problem = 0,
             .trajectory = 0,
             .random = Philox(0, 0, 0),
             .tolerance = tolerance,
             .step_numbers = SequentialPlan::step_numbers(problem.shape)} {}

  StageState begin() const { return law_.begin(problem_, key_); }
  bool separated(const StageState& state) const { return law_.done(problem_, key_, state); }
  bool approaches(const StageState& state, int contact) const {
    return state.approaches(problem_, contact, key_.tolerance);
  }

  /// The step of a contact that approaches: of its solutions, the one of least kinetic energy.
  Stage take(const StageState& from, int contact) const {
    const Stage any = take(from, contact, 0, 1);
    Stage best = any;
    for (int i = 0; any.solutions > 1 && i < any.solutions; ++i) {
      const Stage other = take(from, contact, i, any.solutions);
      if (other.status == Status::separated && other.energy_change < best.energy_change) {
        best = other;
      }
    }
    return best;
  }

  /// N·s
  double normal_impulse(const Stage& stage, int contact) const {
    const int place = contact * (1 + problem_.shape.tangent_dimension);
    return stage.state.impulse[place] / problem_.impulse_unit();
  }

  Eigen::VectorXd velocity(const StageState& state) const {
    Eigen::VectorXd result(problem_.shape.velocities);
    velocity_of(problem_, state.total, result.data());
    return result;
  }

 private:
  /// The step with solution `number` of `count`.
  Stage take(const StageState& from, int contact, int number, int count) const {
    int place = 0;
    int approaching = 0;
    for (int i = 0; i < problem_.shape.contacts; ++i) {
      if (!approaches(from, i)) continue;
      place += i < contact ? 1 : 0;
      ++approaching;
    }
    const std::array<double, 2> script = {(place + 0.5) / approaching, (number + 0.5) / count};
    TrajectoryKey key = key_;
    key.script = script.data();
    std::array<std::uint16_t, solution_bins> bins{};
    Counters counters;
    counters.solutions = bins.data();
    Stage stage{.state = from, .status = {}, .solutions = 1, .energy_change = 0.0};
    stage.status = law_.step(problem_, key, stage.state, 0, counters);
    for (int bin = 2; bin < solution_bins - 1; ++bin) {
      if (bins[static_cast<std::size_t>(bin)] > 0) stage.solutions = bin;
    }
    for (int i = 0; i < problem_.shape.impulses(); ++i) {
      stage.energy_change += 0.5 * stage.state.impulse[i] * (from.speed[i] + stage.state.speed[i]);
    }
    return stage;
  }

  StepLcpView problem_;
  TrajectoryKey key_;
  SteppedLaw law_{{}, {item_runner().solve}, {}};
};

}  // namespace

SequenceResolver::SequenceResolver(const ImpactProblem& problem, double tolerance, int max_stages)
    : problem_(problem),
      flat_(assemble(problem).data),
      tolerance_(tolerance),
      max_stages_(max_stages) {}

SequenceOutcome SequenceResolver::resolve(const std::vector<int>& order) const {
  const ChosenSteps steps({shape_of(problem_), flat_.data()}, tolerance_);
  SequenceOutcome outcome;
  StageState state = steps.begin();
  outcome.velocity = problem_.pre_impact_velocity;
  const auto keep = [&] {
    outcome.path.insert(outcome.path.end(), outcome.velocity.begin(), outcome.velocity.end());
  };
  keep();
  for (std::size_t turn = 0;; turn = (turn + 1) % order.size()) {
    outcome.terminated = steps.separated(state);
    if (outcome.terminated || outcome.stages == max_stages_) break;
    if (!steps.approaches(state, order[turn])) continue;
    const Stage stage = steps.take(state, order[turn]);
    if (stage.status != Status::separated) {
      outcome.contact_unsolved = order[turn];
      break;
    }
    state = stage.state;
    outcome.largest_impulse =
        std::max(outcome.largest_impulse, steps.normal_impulse(stage, order[turn]));
    outcome.unique = outcome.unique && stage.solutions == 1;
    if (++outcome.stages <= longest_path) {
      outcome.velocity = steps.velocity(state);
      keep();
    }
  }
  if (outcome.stages > longest_path) outcome.velocity = steps.velocity(state);
  return outcome;
}

}  // namespace carom
