#pragma once

#include <cmath>

#include "kernels/laws/sequential/contact_maps.hpp"
#include "kernels/laws/sequential/plan.hpp"
#include "kernels/step/solution_components.hpp"
#include "kernels/step/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// The solutions of a step of one contact that approaches, without a cap: one for each state that
/// holds, of those in which the contact touches.
template <int d>
class ContactSolutions {
 public:
  /// Greatest number of distinct velocities that are kept; no contact with more is known.
  static constexpr int most_pieces = 16;
  using Step = ContactStep<OneContact<d>, double, ContactView>;
  using Components = SolutionComponents<OneContact<d>, most_pieces>;

  /// @param before speeds of the contact, 1 + d
  /// @param maps of the contact, see SequentialPlan; null: they are computed
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE ContactSolutions(const ContactView& contact,
                                                       const double* before, const Step& step,
                                                       const double* maps)
      : contact_(contact),
        before_(before),
        step_(step),
        polygon_{d, contact.shape.friction_directions, contact.directions()},
        components_(step) {
    const double mu = *contact.friction();
    const int states = touching_states(polygon_, mu);
    double own[width * width];
    for (int place = 0; place < states; ++place) {
      const ContactState state = touching_state(polygon_, mu, place);
      if (maps == nullptr) write_map(contact, unknowns_of(state, polygon_, mu), own);
      add(state, maps == nullptr ? own : maps + place * width * width);
    }
    components_.join([](int, int) { return false; });
  }

  CAROM_HOST_DEVICE const Components& components() const { return components_; }

 private:
  static constexpr int width = 1 + d;

  CAROM_HOST_DEVICE void add(const ContactState& state, const double* map) {
    double impulse[width];
    double after[width];
    apply(map, before_, impulse);
    for (int a = 0; a < width; ++a) {
      after[a] = before_[a];
      for (int b = 0; b < width; ++b) {
        after[a] = std::fma(contact_.delassus()[a * width + b], impulse[b], after[a]);
      }
    }
    if (is_ruled_out(state, impulse, after)) return;
    double residual = step_.assess(impulse, after);
    for (int r = 0; r < max_refinements && !(residual <= refinement_threshold); ++r) {
      double refined[width];
      double refined_after[width];
      apply(map, after, refined);
      for (int a = 0; a < width; ++a) refined[a] += impulse[a];
      const double its = step_.assess(refined, refined_after);
      if (!(its < 0.5 * residual)) break;  // not a solution, or as good as possible
      residual = its;
      for (int a = 0; a < width; ++a) {
        impulse[a] = refined[a];
        after[a] = refined_after[a];
      }
    }
    if (residual <= residual_tolerance) components_.add(impulse, after, residual);
  }

  CAROM_HOST_DEVICE void apply(const double* map, const double* speed, double* impulse) const {
    for (int a = 0; a < width; ++a) {
      impulse[a] = 0.0;
      for (int b = 0; b < width; ++b)
        impulse[a] = std::fma(map[a * width + b], speed[b], impulse[a]);
    }
  }

  /// Whether a condition of the state fails by so much that no rounding explains it.
  CAROM_HOST_DEVICE bool is_ruled_out(const ContactState& state, const double* impulse,
                                      const double* after) const {
    constexpr double margin = 1e-6;  // far above the tolerance of the residual
    const double mu = *contact_.friction();
    const double slack =
        margin * (1.0 + mu) * larger(step_.velocity_scale(), step_.impulse_scale());
    // A contact pushes, friction is in the cone around the polygon, and it does not drive.
    double power = 0.0;
    double square = 0.0;
    for (int a = 1; a < width; ++a) {
      power = std::fma(impulse[a], after[a], power);
      square = std::fma(impulse[a], impulse[a], square);
    }
    const double radius = std::fma(mu, impulse[0], slack);
    bool fails = impulse[0] < -slack || square > radius * radius || power > slack * radius;
    if (fails) return true;
    contact_conditions(state, polygon_, mu, /*capped=*/false, 0.0, impulse, after,
                       [&](double value) { fails = fails || value < -slack; });
    return fails;
  }

  const ContactView& contact_;
  const double* before_;
  const Step& step_;
  FrictionPolygon polygon_;
  Components components_;
};

}  // namespace carom::inline CAROM_ISA
