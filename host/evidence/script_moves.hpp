#pragma once

#include <cstdint>
#include <vector>

#include "kernels/laws/set_valued/caps_view.hpp"
#include "kernels/random/philox.hpp"

namespace carom {

/// The numbers that determine a trajectory's first steps, and the result.
struct ScriptedSteps {
  std::vector<double> numbers;  ///< steps x (m + 1): caps as parts of h, then the selection
  int component = 0;            ///< of the caps distribution: the family of the caps
  int steps_taken = 0;          ///< LCPs until the trajectory was separated
  double value = 0.0;           ///< of the outcome; the search maximises it
};

/// A sequence of uniform numbers on (0, 1] for a search on the host.
class SearchNumbers {
 public:
  explicit SearchNumbers(const Philox& random, std::uint32_t stream = 0)
      : random_(random), stream_(stream) {}

  double next();
  /// A random integer of 0, ..., count - 1.
  std::size_t pick(std::size_t count);

 private:
  Philox random_;
  std::uint32_t stream_;
  std::uint32_t block_ = 0;
  double pair_[2] = {};
  int used_ = 2;
};

/// Changes scripts so that their caps stay in the family of their component: (0, 1]^m for
/// `uniform`, `sobol` and `early_corners`, any of whose steps may be uniform, up to the factors for
/// `weighted`, with sum one for `simplex` and `corners`.
class ScriptMoves {
 public:
  /// `view` must outlive this object.
  /// @param least of a number, of a cap as a part of h
  /// @param step_size numbers of a step: caps, selection and any more of (0, 1]; 0: no more
  ScriptMoves(const CapsView& view, int contacts, double least = 0x1p-53,
              std::size_t step_size = 0);

  /// The numbers that trajectory `random` of a run would use in its first steps.
  ScriptedSteps draw(const Philox& random, std::uint64_t trajectory, std::size_t steps) const;
  /// The numbers of a step after a script's end: the largest caps of the family.
  const std::vector<double>& last_step(int component) const;
  /// Cuts or extends a script to a number of steps.
  void set_steps(ScriptedSteps& script, std::size_t steps) const;

  /// Moves every number within +- radius.
  void move_all(ScriptedSteps& script, double radius, SearchNumbers& random) const;
  /// Moves one number and an eighth of the others: within +- radius, to a random value, or to an
  /// end of the range.
  void move_some(ScriptedSteps& script, double radius, SearchNumbers& random) const;
  /// Inserts, removes or exchanges a step, or moves a step to a corner of its range.
  void move_steps(ScriptedSteps& script, SearchNumbers& random) const;

 private:
  std::size_t width() const { return step_size_; }
  double greatest(int component, std::size_t number) const;
  double least(int component, std::size_t number) const;
  void move_within(ScriptedSteps& script, std::size_t number, double radius,
                   SearchNumbers& random) const;
  void keep_family(std::vector<double>& numbers, int component) const;

  const CapsView& view_;
  std::size_t contacts_;
  std::size_t step_size_;
  double least_;
  std::vector<std::vector<double>> last_steps_;  ///< per component
};

}  // namespace carom
