#pragma once

#include <Eigen/Core>
#include <memory>
#include <vector>

namespace carom::peers {

/// Speeds below are no approach, m/s, as Carom's termination_tolerance says.
inline constexpr double approaching = 1e-8;

/// An impact in contact coordinates, three for each contact [normal, tangents].
struct FlatImpact {
  Eigen::MatrixXd delassus;     ///< m/s per N·s
  Eigen::VectorXd before;       ///< m/s
  Eigen::VectorXd friction;     ///< m, fixed by the slip before the impact
  Eigen::VectorXd restitution;  ///< m: e_min
  double capture_speed = 0.0, plastic_speed = 0.0, transition_speed = 0.0;  ///< m/s
  double unit = 0.0;  ///< N·s, the largest impulse that stops a contact alone

  Eigen::Index contacts() const { return friction.size(); }
};

/// A round, or an interval of one: speeds before and after, m/s, and impulses between, N·s.
struct ImpactStep {
  Eigen::VectorXd before, impulse, after;
};

/// The paper's rounds with Simbody's solver of a round.
class SimbodyRounds {
 public:
  explicit SimbodyRounds(const FlatImpact& impact);
  ~SimbodyRounds();

  /// False if the rounds do not end. @param steps null, or where to add the rounds
  bool run(std::vector<ImpactStep>* steps = nullptr);
  const Eigen::VectorXd& impulse() const;  ///< of all rounds, N·s
  const Eigen::VectorXd& speed() const;    ///< after the last, m/s

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom::peers
