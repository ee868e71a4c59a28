#include "host/evidence/extremes_objectives.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "host/evidence/script_moves.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {
namespace {

/// The words before the name of a quantity whose end is sought.
constexpr const char* end_words(bool greatest) { return greatest ? "greatest " : "least "; }

/// The greatest and the least product of a row with the velocity.
void add_both_ends(const Eigen::VectorXd& row, const std::string& what,
                   std::vector<SoughtOutcome>& list) {
  for (const bool greatest : {true, false}) {
    SoughtOutcome sought;
    sought.objective = end_words(greatest) + what;
    sought.greatest = greatest;
    sought.direction.assign(row.begin(), row.end());
    list.push_back(std::move(sought));
  }
}

void add_contact_objectives(const ImpactProblem& problem, std::vector<SoughtOutcome>& list) {
  const int d = problem.tangent_dimension();
  for (int i = 0; i < problem.contacts(); ++i) {
    const std::string& name = problem.contact_names[static_cast<std::size_t>(i)];
    add_both_ends(problem.normal_jacobian.row(i), "normal velocity of " + name, list);
    for (int a = 0; a < d; ++a) {
      const std::string axis = d == 1 ? "" : fmt::format(" {}", a + 1);
      add_both_ends(problem.tangent_jacobian.row(i * d + a),
                    fmt::format("tangential velocity{} of {}", axis, name), list);
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
  const Eigen::MatrixXd factor = Cholesky(problem.mass_matrix).lower();
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
                                              int random_directions, const Outputs& outputs) {
  std::vector<SoughtOutcome> list;
  if (random_directions >= 0) {
    add_contact_objectives(problem, list);
    add_random_objectives(problem, random, random_directions, list);
  }
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    add_both_ends(outputs.matrix.row(static_cast<Eigen::Index>(i)), outputs.names[i], list);
  }
  return list;
}

std::vector<OutputEnds> output_ends(const Outputs& outputs,
                                    const std::vector<SoughtOutcome>& sought) {
  // They are the last ones: two each, the greatest first.
  const std::size_t count = 2 * outputs.size();
  if (sought.size() < count) return {};
  std::vector<OutputEnds> list;
  for (std::size_t i = sought.size() - count; i < sought.size(); i += 2) {
    const SoughtOutcome& high = sought[i];
    const SoughtOutcome& low = sought[i + 1];
    const std::string& name = outputs.names[list.size()];
    if (high.objective != end_words(true) + name || low.objective != end_words(false) + name) {
      return {};
    }
    list.push_back({name, high.direction, low.found, high.found});
  }
  return list;
}

}  // namespace carom
