#include "host/bounds/impact_geometry.hpp"

namespace carom {
namespace {

RationalVector exact_vector(const Eigen::VectorXd& vector) {
  RationalVector result;
  for (const double entry : vector) result.push_back(exact(entry));
  return result;
}

RationalMatrix exact_rows(const Eigen::MatrixXd& matrix) {
  RationalMatrix rows;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i) rows.push_back(exact_vector(matrix.row(i)));
  return rows;
}

}  // namespace

// The coordinates are impulses along the edges themselves: edges are then unit vectors or sums of a
// few, and the start is 0, which keeps the integers of the hulls short.
ImpactGeometry::ImpactGeometry(const ImpactProblem& problem)
    : contacts_(problem.contacts()),
      directions_(problem.friction_directions),
      mass_(exact_rows(problem.mass_matrix)),
      start_(exact_vector(problem.pre_impact_velocity)) {
  const RationalMatrix normals = exact_rows(problem.normal_jacobian);
  const RationalMatrix tangents = exact_rows(problem.tangent_jacobian);
  const RationalMatrix directions = exact_rows(friction_direction_matrix(problem));
  RationalMatrix slips;
  RationalMatrix impulses;
  for (std::size_t i = 0; i < normals.size(); ++i) {
    const Rational friction = exact(problem.friction(static_cast<Eigen::Index>(i)));
    frictionless_.push_back(friction.is_zero());
    for (const RationalVector& direction : directions) {
      RationalVector slip(start_.size());
      RationalVector edge = normals[i];
      for (std::size_t j = 0; j < edge.size(); ++j) {
        for (std::size_t t = 0; t < direction.size(); ++t) {
          slip[j] += direction[t] * tangents[i * direction.size() + t][j];
        }
        edge[j] += friction * slip[j];
      }
      slips.push_back(std::move(slip));
      impulses.push_back(std::move(edge));
    }
  }
  const RowBasis basis = row_basis(impulses);
  RationalMatrix independent;
  for (const int i : basis.independent) independent.push_back(impulses[index(i)]);
  spread_ = solve(mass_, independent);
  // With E = the independent edges and v - v- = M^-1 E' y: (E M^-1 E') y = E (v - v-).
  for (const RationalVector& edge : independent) {
    gram_.emplace_back();
    for (const RationalVector& column : spread_) gram_.back().push_back(dot(edge, column));
  }
  RationalMatrix sides(start_.size(), RationalVector(independent.size()));
  for (std::size_t i = 0; i < independent.size(); ++i) {
    for (std::size_t j = 0; j < start_.size(); ++j) sides[j][i] = independent[i][j];
  }
  const RationalMatrix columns = solve(gram_, sides);
  coordinates_.assign(independent.size(), RationalVector(start_.size()));
  for (std::size_t i = 0; i < independent.size(); ++i) {
    for (std::size_t j = 0; j < start_.size(); ++j) coordinates_[i][j] = columns[j][i];
  }
  for (const RationalVector& weights : basis.weights) {
    RationalVector edge = weights;
    edge.insert(edge.begin(), Rational(0));
    edges_.push_back(primitive(edge));
  }
  for (const RationalVector& normal : normals) normals_.push_back(row(normal));
  for (const RationalVector& slip : slips) slips_.push_back(row(slip));
}

RationalVector ImpactGeometry::row(const RationalVector& direction) const {
  RationalVector result = {dot(direction, start_)};
  for (const RationalVector& column : spread_) result.push_back(dot(direction, column));
  return result;
}

RationalVector ImpactGeometry::velocity(const IntegerVector& point) const {
  RationalVector result = start_;
  for (std::size_t j = 0; j < spread_.size(); ++j) {
    const Rational share = Rational(point[j + 1], point[0]);
    for (std::size_t i = 0; i < result.size(); ++i) result[i] += share * spread_[j][i];
  }
  return result;
}

RationalVector ImpactGeometry::gradient(const IntegerVector& row) const {
  RationalVector result(start_.size());
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    for (std::size_t j = 0; j < result.size(); ++j) {
      result[j] += Rational(row[i + 1]) * coordinates_[i][j];
    }
  }
  return result;
}

RationalMatrix ImpactGeometry::unreachable() const {
  RationalMatrix rows;
  for (std::size_t i = 0; i < start_.size(); ++i) {
    RationalVector row(start_.size());
    row[i] = 1;
    bool zero = true;
    for (std::size_t j = 0; j < start_.size(); ++j) {
      for (std::size_t c = 0; c < spread_.size(); ++c) row[j] -= spread_[c][i] * coordinates_[c][j];
      zero = zero && row[j].is_zero();
    }
    if (!zero) rows.push_back(std::move(row));
  }
  return rows;
}

Rational ImpactGeometry::kinetic_energy(const IntegerVector& point) const {
  const RationalVector v = velocity(point);
  Rational twice = 0;
  for (std::size_t i = 0; i < v.size(); ++i) twice += v[i] * dot(mass_[i], v);
  return twice / 2;
}

// With v = v- + S y, G = S'MS and y0 = G^-1 S'M v-, the energy is at most that of v- where
// (y + y0)' G (y + y0) <= y0' G y0; coordinates_ is G^-1 S'M, gram_ is G.
std::vector<ImpactGeometry::Reach> ImpactGeometry::within_energy(
    const RationalMatrix& directions) const {
  RationalVector momentum;
  for (const RationalVector& mass_row : mass_) momentum.push_back(dot(mass_row, start_));
  RationalVector centre = start_;
  Rational radius_square = 0;
  for (std::size_t i = 0; i < coordinates_.size(); ++i) {
    const Rational y0 = dot(coordinates_[i], start_);
    for (std::size_t j = 0; j < centre.size(); ++j) centre[j] -= y0 * spread_[i][j];
    radius_square += y0 * dot(momentum, spread_[i]);
  }
  RationalMatrix slopes;  // of the directions' quantities in y
  for (const RationalVector& direction : directions) {
    slopes.emplace_back();
    for (const RationalVector& column : spread_) slopes.back().push_back(dot(direction, column));
  }
  const RationalMatrix steepest = solve(gram_, slopes);
  std::vector<Reach> reaches;
  for (std::size_t d = 0; d < directions.size(); ++d) {
    reaches.push_back({dot(directions[d], centre), dot(slopes[d], steepest[d]) * radius_square});
  }
  return reaches;
}

}  // namespace carom
