#include "host/problem/mujoco/doubts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/base/nearest_name.hpp"
#include "host/base/note_list.hpp"
#include "host/problem/mujoco/equalities.hpp"
#include "host/problem/mujoco/impact_problem.hpp"

namespace carom::mujoco {
namespace {

/// Whether MuJoCo measures distances of the geom by its shape. Planes' normals are right.
bool has_shape(const ModelView& model, int geom) {
  const int type = model.model().geom_type[geom];
  return type >= mjGEOM_SPHERE && type <= mjGEOM_MESH;
}

/// The angle of a contact's normal to the line between the nearest points of two geoms with shapes,
/// rad; 0 if they have none.
double angle_to_nearest_points(Model& model, const Contact& contact) {
  constexpr double shortest = 1e-8;  // m: a line that has a direction
  mjtNum line[6];
  mjtNum distance = 0.0;
  model.call("mj_geomDistance", [&] {
    distance = model.functions().geom_distance(&model.model(), &model.own_data(), contact.other,
                                               contact.geom, 1.0, line);
  });
  const Eigen::Vector3d along =
      Eigen::Map<const Eigen::Vector3d>(line + 3) - Eigen::Map<const Eigen::Vector3d>(line);
  if (!(along.norm() > shortest)) return 0.0;
  const double cosine =
      contact.frame.row(0).dot(along.normalized()) * (distance < 0.0 ? -1.0 : 1.0);
  return std::acos(std::clamp(cosine, -1.0, 1.0));
}

/// How much steeper a contact's normal is than a height field around its place, rad: MuJoCo takes
/// the field for prisms, whose walls inside the field can be the nearest.
double angle_to_field(const ModelView& model, int field_geom, const Contact& contact) {
  const mjModel& its = model.model();
  const Eigen::Map<const Eigen::Vector3d> centre(model.data().geom_xpos + 3 * field_geom);
  const Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(model.data().geom_xmat +
                                                                            9 * field_geom);
  const int field = its.geom_dataid[field_geom];
  const int rows = its.hfield_nrow[field];
  const int columns = its.hfield_ncol[field];
  if (rows < 2 || columns < 2) return 0.0;
  const mjtNum* const size = its.hfield_size + 4 * field;
  const Eigen::Vector3d place = axes.transpose() * (contact.place - centre);
  const double width = 2.0 * size[0] / (columns - 1);
  const double depth = 2.0 * size[1] / (rows - 1);
  const auto height = [&](int row, int column) {
    return size[2] * its.hfield_data[its.hfield_adr[field] + row * columns + column];
  };
  const auto cell = [](double at, double half, double step, int count) {
    return std::clamp(static_cast<int>((at + half) / step), 0, count - 2);
  };
  const int column = cell(place.x(), size[0], width, columns);
  const int row = cell(place.y(), size[1], depth, rows);
  double steepest = 0.0;  // of the triangles of its cell and of those around it
  for (int r = std::max(row - 1, 0); r <= std::min(row + 1, rows - 2); ++r) {
    for (int c = std::max(column - 1, 0); c <= std::min(column + 1, columns - 2); ++c) {
      const double along = std::max(std::abs(height(r, c + 1) - height(r, c)),
                                    std::abs(height(r + 1, c + 1) - height(r + 1, c)));
      const double across = std::max(std::abs(height(r + 1, c) - height(r, c)),
                                     std::abs(height(r + 1, c + 1) - height(r, c + 1)));
      steepest = std::max(steepest, std::atan(std::hypot(along / width, across / depth)));
    }
  }
  const double sign = contact.other == field_geom ? 1.0 : -1.0;
  const double upwards = sign * contact.frame.row(0).dot(axes.col(2));
  return std::acos(std::clamp(upwards, -1.0, 1.0)) - steepest;
}

/// How far MuJoCo's normal is from what it should be, rad.
double normal_error(Model& model, const Contact& contact) {
  const auto type = [&](int geom) { return model.model().geom_type[geom]; };
  for (const int geom : {contact.other, contact.geom}) {
    if (type(geom) == mjGEOM_HFIELD) return angle_to_field(model, geom, contact);
  }
  if (!has_shape(model, contact.geom) || !has_shape(model, contact.other)) return 0.0;
  return angle_to_nearest_points(model, contact);
}

/// Contacts whose normal MuJoCo's collision finds more than 2 degrees away from the line that joins
/// the nearest points of the two geoms, or as much steeper than a height field there, with the
/// largest such angle of each pair: "a/b (33 deg)".
std::string doubtful_normals(Model& model, const std::vector<Contact>& contacts) {
  constexpr double degree = 0.017453292519943295;  // rad
  constexpr double doubtful = 2.0 * degree;
  std::map<std::string, double> angles;
  for (const Contact& contact : contacts) {
    if (contact.limit) continue;
    const double angle = normal_error(model, contact);
    if (angle < doubtful) continue;
    double& largest = angles[geom_pair_name(model, contact.geom, contact.other)];
    largest = std::max(largest, angle);
  }
  std::string text;
  for (const auto& [name, angle] : angles) {
    text += fmt::format("{}{} ({:.0f} deg)", text.empty() ? "" : ", ", name, angle / degree);
  }
  return text;
}

/// A geom's least extent along its axes, m; of what has no other side: infinite.
double thickness_of(const mjModel& model, int geom) {
  if (geom < 0) return 0.0;  // of a flex: its pair is not looked at
  const int type = model.geom_type[geom];
  if (type == mjGEOM_PLANE || type == mjGEOM_HFIELD) return std::numeric_limits<double>::infinity();
  const mjtNum* const half = model.geom_aabb + 6 * static_cast<std::ptrdiff_t>(geom) + 3;
  return 2.0 * std::min({half[0], half[1], half[2]});
}

/// Joints and tendons that are at a limit, of joints those in kinematic trees that the contacts
/// move.
std::vector<std::string> at_limits(const ModelView& model, double distance,
                                   const std::vector<Contact>& contacts) {
  const std::vector<int> trees = moved_trees(model, contacts);
  const bool joins_all = has_equalities(model);
  std::vector<std::string> names;
  for (const ReachedLimit& limit : limits_within(model, distance)) {
    if (limit.object == mjOBJ_JOINT && !joins_all) {
      const int tree = model.model().body_treeid[model.model().jnt_bodyid[limit.id]];
      if (std::ranges::find(trees, tree) == trees.end()) continue;
    }
    names.push_back(limit_name(model, limit));
  }
  return names;
}

}  // namespace

std::string depth_text(const ModelView& model, int one, int other, double distance) {
  constexpr double part = 0.05;
  const mjModel& its = model.model();
  const double thickness = std::min(thickness_of(its, one), thickness_of(its, other));
  if (!(thickness > 0.0 && -distance > part * thickness)) return "";
  return fmt::format("\"{}\" {:.2g} m, of {:.2g} m,", geom_pair_name(model, one, other), -distance,
                     thickness);
}

std::optional<Note> doubt_about_velocity(const ModelView& model, const Eigen::VectorXd& held) {
  constexpr double soft = 0.01;  // of the energy: MuJoCo's constraints give way a little
  const Eigen::Map<const Eigen::VectorXd> stated(model.data().qvel, held.size());
  const Eigen::MatrixXd mass = mass_matrix(model);
  const Eigen::VectorXd change = stated - held;
  const double share = change.dot(mass * change) / stated.dot(mass * stated);
  if (!(share > soft)) return std::nullopt;
  return make_note("changed_velocity",
                   fmt::format("qvel breaks the model's equality constraints, and was changed to "
                               "keep them: the change has {:.2g} % of its kinetic energy",
                               100.0 * share));
}

std::vector<Note> doubts_about(Model& model, const MujocoOptions& options,
                               const std::vector<Contact>& contacts) {
  std::vector<Note> doubts;
  for (const Contact& contact : contacts) {
    if (contact.limit) continue;
    const std::string deep =
        depth_text(model, contact.geom, contact.other, contact.gap + contact.margin);
    if (deep.empty()) continue;
    doubts.push_back(make_note(
        "penetration",
        fmt::format("geoms are more than a twentieth of their thickness in one another before the "
                    "impact, {} first: points and normals of such contacts are not those at which "
                    "they touched; take a state just before that",
                    deep)));
    break;
  }
  if (const std::string normals = doubtful_normals(model, contacts); !normals.empty()) {
    doubts.push_back(make_note(
        "doubtful_normals",
        fmt::format("MuJoCo's normals of these contacts are not along the line between the nearest "
                    "points of their geoms, or steeper than the height field, by up to: {}; take "
                    "other geoms there (spheres, capsules), distance = 0 on height fields, or a "
                    "state just before the contact",
                    normals)));
  }
  if (options.limits) return doubts;
  if (const std::vector<std::string> limits = at_limits(model, options.distance, contacts);
      !limits.empty()) {
    doubts.push_back(make_note(
        "joint_limits",
        fmt::format("with limits = false, these do not push back in the impact: {}; outcomes may "
                    "move joints and tendons further",
                    first_names(limits))));
  }
  return doubts;
}

}  // namespace carom::mujoco
