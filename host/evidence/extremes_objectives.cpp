#include "host/evidence/extremes_objectives.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "host/evidence/script_moves.hpp"

namespace carom {
namespace {

void add_contact_objectives(const ImpactProblem& problem, std::vector<SoughtOutcome>& list) {
  const int d = problem.tangent_dimension();
  const auto add = [&](const Eigen::VectorXd& row, const std::string& what) {
    for (const bool greatest : {true, false}) {
      SoughtOutcome sought;
      sought.objective = (greatest ? "greatest " : "least ") + what;
      sought.greatest = greatest;
      sought.direction.assign(row.begin(), row.end());
      list.push_back(std::move(sought));
    }
  };
  for (int i = 0; i < problem.contacts(); ++i) {
    const std::string& name = problem.contact_names[static_cast<std::size_t>(i)];
    add(problem.normal_jacobian.row(i), "normal velocity of " + name);
    for (int a = 0; a < d; ++a) {
      const std::string axis = d == 1 ? "" : fmt::format(" {}", a + 1);
      add(problem.tangent_jacobian.row(i * d + a),
          fmt::format("tangential velocity{} of {}", axis, name));
    }
  }
}

/// An isotropic unit vector, without log or sin: pairs of coordinates have directions uniform on
/// the circle, and the squares of their lengths are uniform on the simplex. For an odd number of
/// coordinates, the last coordinate of a vector that is longer by one is dropped.
Eigen::VectorXd isotropic_direction(const Philox& random, int size) {
  constexpr std::uint32_t stream = 1;  // the searches use stream 0
  SearchNumbers numbers(random, stream);
  const int pairs = (size + 1) / 2;
  for (;;) {
    std::vector<double> cuts = {0.0, 1.0};
    Eigen::VectorXd direction(2 * pairs);
    for (int p = 1; p < pairs; ++p) cuts.push_back(numbers.next());
    std::ranges::sort(cuts);
    for (int p = 0; p < pairs; ++p) {
      double x = 0.0;
      double y = 0.0;
      double square = 0.0;
      do {  // until the point lies in the circle
        x = 2.0 * numbers.next() - 1.0;
        y = 2.0 * numbers.next() - 1.0;
        square = x * x + y * y;
      } while (!(square > 0.0 && square <= 1.0));
      const std::size_t gap = static_cast<std::size_t>(p);
      const double length = std::sqrt((cuts[gap + 1] - cuts[gap]) / square);
      direction(2 * p) = length * x;
      direction(2 * p + 1) = length * y;
    }
    direction.conservativeResize(size);
    const double norm = direction.norm();
    if (norm > 0.0) return direction / norm;
  }
}

/// Directions isotropic in the kinetic norm |v|_M = |L' v|, M = L L': products with L times an
/// isotropic unit vector, in sqrt(J).
void add_random_objectives(const ImpactProblem& problem, const Philox& random, int count,
                           std::vector<SoughtOutcome>& list) {
  const Eigen::MatrixXd factor = problem.mass_matrix.llt().matrixL();
  for (int k = 0; k < count; ++k) {
    const Eigen::VectorXd direction =
        factor *
        isotropic_direction(random.of(static_cast<std::uint64_t>(k)), problem.velocities());
    SoughtOutcome sought;
    sought.objective = fmt::format("greatest along random direction {}", k + 1);
    sought.direction.assign(direction.begin(), direction.end());
    list.push_back(std::move(sought));
  }
}

}  // namespace

std::vector<SoughtOutcome> extreme_objectives(const ImpactProblem& problem, const Philox& random,
                                              int random_directions) {
  std::vector<SoughtOutcome> list;
  add_contact_objectives(problem, list);
  add_random_objectives(problem, random, random_directions, list);
  return list;
}

}  // namespace carom
