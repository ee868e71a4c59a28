#pragma once

namespace carom {

enum class NumberRule { positive, not_negative, finite };

/// THE list of a biped's numbers: calls visit(name, rule, number of each of `bipeds`...).
/// @tparam Bipeds SpringBiped, or BipedView
template <class Visit, class... Bipeds>
void for_each_biped_number(Visit&& visit, Bipeds&... bipeds) {
  using enum NumberRule;
  visit("body_mass", positive, bipeds.body_mass...);
  visit("foot_mass", positive, bipeds.foot_mass...);
  visit("inertia", positive, bipeds.inertia...);
  visit("gravity", not_negative, bipeds.gravity...);
  visit("leg", positive, bipeds.leg...);
  visit("hip", not_negative, bipeds.hip...);
  visit("leg_stiffness", not_negative, bipeds.leg_stiffness...);
  visit("flywheel", finite, bipeds.flywheel...);
  visit("ground_stiffness", not_negative, bipeds.ground_stiffness...);
  visit("ground_damping", not_negative, bipeds.ground_damping...);
}

}  // namespace carom
