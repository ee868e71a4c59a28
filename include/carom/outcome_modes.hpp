#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "carom/contact_mode.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/impact_problem.hpp"
#include "carom/sample_set.hpp"

namespace carom {

/// A combination of contact modes among the outcomes.
struct OutcomeMode {
  std::vector<ContactMode> contacts;     ///< m
  std::uint64_t count = 0;               ///< outcomes with this combination
  std::uint64_t example = 0;             ///< the first trajectory with this combination
  std::vector<double> example_velocity;  ///< nv
};

/// Counts the outcomes of a run by their combination of contact modes. Counts of disjoint ranges of
/// trajectories add up, so a run can be chunked and resumed.
class OutcomeModes {
 public:
  OutcomeModes() = default;
  /// Speeds below `relative_tolerance` times the fastest contact coordinate before the impact
  /// count as zero (never below 1e-9 m/s).
  explicit OutcomeModes(const ImpactProblem& problem);

  /// Relative to the fastest contact coordinate before the impact.
  static constexpr double relative_tolerance = 1e-6;

  /// Counts the outcomes (status `separated`) of `samples`.
  /// @throws InputError if `samples` has another number of velocities
  void add(const SampleSet& samples);
  /// Restores a mode of an earlier run. @throws InputError if its sizes do not fit or it is already
  /// there
  void restore(const OutcomeMode& mode);
  /// Adds the outcomes of one mode that were counted over other trajectories.
  void join(const OutcomeMode& counted);

  /// Speed below which a contact is at rest, m/s.
  double tolerance() const { return tolerance_; }
  /// Outcomes counted so far.
  std::uint64_t outcomes() const { return outcomes_; }
  /// The modes that occurred, most frequent first; ties in the order of their contacts' modes.
  std::vector<OutcomeMode> table() const;
  /// The contact modes of one velocity (nv).
  std::vector<ContactMode> classify(const double* velocity) const;

 private:
  Eigen::MatrixXd normal_jacobian_;
  Eigen::MatrixXd tangent_jacobian_;
  double tolerance_ = 0.0;
  std::uint64_t outcomes_ = 0;
  std::map<std::vector<ContactMode>, OutcomeMode> modes_;
};

/// The contact modes of a net's members: counts are of members, and examples are the members'
/// numbers, from 0 on.
OutcomeModes modes_of_members(const ImpactProblem& problem, const EpsilonNet& net);

/// "A sticks, B separates". @throws InputError unless there is one name per contact
std::string mode_text(const std::vector<ContactMode>& contacts,
                      const std::vector<std::string>& names);

/// A confidence interval of a probability.
struct ProbabilityInterval {
  double low = 0.0;
  double high = 1.0;
};

/// Wilson's score interval for `successes` of `trials` at a two-sided confidence.
/// @throws InputError unless successes <= trials and 0 < confidence < 1
ProbabilityInterval wilson_interval(std::uint64_t successes, std::uint64_t trials,
                                    double confidence = 0.95);

}  // namespace carom
