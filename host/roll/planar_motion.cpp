#include "carom/planar_motion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "host/base/field_error.hpp"
#include "host/roll/planar_mechanism.hpp"
#include "host/roll/roll_plan.hpp"
#include "kernels/mechanisms/planar.hpp"

namespace carom {
namespace {

/// The mechanism of rollouts, with matrices of Eigen.
class PlanarFunctions {
 public:
  explicit PlanarFunctions(const PlanarWorld& world)
      : arrays_(world), mechanism_{arrays_.view()}, size_(mechanism_.coordinates()) {}

  const PlanarArrays& arrays() const { return arrays_; }

  Eigen::MatrixXd mass(const Eigen::VectorXd& q) const {
    Eigen::MatrixXd matrix(size_, size_);
    mechanism_.mass_matrix(pose_of(q), matrix.data());
    return matrix;
  }

  Eigen::VectorXd gaps(const Eigen::VectorXd& q) const {
    const PlanarMechanism::Pose pose = pose_of(q);
    Eigen::VectorXd all(mechanism_.pairs());
    for (int i = 0; i < mechanism_.pairs(); ++i) all(i) = mechanism_.touch(pose, i).gap;
    return all;
  }

  Eigen::MatrixXd gap_jacobian(const Eigen::VectorXd& q) const {
    const PlanarMechanism::Pose pose = pose_of(q);
    Eigen::MatrixXd columns(size_, mechanism_.pairs());
    Eigen::VectorXd tangent(size_);
    for (int i = 0; i < mechanism_.pairs(); ++i) {
      mechanism_.rows(pose, i, mechanism_.touch(pose, i), columns.col(i).data(), tangent.data());
    }
    return columns.transpose();
  }

  /// Motion::piece: of a polygon, the edge, or else a corner. @param scale of lengths, m
  int piece(const Eigen::VectorXd& q, int pair, double scale) const {
    const PlanarSurfaceView& surface =
        mechanism_.view.surface[mechanism_.view.contact[pair].surface];
    if (surface.kind != SurfaceKind::polygon) return 0;
    const PlanarMechanism::Pose pose = pose_of(q);
    const PlanarMechanism::Touch touch = mechanism_.touch(pose, pair);
    const auto [sine, cosine] = pose.angle[surface.body];
    const auto own = [&](double x, double y) {
      return Eigen::Vector2d(cosine * x + sine * y, cosine * y - sine * x);
    };
    const Eigen::Vector2d normal = own(touch.normal[0], touch.normal[1]);
    const Eigen::Vector2d place =
        own(touch.place[0] - pose.x[surface.body], touch.place[1] - pose.y[surface.body]);
    constexpr double reach = 1.0 / 32.0;  // of differences of differences
    double nearest = std::cos(2.0 * reach), along = 0.0, length = 0.0;
    int found = surface.vertices;
    for (int i = 0; i < surface.vertices; ++i) {
      const Eigen::Vector2d corner = corner_of(surface, i);
      const Eigen::Vector2d side = corner_of(surface, (i + 1) % surface.vertices) - corner;
      const double towards = (side.y() * normal.x() - side.x() * normal.y()) / side.norm();
      if (towards <= nearest) continue;
      nearest = towards;
      found = i;
      length = side.norm();
      along = side.dot(place - corner) / length;
    }
    const bool at_an_end =
        found < surface.vertices && !(along >= reach * scale && along <= length - reach * scale);
    return at_an_end ? -1 : found;
  }

  Eigen::VectorXd force(const Eigen::VectorXd& q, const Eigen::VectorXd& velocity) const {
    const PlanarMechanism::Pose pose = pose_of(q);
    PlanarMechanism::Inertia<max_velocities> inertia;
    mechanism_.find_inertia(pose, inertia);
    Eigen::VectorXd acceleration(size_);
    mechanism_.acceleration(pose, inertia, velocity.data(), nullptr, acceleration.data());
    return mass(q) * acceleration;
  }

 private:
  Eigen::Vector2d corner_of(const PlanarSurfaceView& surface, int i) const {
    const double* const corner = mechanism_.view.vertices + 2 * (surface.first_vertex + i);
    return {corner[0], corner[1]};
  }
  PlanarMechanism::Pose pose_of(const Eigen::VectorXd& q) const {
    PlanarMechanism::Pose pose;
    mechanism_.place(q.data(), pose);
    return pose;
  }

  PlanarArrays arrays_;
  PlanarMechanism mechanism_;
  Eigen::Index size_;
};

/// How far a body reaches from its centre of mass, m.
double reach_of(const PlanarBody& body) {
  double reach = 0.0;
  for (const Eigen::Vector2d& point : body.points ? *body.points : body.corners) {
    reach = std::max(reach, point.norm());
  }
  return std::max(reach + body.radius, body.hinge ? body.hinge->own.norm() : 0.0);
}

/// The length over which a gap from a body bends, as if a straight edge did.
double finest_of(const PlanarBody& body) {
  double finest = body.radius > 0.0 ? body.radius : INFINITY;
  for (std::size_t i = 0; i < body.corners.size(); ++i) {
    const Eigen::Vector2d& next = body.corners[(i + 1) % body.corners.size()];
    finest = std::min(finest, (next - body.corners[i]).norm());
  }
  return finest;
}

/// Motion::scale: twice the length over which gaps bend, which eight points allow; the first
/// coordinate is a length. Gaps from floors bend over 1 rad, as masses do.
Eigen::MatrixXd scale_of(const PlanarWorld& world, const PlanarView& view) {
  const std::vector<PlanarCoordinate> coordinates = coordinates_of(world);
  double reach = 0.0;
  for (const PlanarBody& body : world.bodies) reach += reach_of(body);
  Eigen::MatrixXd scale = Eigen::MatrixXd::Constant(view.pairs, view.coordinates, 1.0);
  for (int i = 0; i < view.pairs; ++i) {
    const PlanarContactView& contact = view.contact[i];
    const int other = view.surface[contact.surface].body;
    if (other < 0) continue;
    double finest = 1.0;
    for (const int b : {contact.body, other}) {
      finest = std::min(finest, 2.0 * finest_of(world.bodies[static_cast<std::size_t>(b)]));
    }
    for (Eigen::Index c = 0; c < scale.cols(); ++c) {
      const bool is_angle = coordinates[static_cast<std::size_t>(c)].is_angle();
      scale(i, c) = is_angle ? std::min(1.0, finest / reach) : finest;
    }
  }
  return scale;
}

void refuse_friction(const PlanarArrays& arrays) {
  for (int i = 0; i < arrays.view().pairs; ++i) {
    const double friction = arrays.view().contact[i].friction;
    if (friction == 0.0) continue;
    throw FieldError("world.friction",
                     fmt::format("friction is {} for contact \"{}\" (must be 0 for a derivative)",
                                 friction, arrays.names()[static_cast<std::size_t>(i)]));
  }
}

}  // namespace

Motion motion_of(const PlanarWorld& world) {
  const auto its = std::make_shared<const PlanarFunctions>(world);
  refuse_friction(its->arrays());
  const Eigen::MatrixXd scale = scale_of(world, its->arrays().view());
  return {.mass = [its](const Eigen::VectorXd& q) { return its->mass(q); },
          .gaps = [its](const Eigen::VectorXd& q) { return its->gaps(q); },
          .gap_jacobian = [its](const Eigen::VectorXd& q) { return its->gap_jacobian(q); },
          .force = [its](const Eigen::VectorXd& q,
                         const Eigen::VectorXd& velocity) { return its->force(q, velocity); },
          .restitution = Eigen::VectorXd::Constant(its->arrays().view().pairs,
                                                   world.restitution.value_or(0.0)),
          .contact_names = its->arrays().names(),
          .scale = scale,
          .piece = [its, scale](const Eigen::VectorXd& q,
                                int pair) { return its->piece(q, pair, scale(pair, 0)); }};
}

StartedMotion started_motion(const PlanarWorld& stated, const RollOptions& options) {
  const PlanarWorld world = validated(stated);
  const PlanarArrays arrays(world);
  const Eigen::Index n = world.coordinates();
  StartedMotion found{.motion = motion_of(world),
                      .coordinates = coordinate_names(world),
                      .start = Eigen::VectorXd(2 * n),
                      .direction = Eigen::VectorXd::Zero(2 * n),
                      .end = options.duration};
  found.start << Eigen::Map<const Eigen::VectorXd>(arrays.position().data(), n),
      Eigen::Map<const Eigen::VectorXd>(arrays.velocity().data(), n);
  for (const StartRange& range : options.start) {
    const std::size_t at = place_of(range, found.coordinates);
    const Eigen::Index entry = static_cast<Eigen::Index>(at) + (range.of_velocity ? n : 0);
    found.start(entry) = 0.5 * (range.least + range.greatest);
    found.direction(entry) = 0.5 * (range.greatest - range.least);
  }
  if (!found.direction.isZero(0.0)) return found;
  Eigen::Index at = 0;
  for (const PlanarCoordinate& coordinate : coordinates_of(world)) {
    found.direction(at++) = coordinate.is_angle() ? 1.0 : 0.0;
  }
  return found;
}

}  // namespace carom
