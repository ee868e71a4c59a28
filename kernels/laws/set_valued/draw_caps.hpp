#pragma once

#include <cstdint>

#include "kernels/base/qualifiers.hpp"
#include "kernels/laws/set_valued/caps_view.hpp"
#include "kernels/random/philox.hpp"
#include "kernels/random/sobol.hpp"

namespace carom::inline CAROM_ISA {

/// Draws the caps of one trajectory's steps, as parts of h: numbers in [0, 1]. A cap of 0 is legal
/// and very rare (one in 2^53 gaps of `simplex`, underflow of `corners`). The view's arrays must
/// outlive this object.
class CapsSource {
 public:
  CapsSource() = default;  // of no trajectory
  CAROM_HOST_DEVICE CapsSource(const CapsView& caps, const Philox& random, std::uint64_t trajectory,
                               int contacts)
      : random_(random), trajectory_(trajectory), contacts_(contacts) {
    const int chosen = choose_component(caps, random);
    kind_ = caps.kind[chosen];
    power_ = caps.power[chosen];
    if (kind_ == CapsKind::early_corners) {
      double pair[2];
      random.uniform_pair(0, Purpose::component, 0, pair);
      corner_steps_ = steps_until(pair[1], 1.0 / (2 * contacts));
    }
    scale_ = caps.scale == nullptr ? nullptr : caps.scale + chosen * contacts;
    sobol_ = caps.sobol;
    sobol_dimensions_ = caps.sobol_dimensions;
  }

  /// The component from which a trajectory's caps are drawn. A single component costs no random
  /// number.
  CAROM_HOST_DEVICE static int choose_component(const CapsView& caps, const Philox& random) {
    if (caps.components <= 1) return 0;
    double pair[2];
    random.uniform_pair(0, Purpose::component, 0, pair);
    int chosen = 0;
    while (chosen < caps.components - 1 && caps.cumulative_weight[chosen] < pair[0]) ++chosen;
    return chosen;
  }

  /// Caps (m) of a step, as parts of h.
  CAROM_HOST_DEVICE void draw(std::uint32_t step, double* cap) const {
    switch (kind_) {
      case CapsKind::uniform:
        draw_uniform(step, contacts_, cap);
        return;
      case CapsKind::simplex:
        draw_simplex(step, cap);
        return;
      case CapsKind::corners:
        draw_corners(step, cap);
        return;
      case CapsKind::early_corners:
        if (step < corner_steps_) {
          draw_corners(step, cap);
        } else {
          draw_uniform(step, contacts_, cap);
        }
        return;
      case CapsKind::weighted:
        draw_uniform(step, contacts_, cap);
        for (int i = 0; i < contacts_; ++i) cap[i] *= scale_[i];
        return;
      case CapsKind::sobol:
        draw_sobol(step, cap);
        return;
    }
  }

 private:
  /// `count` independent numbers, uniform on (0, 1].
  CAROM_HOST_DEVICE void draw_uniform(std::uint32_t step, int count, double* cap) const {
    for (int i = 0; i < count; i += 2) {
      double pair[2];
      random_.uniform_pair(step, Purpose::caps, static_cast<std::uint32_t>(i / 2), pair);
      cap[i] = pair[0];
      if (i + 1 < count) cap[i + 1] = pair[1];
    }
  }

  /// The m gaps between m - 1 uniform numbers on [0, 1] are uniform on the simplex. All numbers are
  /// multiples of 2^-53, so neither the gaps nor their sum, which is 1, are rounded. One contact
  /// has the cap 1 at every step.
  CAROM_HOST_DEVICE void draw_simplex(std::uint32_t step, double* cap) const {
    const int cuts = contacts_ - 1;
    draw_uniform(step, cuts, cap);
    for (int i = 1; i < cuts; ++i) {
      const double cut = cap[i];
      int place = i;
      for (; place > 0 && cap[place - 1] > cut; --place) cap[place] = cap[place - 1];
      cap[place] = cut;
    }
    cap[cuts] = 1.0;
    for (int i = cuts; i > 0; --i) cap[i] -= cap[i - 1];
  }

  /// u_i^power / sum. Given that the sum is at most 1 this is Dirichlet's law with parameter 1 /
  /// power (Joehnk's method); without that condition, which few draws for many contacts would meet,
  /// the distribution is similar. The numbers are first divided by the largest one, since all
  /// powers could be 0.
  CAROM_HOST_DEVICE void draw_corners(std::uint32_t step, double* cap) const {
    draw_uniform(step, contacts_, cap);
    double largest = 0.0;
    for (int i = 0; i < contacts_; ++i) largest = cap[i] > largest ? cap[i] : largest;
    double sum = 0.0;
    for (int i = 0; i < contacts_; ++i) {
      cap[i] = to_power(cap[i] / largest, power_);
      sum += cap[i];
    }
    for (int i = 0; i < contacts_; ++i) cap[i] /= sum;
  }

  /// The number of steps before the one that leaves, which each does with this probability, from a
  /// uniform number.
  CAROM_HOST_DEVICE static std::uint32_t steps_until(double uniform, double leaves) {
    const double stays = 1.0 - leaves;
    std::uint32_t steps = 0;
    for (double left = stays; uniform <= left; left *= stays) ++steps;
    return steps;
  }

  CAROM_HOST_DEVICE static double to_power(double base, int power) {
    double result = 1.0;
    for (; power > 0; power /= 2) {
      if (power % 2 == 1) result *= base;
      base *= base;
    }
    return result;
  }

  /// Coordinates step m, ... of the trajectory's scrambled Sobol' point: 32 digits of the point,
  /// then 21 digits of uniform numbers, in all a multiple of 2^-53 in (0, 1]. Steps beyond the
  /// table of directions, and trajectories beyond the 2^32 points, have uniform numbers.
  CAROM_HOST_DEVICE void draw_sobol(std::uint32_t step, double* cap) const {
    draw_uniform(step, contacts_, cap);
    const std::uint64_t first = static_cast<std::uint64_t>(step) * contacts_;
    if (first + contacts_ > static_cast<std::uint64_t>(sobol_dimensions_)) return;
    if (trajectory_ >> sobol_digits != 0) return;
    constexpr int low_digits = 53 - sobol_digits;
    for (int i = 0; i < contacts_; ++i) {
      const std::uint32_t dimension = static_cast<std::uint32_t>(first) + i;
      const std::uint64_t coordinate =
          scramble(random_, dimension,
                   sobol_coordinate(sobol_ + static_cast<std::uint64_t>(dimension) * sobol_digits,
                                    static_cast<std::uint32_t>(trajectory_)));
      const std::uint64_t uniform = static_cast<std::uint64_t>(cap[i] * 0x1p53) - 1;
      cap[i] =
          static_cast<double>((coordinate << low_digits) + (uniform >> sobol_digits) + 1) * 0x1p-53;
    }
  }

  Philox random_;
  std::uint64_t trajectory_;
  int contacts_;
  CapsKind kind_ = CapsKind::uniform;
  int power_ = 1;
  std::uint32_t corner_steps_ = 0;  // of early_corners
  const double* scale_ = nullptr;
  const std::uint32_t* sobol_ = nullptr;
  int sobol_dimensions_ = 0;
};

}  // namespace carom::inline CAROM_ISA
