#include "host/laws/set_valued/pilot_table.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "kernels/cpu/run_items.hpp"
#include "kernels/laws/set_valued/law.hpp"

namespace carom {
namespace {

using Mode = std::vector<int>;

// The pilot ends after a block of trajectories without a new mode: missing modes are then rarer
// than one in a few thousand steps. Problems of many contacts end at the limit.
constexpr std::uint64_t block = 1024;
constexpr std::uint64_t most_trajectories = 32 * block;
// Index far beyond any run, and beyond all Sobol' points, so the pilot has random caps.
constexpr std::uint64_t first_trajectory = std::uint64_t{1} << 62;
// Impulses below this fraction of the largest possible impulse count as zero.
constexpr double nothing = 1e-9;

/// The state of each contact in a step's solution, as an index in ModeTable::states.
class ModeReader {
 public:
  ModeReader(const ImpactProblem& problem, const ProblemShape& shape)
      : problem_(problem), shape_(shape), directions_(friction_direction_matrix(problem)) {}

  /// @param cap m, @param impulse m (1 + d)
  Mode operator()(const double* cap, const double* impulse) const {
    Mode mode;
    for (int i = 0; i < shape_.contacts; ++i) {
      const int at = i * (1 + shape_.tangent_dimension);
      mode.push_back(place_of(i, cap[i], impulse + at));
    }
    return mode;
  }

 private:
  int place_of(int contact, double cap, const double* impulse) const {
    if (impulse[0] <= nothing * cap) return StatePlaces::none;
    const StatePlaces places = state_places(problem_, contact);
    const bool at_cap = impulse[0] >= cap * (1.0 - nothing);
    const int first = at_cap ? places.at_cap() : places.below_cap();
    if (problem_.friction(contact) == 0.0) return first;
    const Eigen::Map<const Eigen::VectorXd> friction(impulse + 1, shape_.tangent_dimension);
    const double radius = problem_.friction(contact) * impulse[0] * (1.0 - nothing);
    if (friction.norm() <= nothing * radius) {
      return at_cap ? places.idle_at_cap() : places.idle_below_cap();
    }
    // Friction at its limit counts as sliding, even if nothing slides: if contacts hold each other
    // in place, a basis has some of them at their limits, and a mode in which all stick would be
    // singular.
    if (shape_.tangent_dimension == 1) {
      if (std::abs(friction(0)) < radius) return first;
      return first + (friction(0) < 0.0 ? 1 : 2);
    }
    return first + (radius > 0.0 ? sliding(friction, radius) : 0);
  }

  /// State along a vertex, or between a vertex and the next; 0 for friction below its limit.
  int sliding(const Eigen::VectorXd& friction, double radius) const {
    const auto k = static_cast<int>(directions_.rows());
    for (int j = 0; j < k; ++j) {
      const Eigen::Vector2d a = directions_.row(j);
      const Eigen::Vector2d b = directions_.row((j + 1) % k);
      const double area = a.x() * b.y() - a.y() * b.x();
      const double of_a = (friction.x() * b.y() - friction.y() * b.x()) / area;
      const double of_b = (a.x() * friction.y() - a.y() * friction.x()) / area;
      const double noise = nothing * friction.norm();
      if (of_a <= noise || of_b < -noise) continue;
      if (of_a + of_b < radius) return 0;
      return of_b <= noise ? 1 + j : 1 + k + j;
    }
    return 0;
  }

  const ImpactProblem& problem_;
  ProblemShape shape_;
  Eigen::MatrixXd directions_;
};

}  // namespace

std::unique_ptr<ModeTable> find_pilot_table(const ImpactProblem& problem, SamplingPlan plan,
                                            TableInfo& info) {
  auto& law = std::get<SetValuedPlan>(plan.law);
  law.solutions = Solutions::first;
  plan.trajectories = 0;
  const ModeReader read_mode(problem, plan.shape);
  const StepLcpView view{plan.shape, plan.problems};
  std::vector<double> cap(static_cast<std::size_t>(plan.shape.contacts));
  const auto width = static_cast<std::size_t>(2 * plan.shape.impulses());
  std::vector<double> steps((static_cast<std::size_t>(plan.max_steps) + 1) * width);
  std::map<Mode, std::size_t> place;
  std::vector<std::pair<std::uint64_t, Mode>> modes;  // with counts
  std::size_t known = 0;
  info.pilot_trajectories = 0;
  do {
    known = modes.size();
    for (std::uint64_t i = 0; i < block; ++i, ++info.pilot_trajectories) {
      const std::uint64_t trajectory = first_trajectory + info.pilot_trajectories;
      const int count = item_runner().steps(plan, trajectory, steps.data(), nullptr);
      const Philox random(plan.seed, plan.first_problem, trajectory);
      const CapsSource source(law.caps, random, trajectory, plan.shape.contacts);
      for (int s = 0; s < count; ++s) {
        step_caps(view, source, s, plan.max_steps, cap.data());
        const Mode mode = read_mode(cap.data(), &steps[static_cast<std::size_t>(s) * width]);
        const auto [entry, is_new] = place.try_emplace(mode, modes.size());
        if (is_new) modes.emplace_back(0, mode);
        ++modes[entry->second].first;
      }
    }
  } while (modes.size() > known && info.pilot_trajectories < most_trajectories);
  std::ranges::stable_sort(modes, std::ranges::greater{}, &std::pair<std::uint64_t, Mode>::first);
  std::vector<Mode> ordered;
  for (auto& [count, mode] : modes) ordered.push_back(std::move(mode));
  auto table = std::make_unique<ModeTable>(problem, ordered);
  info.bases = static_cast<std::uint64_t>(table->view().modes);
  return table;
}

}  // namespace carom
