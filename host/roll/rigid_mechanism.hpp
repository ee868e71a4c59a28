#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "carom/rigid_world.hpp"
#include "carom/roll.hpp"
#include "host/roll/planar_mechanism.hpp"
#include "host/roll/spatial_mechanism.hpp"

namespace carom {

/// Positions and velocities of a mechanism, nq and nv numbers.
struct RigidState {
  std::vector<double> position, velocity;
};

/// A pair of which one is in the other.
struct Penetration {
  std::size_t pair = 0;
  /// m; nothing: of two polygons that lie across one another, though no corner of one may be inside
  /// the other.
  std::optional<double> depth = {};
};

/// What rollouts need of a world of rigid bodies. It must not be moved, since its view points into
/// it.
class RigidMechanism {
 public:
  /// @throws InputError if the world breaks a rule
  explicit RigidMechanism(const RigidWorld& world);
  RigidMechanism(const RigidMechanism&) = delete;
  RigidMechanism& operator=(const RigidMechanism&) = delete;

  /// Calls function(view), a PlanarView or a SpatialView.
  template <class Function>
  auto with_view(Function&& function) const {
    return with_arrays([&](const auto& arrays) { return function(arrays.view()); });
  }

  const RolledSystem& system() const { return system_; }
  const RigidState& start() const { return start_; }
  /// Of all contacts; nothing: the law's own default.
  const std::optional<double>& restitution() const { return restitution_; }
  int friction_directions() const { return friction_directions_; }
  int tangent_dimension() const;
  std::size_t pairs() const { return system_.contacts.size(); }

  /// Of each pair, m.
  std::vector<double> gaps(const std::vector<double>& position) const;
  struct Energy {
    double kinetic;    ///< J
    double potential;  ///< of gravity, J
  };
  Energy energy(std::span<const double> position, std::span<const double> velocity) const;
  /// The first pair that is deeper in one another than `allowed`, in m.
  std::optional<Penetration> penetration(const std::vector<double>& position, double allowed) const;
  /// Whether both bodies of a pair hang on one another by hinges.
  bool are_linked(std::size_t pair) const;
  /// Whether two pairs are one contact, see PlanarMechanism::are_one_contact().
  bool are_one_contact(const std::vector<double>& position, std::size_t first, std::size_t second,
                       double window) const;
  /// The position after a way (nv: a length or an angle along each velocity; the angles of a body
  /// in space are a rotation vector).
  std::vector<double> moved(const std::vector<double>& position,
                            const std::vector<double>& way) const;

 private:
  std::optional<std::size_t> crossing(const std::vector<double>& position, double depth) const;

  template <class Function>
  auto with_arrays(Function&& function) const {
    const auto* const planar = std::get_if<PlanarArrays>(&arrays_);
    return planar != nullptr ? function(*planar) : function(std::get<SpatialArrays>(arrays_));
  }

  /// Calls function(mechanism, pose).
  template <class Function>
  auto with_pose(std::span<const double> position, Function&& function) const;

  std::variant<std::monostate, PlanarArrays, SpatialArrays> arrays_;
  RolledSystem system_;
  RigidState start_;
  std::optional<double> restitution_;
  int friction_directions_ = 2;
};

}  // namespace carom
