#include "host/result/world_section.hpp"

#include <algorithm>

#include "carom/error.hpp"
#include "carom/roll.hpp"

namespace carom::sections {
namespace {

using hdf5::Handle;

/// Rows of numbers; without any, there is no dataset.
template <class T>
void write_numbers(hid_t group, const char* name, const std::vector<T>& values,
                   hsize_t columns = 1) {
  if (values.empty()) return;
  hdf5::Shape shape = {values.size() / columns};
  if (columns > 1) shape.push_back(columns);
  hdf5::write_array(group, name, hdf5::number_type<T>(), shape, values.data());
}

template <class Vector>
void add_vector(std::vector<double>& numbers, const Vector& vector) {
  numbers.insert(numbers.end(), vector.begin(), vector.end());
}

/// Whether both say the same of the speeds of the same number of contacts, in whatever coordinates.
bool same_speeds(const ImpactProblem& one, const ImpactProblem& other) {
  constexpr double rounding = 1e-6;  // of a motion in steps
  if (one.contacts() != other.contacts()) return false;
  const Eigen::VectorXd speeds = one.normal_jacobian * one.pre_impact_velocity;
  const Eigen::VectorXd its = other.normal_jacobian * other.pre_impact_velocity;
  return (speeds - its).norm() <= rounding * speeds.norm();
}

template <class Floor>
void write_floors(hid_t group, const std::vector<Floor>& floors) {
  std::vector<double> normals, offsets;
  for (const Floor& floor : floors) {
    add_vector(normals, floor.normal);
    offsets.push_back(floor.normal.dot(floor.point));
  }
  write_numbers(group, "floor_normal", normals,
                floors.empty() ? 1 : normals.size() / floors.size());
  write_numbers(group, "floor_offset", offsets);
}

void write_shapes(hid_t group, const PlanarWorld& world) {
  std::vector<double> radii, corners, hinges;
  std::vector<std::int32_t> shapes, carriers, first = {0};
  for (const PlanarBody& body : world.bodies) {
    shapes.push_back(body.points ? 2 : body.is_disc() ? 0 : 1);
    radii.push_back(body.radius);
    for (const Eigen::Vector2d& corner : body.points ? *body.points : body.corners) {
      add_vector(corners, corner);
    }
    first.push_back(static_cast<std::int32_t>(corners.size() / 2));
    const PlanarHinge hinge = body.hinge.value_or(PlanarHinge{});
    const auto carrier = std::ranges::find(world.bodies, hinge.on, &PlanarBody::name);
    carriers.push_back(body.hinge ? static_cast<std::int32_t>(carrier - world.bodies.begin()) : -1);
    add_vector(hinges, hinge.at);
    add_vector(hinges, hinge.own);
  }
  write_numbers(group, "shape", shapes);
  write_numbers(group, "carrier", carriers);
  write_numbers(group, "hinge", hinges, 4);
  write_numbers(group, "radius", radii);
  write_numbers(group, "corners", corners, 2);
  write_numbers(group, "first_corner", first);
}

void write_shapes(hid_t group, const SpatialWorld& world) {
  std::vector<double> radii, corners;
  std::vector<std::int32_t> shapes, first = {0};
  for (const SpatialBody& body : world.bodies) {
    shapes.push_back(body.is_ball() ? 0 : body.size ? 3 : 2);
    radii.push_back(body.radius);
    for (const Eigen::Vector3d& corner : body.touching_points()) add_vector(corners, corner);
    first.push_back(static_cast<std::int32_t>(corners.size() / 3));
  }
  write_numbers(group, "shape", shapes);
  write_numbers(group, "radius", radii);
  write_numbers(group, "corners", corners, 3);
  write_numbers(group, "first_corner", first);
}

}  // namespace

void write_bodies(hid_t group, const RigidWorld& world) {
  std::visit(
      [&](const auto& its) {
        write_shapes(group, its);
        write_floors(group, its.floors);
      },
      world);
}

void write_world(hid_t file, const Scenario& scenario) {
  const auto* const world = scenario.world ? std::get_if<PlanarWorld>(&*scenario.world) : nullptr;
  if (world == nullptr) return;
  std::optional<FirstImpact> impact;
  try {
    impact = find_first_impact(*world, longest_wait, scenario.window);
  } catch (const InputError&) {
    return;  // the problem is one of its own
  }
  if (!same_speeds(impact->problem, scenario.problem)) return;
  std::vector<double> position, velocity, places, normals;
  for (const PlanarCoordinate& coordinate : coordinates_of(impact->world)) {
    const PlanarBody& body = impact->world.bodies[coordinate.body];
    position.push_back(body.position(coordinate.part));
    velocity.push_back(body.velocity(coordinate.part));
  }
  for (const PlanarTouch& contact : impact->contacts) {
    add_vector(places, contact.place);
    add_vector(normals, contact.normal);
  }
  const Handle group = hdf5::create_group(file, world_group);
  write_bodies(group, impact->world);
  write_numbers(group, "position", position);
  write_numbers(group, "velocity", velocity);
  write_numbers(group, "contact_place", places, 2);
  write_numbers(group, "contact_normal", normals, 2);
}

}  // namespace carom::sections
