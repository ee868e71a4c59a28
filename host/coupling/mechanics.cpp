#include "host/coupling/mechanics.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "carom/error.hpp"
#include "host/coupling/differences.hpp"

namespace carom {
namespace {

void require_shape(const char* name, const Eigen::MatrixXd& value, Eigen::Index rows,
                   Eigen::Index columns) {
  if (value.rows() != rows || value.cols() != columns) {
    throw InputError(fmt::format("{} is {} x {} (must be {} x {})", name, value.rows(),
                                 value.cols(), rows, columns));
  }
  if (!value.allFinite()) {
    throw InputError(
        fmt::format("{} has entries that are not finite at the start (must be)", name));
  }
}

/// @throws InputError if gap_jacobian is not the derivative of gaps at q
void require_rates(const Motion& motion, const Eigen::VectorXd& q,
                   const std::vector<std::string>& names) {
  constexpr double near = 1e-3;  // differences reach some 1e-5 m or rad
  constexpr double tolerance = 1e-4, rounding = 1e-9;
  const Eigen::VectorXd gaps = motion.gaps(q);
  const Eigen::MatrixXd stated = motion.gap_jacobian(q);
  const Eigen::MatrixXd found =
      jacobian_of(motion.gaps, q, Eigen::VectorXd::Constant(q.size(), near));
  for (Eigen::Index i = 0; i < stated.rows(); ++i) {
    if (!found.row(i).allFinite()) continue;  // the gap may end beside the start
    Eigen::Index k = 0;
    const double most = (stated.row(i) - found.row(i)).cwiseAbs().maxCoeff(&k);
    const double scale = std::max(1.0, found.row(i).cwiseAbs().maxCoeff());
    if (most <= tolerance * scale + rounding * std::abs(gaps(i))) continue;
    throw InputError(fmt::format(
        "gap_jacobian[{}][{}] is {:.6g} at the start (must be {:.6g}, the derivative of the gap of "
        "contact {})",
        i, k, stated(i, k), found(i, k), names[static_cast<std::size_t>(i)]));
  }
}

}  // namespace

struct Mechanics::Multipliers {
  Eigen::VectorXd forces;
  Eigen::VectorXd acceleration;
};

Mechanics::Mechanics(const Motion& motion, const Eigen::VectorXd& state)
    : motion_(motion), coordinates_(state.size() / 2), names_(motion.contact_names) {
  if (state.size() == 0 || state.size() % 2 != 0) {
    throw InputError(fmt::format(
        "start has {} numbers (must have an even number: coordinates and as many velocities)",
        state.size()));
  }
  require_shape("start", state, state.size(), 1);
  for (const auto& [name, is_given] : {std::pair("mass", static_cast<bool>(motion.mass)),
                                       {"gaps", static_cast<bool>(motion.gaps)},
                                       {"gap_jacobian", static_cast<bool>(motion.gap_jacobian)},
                                       {"force", static_cast<bool>(motion.force)}}) {
    if (!is_given) throw InputError(fmt::format("{} is missing (must be a function)", name));
  }
  const Eigen::VectorXd q = state.head(coordinates_), v = state.tail(coordinates_);
  const Eigen::Index m = motion.gaps(q).size();
  restitution_ = motion.restitution.size() > 0 ? motion.restitution : Eigen::VectorXd::Zero(m);
  require_shape("mass", motion.mass(q), coordinates_, coordinates_);
  require_shape("gap_jacobian", motion.gap_jacobian(q), m, coordinates_);
  require_shape("force", motion.force(q, v), coordinates_, 1);
  require_shape("restitution", restitution_, m, 1);
  if (motion.scale.size() > 0) require_shape("scale", motion.scale, m, coordinates_);
  for (int i = 0; i < m; ++i) {
    all_.push_back(i);
    if (restitution_(i) >= 0.0 && restitution_(i) <= 1.0) continue;
    throw InputError(
        fmt::format("restitution[{}] is {} (must be from 0 to 1)", i, restitution_(i)));
  }
  if (!Cholesky(motion.mass(q)).succeeded()) {
    throw InputError("mass is not positive definite at the start");
  }
  for (int i = static_cast<int>(names_.size()); i < m; ++i) {
    names_.push_back(m <= 26 ? std::string(1, static_cast<char>('A' + i)) : std::to_string(i));
  }
  // Elsewhere a gap may have a bend here.
  if (!motion.piece && motion.scale.size() == 0) require_rates(motion, q, names_);
}

Eigen::VectorXd Mechanics::possible_speeds(const Eigen::VectorXd& state) const {
  const Eigen::VectorXd q = state.head(coordinates_), v = state.tail(coordinates_);
  const Eigen::MatrixXd mass = motion_.mass(q), rows = motion_.gap_jacobian(q);
  const Eigen::MatrixXd delassus = rows * Cholesky(mass).solve(rows.transpose());
  return (delassus.diagonal() * v.dot(mass * v)).cwiseSqrt();
}

Eigen::VectorXd Mechanics::scales(const Contacts& pushing, const Eigen::VectorXd& state) const {
  Eigen::VectorXd all = state.cwiseAbs().cwiseMax(1.0);
  if (motion_.scale.size() == 0 || pushing.empty()) return all;
  all.head(coordinates_) = motion_.scale(pushing, Eigen::all).colwise().minCoeff();
  return all;
}

double Mechanics::bending_time(const Contacts& pushing, const Eigen::VectorXd& state) const {
  return (scales(pushing, state).head(coordinates_).array() /
          state.tail(coordinates_).array().abs())
      .minCoeff();
}

void Mechanics::require_smooth(const Contacts& contacts, const Eigen::VectorXd& from,
                               const Eigen::VectorXd& to, double time) const {
  if (!motion_.piece) return;
  for (const int i : contacts) {
    const int piece = motion_.piece(to.head(coordinates_), i);
    if (piece >= 0 && piece == motion_.piece(from.head(coordinates_), i)) continue;
    throw InputError(fmt::format(
        "contact {} is near the end of an edge at {:.6g} s (must be away from it: there, its gap "
        "has no second derivative)",
        name(i), time));
  }
}

Mechanics::Multipliers Mechanics::multipliers(const Contacts& closed,
                                              const Eigen::VectorXd& state) const {
  const Eigen::VectorXd q = state.head(coordinates_), v = state.tail(coordinates_);
  const Cholesky mass(motion_.mass(q));
  const Eigen::VectorXd free = mass.solve(motion_.force(q, v));
  if (closed.empty()) return {Eigen::VectorXd(), free};
  const Eigen::MatrixXd rows = motion_.gap_jacobian(q)(closed, Eigen::all);
  const Eigen::MatrixXd response = mass.solve(rows.transpose());
  // (d/dt Da) v along the motion, in differences over a time of little motion
  const Eigen::VectorXd bending = slope_of(
      [&](double h) {
        return Eigen::VectorXd(motion_.gap_jacobian(q + h * v)(closed, Eigen::all) * v);
      },
      std::min(1.0, bending_time(closed, state)));
  const Eigen::VectorXd forces = -Cholesky(rows * response).solve(rows * free + bending);
  return {forces, free + response * forces};
}

Eigen::VectorXd Mechanics::field(const Contacts& closed, const Eigen::VectorXd& state) const {
  Eigen::VectorXd slope(state.size());
  slope << state.tail(coordinates_), multipliers(closed, state).acceleration;
  return slope;
}

Eigen::VectorXd Mechanics::forces(const Contacts& closed, const Eigen::VectorXd& state) const {
  return multipliers(closed, state).forces;
}

void Mechanics::release(Contacts& closed, const Eigen::VectorXd& state) const {
  while (!closed.empty()) {
    Eigen::Index least = 0;
    if (forces(closed, state).minCoeff(&least) >= 0.0) return;
    closed.erase(closed.begin() + least);
  }
}

Mechanics::Push Mechanics::push_of(const Contacts& contacts, const Eigen::VectorXd& q) const {
  const Eigen::MatrixXd rows = motion_.gap_jacobian(q)(contacts, Eigen::all);
  const Eigen::MatrixXd response = Cholesky(motion_.mass(q)).solve(rows.transpose());
  constexpr double redundant = 1e-10;
  const OrthogonalFactors factors(rows * response, redundant);
  if (factors.rank() == rows.rows()) return {rows, response, factors};
  std::string names;
  for (const int i : contacts) names += (names.empty() ? "" : ", ") + name(i);
  throw InputError(
      fmt::format("contacts {} are redundant (must be independent for a derivative)", names));
}

Eigen::VectorXd Mechanics::impulses(const Contacts& pushing, int contact, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& v, Eigen::VectorXd* after) const {
  const Push push = push_of(pushing, q);
  Eigen::VectorXd wanted = -push.rows * v;
  for (std::size_t i = 0; i < pushing.size(); ++i) {
    if (pushing[i] == contact) wanted(static_cast<Eigen::Index>(i)) *= 1.0 + restitution(contact);
  }
  const Eigen::VectorXd found = push.factors.solve(wanted);
  *after = v + push.response * found;
  return found;
}

Mechanics::Impact Mechanics::impact(const Contacts& closed, int contact,
                                    const Eigen::VectorXd& state) const {
  Impact found{state, closed, closed};
  Contacts& pushing = found.pushing;
  pushing.insert(std::ranges::lower_bound(pushing, contact), contact);
  const Eigen::VectorXd q = state.head(coordinates_), v = state.tail(coordinates_);
  const Eigen::VectorXd possible = possible_speeds(state);
  Eigen::VectorXd after;
  while (true) {
    const Eigen::VectorXd pushed = impulses(pushing, contact, q, v, &after);
    Eigen::Index least = 0;
    // A tie, as of orthogonal contacts, is no pull.
    constexpr double noise = 1e-12;
    if (pushed.minCoeff(&least) >= -noise * pushed.cwiseAbs().maxCoeff()) break;
    Contacts others = pushing;
    others.erase(others.begin() + least);
    Eigen::VectorXd lifted;
    impulses(others, contact, q, v, &lifted);
    // So slow a hop would end at once and lift others, more slowly each time, without end.
    constexpr double no_hop = 1e-5;
    const int weakest = pushing[static_cast<std::size_t>(least)];
    if (motion_.gap_jacobian(q).row(weakest).dot(lifted) <= no_hop * possible(weakest)) break;
    pushing = others;
  }
  found.state.tail(coordinates_) = after;
  found.closed = pushing;
  if (restitution(contact) > 0.0) std::erase(found.closed, contact);
  release(found.closed, found.state);
  return found;
}

Eigen::MatrixXd Mechanics::saltation(const Contacts& closed, int contact,
                                     const Eigen::VectorXd& state, const Impact& impact) const {
  const Eigen::MatrixXd reset = jacobian_of(
      [&](const Eigen::VectorXd& x) {
        Eigen::VectorXd after, moved = x;
        impulses(impact.pushing, contact, x.head(coordinates_), x.tail(coordinates_), &after);
        moved.tail(coordinates_) = after;
        return moved;
      },
      state, scales(impact.pushing, state));
  const Eigen::VectorXd before = field(closed, state);
  const Eigen::VectorXd after = field(impact.closed, impact.state);
  Eigen::RowVectorXd guard = Eigen::RowVectorXd::Zero(state.size());
  guard.head(coordinates_) = motion_.gap_jacobian(state.head(coordinates_)).row(contact);
  return reset + (after - reset * before) * guard / guard.dot(before);
}

}  // namespace carom
