#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "carom/rigid_world.hpp"
#include "carom/roll.hpp"
#include "carom/sampling_options.hpp"

namespace carom {

/// All that a RolloutStepper knows of its copies.
struct SavedRollouts {
  std::vector<double> position = {};            ///< copies x nq
  std::vector<double> velocity = {};            ///< copies x nv
  std::vector<RolloutStatus> status = {};       ///< copies, of the last step
  std::vector<std::uint32_t> impacts = {};      ///< copies, in the last step
  std::vector<std::uint32_t> all_impacts = {};  ///< copies, so far: which draws come next
  std::vector<std::uint64_t> starts = {};       ///< copies, so far
  std::vector<std::uint8_t> held = {};          ///< copies x pairs that touch and do not part

  /// Calls array(vector) for each of them.
  template <class Saved, class Array>
  static void for_each_array(Saved& saved, Array&& array) {
    array(saved.position);
    array(saved.velocity);
    array(saved.status);
    array(saved.impacts);
    array(saved.all_impacts);
    array(saved.starts);
    array(saved.held);
  }
};

/// Copies of a world that are moved side by side, a step at a time, under forces that may change
/// between steps: what a policy is trained in. Its impacts draw from the law of `sampling` as those
/// of roll() do; copy c never meets a draw of another copy, or one of its own twice. Steps without
/// forces have the states of one roll() to the same times, to rounding.
class RolloutStepper {
 public:
  /// All copies start from the world, or from draws of `options.start`. Of `options`, step, window,
  /// hold, impact_speed, rest_speed and start count. @throws InputError if an option breaks a rule
  RolloutStepper(const RigidWorld& world, const SamplingOptions& sampling,
                 const RollOptions& options, std::uint64_t copies);
  ~RolloutStepper();
  RolloutStepper(RolloutStepper&&) noexcept;
  RolloutStepper& operator=(RolloutStepper&&) noexcept;

  const RolledSystem& system() const;  ///< names, in the order of positions and velocities
  std::uint64_t copies() const;
  /// copies x nq: m, rad, and parts of quaternions
  std::span<const double> position() const;
  std::span<const double> velocity() const;        ///< copies x nv, m/s and rad/s
  std::span<const RolloutStatus> status() const;   ///< of each copy's last step
  std::span<const std::uint32_t> impacts() const;  ///< of each copy in its last step

  /// Moves all copies. One that fails keeps the state where it failed, and its status says so.
  /// @param force copies x nv generalised forces beside gravity, N and N m; empty: none
  /// @throws InputError if `seconds` is not positive, or a force is no number
  void step(double seconds, std::span<const double> force = {});

  /// Puts a copy to its next start. @throws InputError if there is no such copy
  void restart(std::uint64_t copy);

  /// Puts a copy anywhere. @throws InputError if a number is not finite, or something penetrates
  void place(std::uint64_t copy, std::span<const double> position,
             std::span<const double> velocity);

  /// All copies, for a stepper of the same world, options and number of copies: what it does then
  /// has the bits of what this one does.
  SavedRollouts save() const;
  /// @throws InputError if the arrays have other sizes
  void restore(SavedRollouts saved);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
