#include "host/problem/mujoco/merge_contacts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "host/problem/decompositions.hpp"

namespace carom::mujoco {
namespace {

constexpr double angle_tolerance = 1e-9;   // between normals, rad
constexpr double length_tolerance = 1e-6;  // m, off a plane or an edge
constexpr double friction_rounding = 1e-12;
constexpr double motion_tolerance = 1e-9;  // relative

using Numbers = std::vector<std::size_t>;  // of contacts

/// Whether two contacts are of the same pair of rigid bodies, with one normal and friction.
bool alike(const ModelView& model, const Contact& a, const Contact& b) {
  const auto body = [&](int geom) {
    return model.model().body_weldid[model.model().geom_bodyid[geom]];
  };
  return body(a.geom) == body(b.geom) && body(a.other) == body(b.other) &&
         (a.frame.row(0) - b.frame.row(0)).norm() <= angle_tolerance &&
         std::abs(a.friction - b.friction) <= friction_rounding;
}

/// Points in the tangents' directions and along the normal, of contacts with one normal.
Eigen::MatrixX3d places_of(const std::vector<Contact>& contacts, const Numbers& group) {
  const Eigen::Matrix3d& frame = contacts[group[0]].frame;
  Eigen::MatrixX3d places(static_cast<Eigen::Index>(group.size()), 3);
  for (std::size_t i = 0; i < group.size(); ++i) {
    const Eigen::Vector3d from = contacts[group[i]].place - contacts[group[0]].place;
    places.row(static_cast<Eigen::Index>(i)) << frame.row(1) * from, frame.row(2) * from,
        frame.row(0) * from;
  }
  return places;
}

bool in_one_plane(const Eigen::MatrixX3d& places) {
  Eigen::MatrixX3d terms = places;
  terms.col(2).setOnes();
  const Eigen::Vector3d plane = OrthogonalFactors(terms).solve(places.col(2));
  return (terms * plane - places.col(2)).cwiseAbs().maxCoeff() <= length_tolerance;
}

/// One chain of the convex hull of points in the order of `order`, to the left of their way.
void add_chain(const Eigen::MatrixX3d& places, const Numbers& order, std::vector<bool>& is_corner) {
  Numbers chain;
  const auto at = [&](std::size_t i) { return places.row(static_cast<Eigen::Index>(i)).head<2>(); };
  for (const std::size_t i : order) {
    while (chain.size() > 1) {
      const Eigen::Vector2d whole = at(i) - at(chain[chain.size() - 2]);
      const Eigen::Vector2d part = at(chain.back()) - at(chain[chain.size() - 2]);
      // How far the last corner is to the right of the line past it.
      const double right = whole.x() * part.y() - whole.y() * part.x();
      if (right < -length_tolerance * whole.norm()) break;
      chain.pop_back();
    }
    chain.push_back(i);
  }
  for (const std::size_t i : chain) is_corner[i] = true;
}

std::vector<bool> corners_of(const Eigen::MatrixX3d& places) {
  Numbers order(static_cast<std::size_t>(places.rows()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const auto i = static_cast<Eigen::Index>(a);
    const auto j = static_cast<Eigen::Index>(b);
    return places(i, 0) != places(j, 0) ? places(i, 0) < places(j, 0) : places(i, 1) < places(j, 1);
  });
  std::vector<bool> is_corner(order.size(), false);
  add_chain(places, order, is_corner);
  std::reverse(order.begin(), order.end());
  add_chain(places, order, is_corner);
  return is_corner;
}

/// Leaves the corners of a polygon out whose triangle with both neighbours is the least, until
/// `most` are left.
void thin_out(const Eigen::MatrixX3d& places, std::size_t most, std::vector<bool>& is_corner) {
  Numbers polygon;
  for (std::size_t i = 0; i < is_corner.size(); ++i) {
    if (is_corner[i]) polygon.push_back(i);
  }
  const auto at = [&](std::size_t i) -> Eigen::Vector2d {
    return places.row(static_cast<Eigen::Index>(i)).head<2>();
  };
  Eigen::Vector2d centre = Eigen::Vector2d::Zero();
  for (const std::size_t i : polygon) centre += at(i) / static_cast<double>(polygon.size());
  const auto angle = [&](std::size_t i) {
    const Eigen::Vector2d from = at(i) - centre;
    return std::atan2(from.y(), from.x());
  };
  std::ranges::stable_sort(polygon, {}, angle);
  const auto area = [&](std::size_t place) {
    const std::size_t size = polygon.size();
    const Eigen::Vector2d before = at(polygon[(place + size - 1) % size]) - at(polygon[place]);
    const Eigen::Vector2d after = at(polygon[(place + 1) % size]) - at(polygon[place]);
    return std::abs(before.x() * after.y() - before.y() * after.x());
  };
  while (polygon.size() > most) {
    std::size_t least = 0;
    for (std::size_t place = 1; place < polygon.size(); ++place) {
      if (area(place) < area(least)) least = place;
    }
    is_corner[polygon[least]] = false;
    polygon.erase(polygon.begin() + static_cast<std::ptrdiff_t>(least));
  }
}

bool move_alike(const Contact& a, const Contact& b) {
  return (a.motion - b.motion).cwiseAbs().maxCoeff() <=
         motion_tolerance * a.motion.cwiseAbs().maxCoeff();
}

/// Marks the contacts of a group that are no corners, or are too many; returns their number.
int keep_corners(const std::vector<Contact>& contacts, int merge, const Numbers& group,
                 std::vector<bool>& is_left_out) {
  const Eigen::MatrixX3d places = places_of(contacts, group);
  if (!in_one_plane(places)) return 0;
  std::vector<bool> is_corner = corners_of(places);
  if (merge > 1) thin_out(places, static_cast<std::size_t>(merge), is_corner);
  for (std::size_t i = 0; i < group.size(); ++i) is_left_out[group[i]] = !is_corner[i];
  return static_cast<int>(std::ranges::count(is_corner, false));
}

/// Marks the contacts of a group that move like another one, whose bodies are as close or closer.
void keep_one_of_each_motion(const std::vector<Contact>& contacts, const Numbers& group,
                             std::vector<bool>& is_left_out) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    for (std::size_t j = 0; j < i && !is_left_out[group[i]]; ++j) {
      const Contact& a = contacts[group[j]];
      const Contact& b = contacts[group[i]];
      if (is_left_out[group[j]] || !move_alike(a, b)) continue;
      is_left_out[group[b.gap < a.gap ? j : i]] = true;
    }
  }
}

}  // namespace

int merge_contacts(const ModelView& model, int merge, std::size_t first,
                   std::vector<Contact>& contacts) {
  int inner = 0;
  std::vector<bool> is_left_out(contacts.size(), false);
  std::vector<bool> is_grouped(contacts.size(), false);
  for (std::size_t i = first; i < contacts.size(); ++i) {
    if (is_grouped[i]) continue;
    Numbers group;
    for (std::size_t j = i; j < contacts.size(); ++j) {
      if (is_grouped[j] || !alike(model, contacts[i], contacts[j])) continue;
      is_grouped[j] = true;
      group.push_back(j);
    }
    if (merge != 0 && group.size() > 2) inner += keep_corners(contacts, merge, group, is_left_out);
    keep_one_of_each_motion(contacts, group, is_left_out);
  }
  std::size_t kept = first;
  for (std::size_t i = first; i < contacts.size(); ++i) {
    if (is_left_out[i]) continue;
    if (kept != i) contacts[kept] = std::move(contacts[i]);
    ++kept;
  }
  contacts.resize(kept);
  return inner;
}

}  // namespace carom::mujoco
