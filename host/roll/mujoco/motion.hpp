#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "carom/roll.hpp"
#include "host/problem/mujoco/contacts.hpp"
#include "host/problem/mujoco/model.hpp"
#include "host/roll/mujoco/coordinates.hpp"
#include "host/roll/mujoco/geom_pairs.hpp"
#include "kernels/rollout/rollout_plan.hpp"

namespace carom::mujoco {

/// The law of impacts, see ImpactInTime::sample(); contacts are those of the problem.
using ImpactOutcome =
    std::function<RolloutStatus(const ImpactProblem& problem, const std::vector<Contact>& contacts,
                                std::uint64_t trajectory, double* velocity)>;

/// What all threads that move a model share.
struct MotionPlan {
  MujocoOptions model;
  WantedGeoms wanted;
  std::vector<GeomPair> pairs;
  std::vector<Limit> limits;  ///< empty where `model` leaves them out
  std::vector<double> times;
  RolloutShape shape;
  std::optional<int> friction_directions;  ///< in space
  double step = 0.0;                       ///< s
  double impact_speed = 0.0;               ///< m/s
  double rest_speed = 0.0;                 ///< m/s
  ImpactOutcome impact;
  bool tells_doubts = false;  ///< fills ImpactProblem::doubts of impacts

  bool needs_tendons() const {  ///< their lengths, where geoms alone are looked for
    return !limits.empty() && limits.back().object == mjOBJ_TENDON;
  }
};

/// Moves one rollout after the other: before each of MuJoCo's steps, contacts that touch have an
/// impact if one of them approaches faster than the impact speed. Reached limits are contacts, too.
class Motion {
 public:
  /// @param plan must outlive it
  Motion(const Model& prototype, const MotionPlan& plan);

  /// Writes one row. @throws InputError if the start penetrates deeper than `distance`; RunError if
  /// MuJoCo fails
  void operator()(std::uint64_t rollout, const State& start, const RolloutView& out);

 private:
  bool is_open() const { return status_ == RolloutStatus::moving; }
  void begin(const State& start);
  void find_contacts();
  void note_speed();
  void take_step(double end);
  void take_impacts();
  bool take_impact(std::vector<Contact>& contacts, const std::vector<Contact>& others);
  void note_event(const ImpactProblem& problem, const std::vector<Contact>& contacts);
  std::size_t place_of(const Contact& contact) const;
  RolloutStatus trouble() const;
  void begin_interval(std::size_t k);
  void note_extremes(std::size_t k);
  void write_state(std::size_t k);
  void write_end();

  Model model_;
  const MotionPlan& plan_;
  // Of the rollout in progress:
  std::uint64_t rollout_ = 0;
  RolloutView out_;
  RolloutStatus status_ = RolloutStatus::moving;
  State state_;  ///< the last one without trouble
  double time_ = 0.0;
  double end_time_ = 0.0;
  std::uint32_t impacts_ = 0;
  std::vector<Contact> contacts_;  ///< that touch
  int merged_ = 0;                 ///< ImpactProblem::merged_contacts
  Eigen::VectorXd speeds_;         ///< of each along its normal, m/s
};

}  // namespace carom::mujoco
