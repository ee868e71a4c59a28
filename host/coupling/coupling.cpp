#include "carom/coupling.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "carom/derivative.hpp"
#include "carom/error.hpp"
#include "host/laws/propagative/reflections.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {
namespace {

constexpr double no_cosine = 1e-9;  // rounding of a cosine, far below any that matters

/// An orthonormal basis of the momenta that a contact can receive, in the kinetic metric.
/// @param whitened L^-1 J' of the contact's rows J, with M = L L'
Eigen::MatrixXd basis_of(const Eigen::MatrixXd& whitened) {
  constexpr double rounding = 1e-12;  // of a direction, part of the longest one
  const OrthogonalFactors factors(whitened, rounding);
  return factors.left().leftCols(factors.rank());
}

Eigen::MatrixXd contact_cosines(const ImpactProblem& problem) {
  const Eigen::Index m = problem.contacts();
  const Eigen::Index d = problem.tangent_dimension();
  const Cholesky mass(problem.mass_matrix);
  std::vector<Eigen::MatrixXd> bases;
  for (Eigen::Index i = 0; i < m; ++i) {
    const Eigen::Index tangents = problem.friction(i) > 0.0 ? d : 0;
    Eigen::MatrixXd directions(problem.velocities(), 1 + tangents);
    directions << problem.normal_jacobian.row(i).transpose(),
        problem.tangent_jacobian.middleRows(i * d, tangents).transpose();
    bases.push_back(basis_of(mass.solve_lower(directions)));
  }
  Eigen::MatrixXd cosines = Eigen::MatrixXd::Identity(m, m);
  for (Eigen::Index i = 0; i < m; ++i) {
    for (Eigen::Index j = 0; j < i; ++j) {
      const Eigen::MatrixXd product =
          bases[static_cast<std::size_t>(i)].transpose() * bases[static_cast<std::size_t>(j)];
      cosines(i, j) = cosines(j, i) = std::min(singular_values(product)(0), 1.0);
    }
  }
  return cosines;
}

/// Contacts that a chain of others connects are in one group.
std::vector<std::vector<int>> groups_of(const Eigen::MatrixXd& cosines) {
  const int m = static_cast<int>(cosines.rows());
  std::vector<std::vector<int>> groups;
  std::vector<bool> placed(static_cast<std::size_t>(m), false);
  for (int first = 0; first < m; ++first) {
    if (placed[static_cast<std::size_t>(first)]) continue;
    std::vector<int>& group = groups.emplace_back(1, first);
    placed[static_cast<std::size_t>(first)] = true;
    for (std::size_t k = 0; k < group.size(); ++k) {
      for (int j = 0; j < m; ++j) {
        if (placed[static_cast<std::size_t>(j)] || cosines(group[k], j) <= no_cosine) continue;
        placed[static_cast<std::size_t>(j)] = true;
        group.push_back(j);
      }
    }
    std::sort(group.begin(), group.end());
  }
  return groups;
}

/// Impacts of two contacts in turn until none approaches.
struct Pair {
  Eigen::Matrix2d delassus;
  Eigen::Vector2d restitution;
  Eigen::Vector2d speeds;  ///< separating, before the impacts

  /// The separating speeds afterwards. A contact that stuck stays closed while another impact
  /// presses it.
  Eigen::Vector2d after(int next) const {
    constexpr int most = 10'000;  // elastic normals that are nearly opposite take long
    Eigen::Vector2d now = speeds;
    bool stuck[2] = {false, false};
    for (int impact = 0; impact < most; ++impact) {
      const int other = 1 - next;
      const double pushed = delassus(other, next) / delassus(next, next);
      const double change = -(1.0 + restitution(next)) * now(next);
      stuck[other] = stuck[other] && pushed <= 0.0;
      now(other) = stuck[other] ? 0.0 : now(other) + pushed * change;
      now(next) += change;
      stuck[next] = restitution(next) == 0.0;
      if (!(now(other) < 0.0)) break;
      next = other;
    }
    return now;
  }
};

/// Follows all orders of the contacts that approach; false if that is not possible, or not all.
bool find_jump_of_orders(ImpactProblem problem, Coupling& found) {
  constexpr Eigen::Index most = 5;  // contacts: 120 orders
  const Eigen::VectorXd before = problem.normal_jacobian * problem.pre_impact_velocity;
  const Eigen::Index approaching = (before.array() < 0.0).count();
  if (approaching == 0) return true;
  if (approaching > most) return false;
  problem.friction.setZero();
  ImpactInMotion impact;
  try {
    impact = derivative(problem);
  } catch (const InputError&) {  // as of redundant contacts, or of one that rests and bounces
    return false;
  }
  if (impact.continuous) return impact.all_orders;
  for (const ImpactOrder& one : impact.orders) {
    for (const ImpactOrder& other : impact.orders) {
      const double jump =
          (problem.normal_jacobian * (one.velocity - other.velocity)).cwiseAbs().maxCoeff();
      const auto [first, second] = std::ranges::mismatch(one.contacts, other.contacts);
      if (jump <= found.jump || first == one.contacts.end() || second == other.contacts.end()) {
        continue;
      }
      found.jump = jump;
      found.first = *first;
      found.second = *second;
    }
  }
  return impact.all_orders;
}

void find_jump(const ImpactProblem& problem, Coupling& found) {
  found.all_orders = find_jump_of_orders(problem, found);
  if (found.all_orders) return;
  const Eigen::MatrixXd delassus = Reflections(problem).delassus();
  const Eigen::VectorXd speeds = problem.normal_jacobian * problem.pre_impact_velocity;
  const Eigen::VectorXd restitution = problem.restitution.size() > 0
                                          ? problem.restitution
                                          : Eigen::VectorXd::Zero(problem.contacts());
  for (int i = 0; i < problem.contacts(); ++i) {
    for (int j = i + 1; j < problem.contacts(); ++j) {
      // A contact that rests or opens is not waiting to impact: there is no order.
      if (!(speeds(i) < 0.0) || !(speeds(j) < 0.0)) continue;
      if (std::abs(found.normal(i, j)) <= no_cosine) continue;
      const std::vector<int> rows = {i, j};
      const Pair pair{delassus(rows, rows), restitution(rows), speeds(rows)};
      const double jump = (pair.after(0) - pair.after(1)).cwiseAbs().maxCoeff();
      if (jump > found.jump) {
        found.jump = jump;
        found.first = i;
        found.second = j;
      }
    }
  }
}

/// The greatest entry beside the diagonal.
double greatest_of(Eigen::MatrixXd matrix) {
  matrix.diagonal().setZero();
  return matrix.maxCoeff();
}

}  // namespace

const char* verdict_name(Coupling::Verdict verdict) {
  constexpr const char* names[] = {"orthogonal", "decoupled", "obtuse", "coupled"};
  return names[static_cast<int>(verdict)];
}

std::vector<std::vector<int>> contact_groups(const ImpactProblem& problem) {
  return groups_of(contact_cosines(validated(problem)));
}

Coupling coupling(const ImpactProblem& given) {
  using Verdict = Coupling::Verdict;
  const ImpactProblem problem = validated(given);
  Coupling found;
  found.normal = normal_cosines(problem);
  found.contact = contact_cosines(problem);
  found.groups = groups_of(found.contact);
  const bool split = greatest_of(found.contact) <= no_cosine;
  if (!problem.friction.isZero(0.0)) {
    found.verdict = split ? Verdict::decoupled : Verdict::coupled;
  } else if (split) {
    found.verdict = Verdict::orthogonal;
  } else {
    found.verdict = greatest_of(found.normal) > no_cosine ? Verdict::coupled : Verdict::obtuse;
  }
  find_jump(problem, found);
  return found;
}

}  // namespace carom
