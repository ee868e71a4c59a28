#include "host/roll/rigid_mechanism.hpp"

#include <algorithm>
#include <limits>

#include "kernels/mechanisms/planar.hpp"
#include "kernels/mechanisms/spatial.hpp"
#include "kernels/step/velocity.hpp"

namespace carom {
namespace {

RolledSystem names_of(const PlanarWorld& world) {
  RolledSystem system{.coordinates = coordinate_names(world),
                      .units = {},
                      .velocities = coordinate_names(world),
                      .contacts = {},
                      .mass_matrix = {}};
  for (const PlanarCoordinate& coordinate : coordinates_of(world)) {
    system.units.emplace_back(coordinate.is_angle() ? "rad" : "m");
  }
  return system;
}

RolledSystem names_of(const SpatialWorld& world) {
  RolledSystem system;
  for (const SpatialBody& body : world.bodies) {
    const std::string prefix = world.bodies.size() == 1 ? "" : body.name + ".";
    const Eigen::Quaterniond& turn = body.orientation;
    const auto add = [&](std::vector<std::string>& names, std::initializer_list<const char*> its) {
      for (const char* const name : its) names.push_back(prefix + name);
    };
    add(system.coordinates, {"x", "y", "z"});
    system.quaternions.push_back(
        {system.coordinates.size(), {turn.w(), turn.x(), turn.y(), turn.z()}, true});
    add(system.coordinates, {"qw", "qx", "qy", "qz"});
    system.units.insert(system.units.end(), {"m", "m", "m", "", "", "", ""});
    add(system.velocities, {"x", "y", "z", "turn_x", "turn_y", "turn_z"});
  }
  return system;
}

int directions_of(const PlanarWorld& /*world*/) { return 2; }
int directions_of(const SpatialWorld& world) { return world.friction_directions; }

/// Corners of a polygon in the world, one per column.
using CornerColumns = Eigen::Matrix2Xd;

CornerColumns placed(const double* vertices, int count, double x, double y,
                     const SineCosine& angle) {
  Eigen::Matrix2d turn;
  turn << angle.cosine, -angle.sine, angle.sine, angle.cosine;
  return (turn * Eigen::Map<const CornerColumns>(vertices, 2, count)).colwise() +
         Eigen::Vector2d(x, y);
}

/// How far all corners of `other` are at least beyond one of the sides of a polygon; negative: how
/// deep they are behind the side that most of them are in front of.
double separation(const CornerColumns& polygon, const CornerColumns& other) {
  double largest = -std::numeric_limits<double>::infinity();
  for (Eigen::Index i = 0; i < polygon.cols(); ++i) {
    const Eigen::Vector2d side = polygon.col((i + 1) % polygon.cols()) - polygon.col(i);
    const Eigen::Vector2d normal = Eigen::Vector2d(side.y(), -side.x()).normalized();
    const double least = (normal.transpose() * (other.colwise() - polygon.col(i))).minCoeff();
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace

RigidMechanism::RigidMechanism(const RigidWorld& stated) {
  const auto take = [&]<class Arrays>(const auto& its, std::in_place_type_t<Arrays>) {
    const auto world = validated(its);
    const Arrays& arrays = arrays_.emplace<Arrays>(world);
    system_ = names_of(world);
    system_.contacts = arrays.names();
    start_ = {arrays.position(), arrays.velocity()};
    restitution_ = world.restitution;
    friction_directions_ = directions_of(world);
    const auto mechanism = mechanism_of(arrays.view());
    typename decltype(mechanism)::Pose pose;
    mechanism.place(start_.position.data(), pose);
    system_.mass_matrix.resize(mechanism.velocities(), mechanism.velocities());
    mechanism.mass_matrix(pose, system_.mass_matrix.data());
  };
  if (const auto* const planar = std::get_if<PlanarWorld>(&stated)) {
    take(*planar, std::in_place_type<PlanarArrays>);
  } else {
    take(std::get<SpatialWorld>(stated), std::in_place_type<SpatialArrays>);
  }
}

int RigidMechanism::tangent_dimension() const {
  return std::holds_alternative<PlanarArrays>(arrays_) ? 1 : 2;
}

template <class Function>
auto RigidMechanism::with_pose(std::span<const double> position, Function&& function) const {
  return with_view([&](const auto& view) {
    const auto mechanism = mechanism_of(view);
    typename decltype(mechanism)::Pose pose;
    mechanism.place(position.data(), pose);
    return function(mechanism, pose);
  });
}

std::vector<double> RigidMechanism::gaps(const std::vector<double>& position) const {
  return with_pose(position, [](const auto& mechanism, const auto& pose) {
    std::vector<double> gaps;
    for (int i = 0; i < mechanism.pairs(); ++i) gaps.push_back(mechanism.touch(pose, i).gap);
    return gaps;
  });
}

RigidMechanism::Energy RigidMechanism::energy(std::span<const double> position,
                                              std::span<const double> velocity) const {
  return with_pose(position, [&](const auto& mechanism, const auto& pose) {
    const int nv = mechanism.velocities();
    Eigen::MatrixXd mass(nv, nv);
    mechanism.mass_matrix(pose, mass.data());
    return Energy{kinetic_energy(nv, mass.data(), velocity.data()), mechanism.potential(pose)};
  });
}

std::optional<Penetration> RigidMechanism::penetration(const std::vector<double>& position,
                                                       double allowed) const {
  const std::vector<double> all = gaps(position);
  const auto deep = std::ranges::find_if(all, [&](double gap) { return gap < -allowed; });
  if (deep != all.end()) return Penetration{static_cast<std::size_t>(deep - all.begin()), -*deep};
  if (const auto pair = crossing(position, allowed)) return Penetration{*pair};
  return std::nullopt;
}

/// A pair of two polygons that lie across one another by more than `depth`.
std::optional<std::size_t> RigidMechanism::crossing(const std::vector<double>& position,
                                                    double depth) const {
  const auto* const planar = std::get_if<PlanarArrays>(&arrays_);
  if (planar == nullptr) return std::nullopt;
  const PlanarMechanism mechanism = mechanism_of(planar->view());
  PlanarMechanism::Pose pose;
  mechanism.place(position.data(), pose);
  std::vector<CornerColumns> polygons(static_cast<std::size_t>(planar->view().bodies));
  for (int s = 0; s < planar->view().surfaces; ++s) {
    const PlanarSurfaceView& surface = planar->view().surface[s];
    if (surface.body < 0) continue;
    polygons[static_cast<std::size_t>(surface.body)] =
        placed(planar->view().vertices + 2 * surface.first_vertex, surface.vertices,
               pose.x[surface.body], pose.y[surface.body], pose.angle[surface.body]);
  }
  for (int i = 0; i < planar->view().pairs; ++i) {
    const PlanarContactView& contact = planar->view().contact[i];
    const int other = planar->view().surface[contact.surface].body;
    if (other < 0) continue;
    const CornerColumns& a = polygons[static_cast<std::size_t>(contact.body)];
    const CornerColumns& b = polygons[static_cast<std::size_t>(other)];
    if (a.cols() == 0 || b.cols() == 0) continue;
    if (std::max(separation(a, b), separation(b, a)) < -depth) return static_cast<std::size_t>(i);
  }
  return std::nullopt;
}

bool RigidMechanism::are_linked(std::size_t pair) const {
  const auto* const planar = std::get_if<PlanarArrays>(&arrays_);
  return planar != nullptr &&
         mechanism_of(planar->view()).chained_extent(static_cast<int>(pair)) > 0.0;
}

bool RigidMechanism::are_one_contact(const std::vector<double>& position, std::size_t first,
                                     std::size_t second, double window) const {
  return with_pose(position, [&](const auto& mechanism, const auto& pose) {
    return mechanism.are_one_contact(pose, static_cast<int>(first), static_cast<int>(second),
                                     window);
  });
}

std::vector<double> RigidMechanism::moved(const std::vector<double>& position,
                                          const std::vector<double>& way) const {
  std::vector<double> result(position.size());
  with_view([&](const auto& view) {
    mechanism_of(view).advance(position.data(), way.data(), 1.0, result.data());
  });
  return result;
}

RolledSystem rolled_system(const RigidWorld& world) { return RigidMechanism(world).system(); }

}  // namespace carom
