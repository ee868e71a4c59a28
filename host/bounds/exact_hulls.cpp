#include "host/bounds/exact_hulls.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>
#include <optional>

namespace carom {
namespace {

/// (P + K) n C, or (P n C + K) n C.
Polyhedron image(const Polyhedron& piece, const VelocityCell& cell, bool tight, ProofWork& work) {
  const Polyhedron source = tight ? piece.cut(cell.conditions, &work) : piece;
  if (source.empty()) return {};
  std::vector<IntegerVector> generators = source.generators();
  generators.insert(generators.end(), cell.edges.begin(), cell.edges.end());
  return Polyhedron::hull(generators, &work).cut(cell.conditions, &work);
}

/// Whether some contact approaches somewhere in the piece; elsewhere, no step is made.
bool collides(const Polyhedron& piece, const ImpactGeometry& geometry) {
  for (int contact = 0; contact < geometry.contacts(); ++contact) {
    const IntegerVector normal = primitive(geometry.normal(contact));
    for (const IntegerVector& point : piece.generators()) {
      if (dot(normal, point) < 0) return true;
    }
  }
  return false;
}

// Hulls may gain ever smaller corners without an end. Their facets do not move any more then, so
// that pieces with the facets of a few rounds, somewhat wider, hold all that steps can add.
constexpr int rounds_between_widenings = 4;
constexpr int most_rounds_of_widening = 6;
constexpr unsigned widening_digits = 30;  // 1e-9 of the facet's largest number

struct Source {
  Polyhedron piece;
  std::size_t cell;
};

/// Rounds of steps from all pieces to all cells.
class Growth {
 public:
  Growth(const ImpactGeometry& geometry, const std::vector<VelocityCell>& cells,
         const HullRules& rules, ProofWork& work)
      : geometry_(geometry),
        cells_(cells),
        tight_(rules.tight),
        goes_on_(rules.goes_on),
        work_(&work),
        pieces_(cells.size() + 1) {
    IntegerVector start(geometry.dimension() + 1);
    start.front() = 1;
    pieces_.back() = Polyhedron::hull({start});
    changed_ = {cells.size()};
  }

  /// Takes one step from the pieces that changed. A piece becomes join(piece, points outside it,
  /// work). Returns false if there are none. @throws OutOfWork, and the pieces are as before
  template <class Join>
  bool advance(const Join& join) {
    std::vector<Source> sources;
    for (const std::size_t index : changed_) {
      if (goes_on_ || collides(pieces_[index], geometry_)) {
        sources.push_back({pieces_[index], index});
      }
    }
    std::vector<std::optional<Polyhedron>> grown(cells_.size());
    tbb::parallel_for(std::size_t{0}, cells_.size(), [&](std::size_t target) {
      const Polyhedron& piece = pieces_[target];
      std::vector<IntegerVector> outside;
      for (const Source& source : sources) {
        if (source.cell == target) continue;  // two steps of one cell are one
        const Polyhedron reached = image(source.piece, cells_[target], tight_, *work_);
        for (const IntegerVector& point : reached.generators()) {
          if (!piece.contains(point)) outside.push_back(point);
        }
      }
      if (!outside.empty()) grown[target] = join(piece, outside, *work_);
    });
    changed_.clear();
    for (std::size_t target = 0; target < cells_.size(); ++target) {
      if (!grown[target]) continue;
      pieces_[target] = std::move(*grown[target]);
      changed_.push_back(target);
    }
    return !changed_.empty();
  }

  const std::vector<Polyhedron>& pieces() const { return pieces_; }

 private:
  const ImpactGeometry& geometry_;
  const std::vector<VelocityCell>& cells_;
  bool tight_;
  bool goes_on_;
  ProofWork* work_;
  std::vector<Polyhedron> pieces_;  // the last one is the start
  std::vector<std::size_t> changed_;
};

/// The hull of a piece and points outside it.
Polyhedron hull_with(const Polyhedron& piece, std::vector<IntegerVector> points, ProofWork& work) {
  points.insert(points.end(), piece.generators().begin(), piece.generators().end());
  return Polyhedron::hull(points, &work);
}

/// -row . point, relative to the largest entry of the row: how far a point is outside a facet.
Rational distance_outside(const IntegerVector& row, const IntegerVector& point,
                          const Integer& largest) {
  return {-dot(row, point), point.front() * largest};
}

/// The row of a facet that is moved outwards as far as points need, by whole multiples of a small
/// length, and one more.
IntegerVector moved(const IntegerVector& row, const std::vector<IntegerVector>& points) {
  Integer largest = 0;
  for (const Integer& entry : row) largest = std::max<Integer>(largest, multiprecision::abs(entry));
  Rational most = 0;
  for (const IntegerVector& point : points) {
    most = std::max(most, distance_outside(row, point, largest));
  }
  if (most.is_zero()) return row;
  const Rational lengths = most * Rational(Integer(1) << widening_digits);
  const Integer whole = numerator(lengths) / denominator(lengths) + 1;
  IntegerVector result = row;
  for (Integer& entry : result) entry <<= widening_digits;
  result.front() += whole * largest;
  make_primitive(result);
  return result;
}

/// A piece that holds points outside it, too, but has no more facets: those that the points are
/// outside of are moved.
Polyhedron widened(const Polyhedron& piece, const std::vector<IntegerVector>& points,
                   ProofWork& work) {
  // No moved facet would hold a direction.
  const bool bounded = std::ranges::none_of(
      points, [](const IntegerVector& point) { return point.front().is_zero(); });
  if (piece.empty() || !bounded) return hull_with(piece, points, work);
  std::vector<Condition> conditions;
  for (const Condition& condition : piece.conditions()) {
    if (!condition.equality || std::ranges::all_of(points, [&](const IntegerVector& point) {
          return condition.holds(point);
        })) {
      conditions.push_back({moved(condition.row, points), condition.equality});
      continue;
    }
    IntegerVector opposite = condition.row;
    for (Integer& entry : opposite) entry = -entry;
    conditions.push_back({moved(condition.row, points), false});
    conditions.push_back({moved(opposite, points), false});
  }
  IntegerVector weight(points.front().size());
  weight.front() = 1;
  if (std::ranges::find(conditions, weight, &Condition::row) == conditions.end()) {
    conditions.push_back({std::move(weight), false});
  }
  return Polyhedron::of(conditions, points.front().size(), &work);
}

}  // namespace

ReachableHulls reachable_hulls(const ImpactGeometry& geometry,
                               const std::vector<VelocityCell>& cells, const HullRules& rules,
                               ProofWork& work) {
  Growth growth(geometry, cells, rules, work);
  int rounds = 0;
  try {
    while (rounds < rules.most_rounds) {
      // Tight images depend on where a piece ends within its cell: wider ones gain vertices.
      std::optional<Growth> wider;
      if (!rules.tight && rounds > 0 && rounds % rounds_between_widenings == 0)
        wider.emplace(growth);
      if (!growth.advance(hull_with)) return {true, rounds, growth.pieces()};
      ++rounds;
      for (int more = 0; wider && more < most_rounds_of_widening; ++more) {
        if (!wider->advance(widened)) return {true, rounds - 1 + more, wider->pieces()};
      }
    }
  } catch (const OutOfWork&) {
    return {false, rounds, growth.pieces(), true};
  }
  return {false, rounds, growth.pieces()};
}

}  // namespace carom
