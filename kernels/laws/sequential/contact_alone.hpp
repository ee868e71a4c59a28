#pragma once

#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom::inline CAROM_ISA {

/// What a ContactStep reads of a problem, for a problem that is one contact of a larger one.
/// Impulses have the larger one's unit.
struct ContactView {
  ProblemShape shape;          ///< of one contact
  const double* its_friction;  ///< mu
  const double* its_delassus;  ///< 1 + d square
  const double* polygon;       ///< k x d
  double unit;                 ///< of impulses, m/s per N·s

  CAROM_VIEW_FUNCTION constexpr const double* friction() const { return its_friction; }
  CAROM_VIEW_FUNCTION constexpr const double* delassus() const { return its_delassus; }
  CAROM_VIEW_FUNCTION constexpr const double* directions() const { return polygon; }
  CAROM_VIEW_FUNCTION constexpr double impulse_unit() const { return unit; }
  CAROM_VIEW_FUNCTION constexpr double least_admittance() const { return its_delassus[0] * unit; }
};

/// The size of one contact of any problem, in the plane (d = 1) or in space (d = 2).
template <int d>
struct OneContact {
  static constexpr int lcp_size = max_lcp_size;  ///< a contact has fewer directions
  static constexpr int contacts = 1;
  static constexpr int impulses = 1 + d;
  /// The view with a shape of which d is known at compile time.
  CAROM_VIEW_FUNCTION static constexpr ContactView narrow(const ContactView& view) {
    ContactView its = view;
    its.shape.contacts = 1;
    its.shape.tangent_dimension = d;
    return its;
  }
};

/// One contact of a problem as a problem of its own.
class ContactAlone {
 public:
  CAROM_HOST_DEVICE ContactAlone(const StepLcpView& problem, int contact)
      : shape_{1, problem.shape.velocities, problem.shape.tangent_dimension,
               problem.shape.friction_directions},
        friction_(problem.friction() + contact),
        directions_(problem.directions()),
        unit_(problem.impulse_unit()) {
    const int width = shape_.impulses();
    const int size = problem.shape.impulses();
    for (int a = 0; a < width; ++a) {
      for (int b = 0; b < width; ++b) {
        delassus_[a * width + b] =
            problem.delassus()[(contact * width + a) * size + contact * width + b];
      }
    }
  }

  CAROM_HOST_DEVICE ContactView view() const {
    return {shape_, friction_, delassus_, directions_, unit_};
  }

 private:
  ProblemShape shape_;
  const double* friction_;
  const double* directions_;
  double unit_;
  double delassus_[9];
};

}  // namespace carom::inline CAROM_ISA
