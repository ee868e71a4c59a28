#pragma once

#include <boost/dynamic_bitset.hpp>
#include <vector>

#include "host/bounds/exact.hpp"
#include "host/bounds/proof_work.hpp"

namespace carom {

/// row . x >= 0, or row . x = 0, for homogeneous x = (1, y).
struct Condition {
  IntegerVector row;
  bool equality = false;

  bool holds(const IntegerVector& x) const {
    const Integer value = dot(row, x);
    return equality ? value.is_zero() : value >= 0;
  }
};

/// A polyhedron without lines by its vertices and extreme directions and by its facets, exactly.
/// Generators are homogeneous, primitive integer vectors: points (w, w y) with w > 0 and directions
/// (0, y). Its functions count their work, if they are given one.
class Polyhedron {
 public:
  Polyhedron() = default;  ///< empty
  /// The convex hull of points and directions, some of which may be superfluous.
  static Polyhedron hull(const std::vector<IntegerVector>& generators, ProofWork* work = nullptr);
  /// What the conditions, w >= 0 among them, leave of the space of vectors of this size.
  static Polyhedron of(const std::vector<Condition>& conditions, std::size_t size,
                       ProofWork* work = nullptr);

  /// The part that keeps the conditions.
  Polyhedron cut(const std::vector<Condition>& conditions, ProofWork* work = nullptr) const;
  bool contains(const IntegerVector& generator) const;

  bool empty() const { return generators_.empty(); }
  const std::vector<IntegerVector>& generators() const { return generators_; }
  /// They describe the polyhedron. Of a hull: its facets, and equalities that span its affine hull;
  /// of others, some may be superfluous.
  const std::vector<Condition>& conditions() const { return conditions_; }

 private:
  using Bits = boost::dynamic_bitset<>;

  std::vector<IntegerVector> generators_;
  std::vector<Condition> conditions_;
  std::vector<Bits> tight_;  // of each generator: the conditions that it keeps with equality
};

}  // namespace carom
