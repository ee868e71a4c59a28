#include "host/bounds/exact_hulls.hpp"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cstddef>

namespace carom {
namespace {

/// (P + K) n C, or (P n C + K) n C.
Polyhedron image(const Polyhedron& piece, const VelocityCell& cell, bool tight) {
  const Polyhedron source = tight ? piece.cut(cell.conditions) : piece;
  if (source.empty()) return {};
  std::vector<IntegerVector> generators = source.generators();
  generators.insert(generators.end(), cell.edges.begin(), cell.edges.end());
  return Polyhedron::hull(generators).cut(cell.conditions);
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

// Pieces with more vertices than this will hardly close, and rounds take minutes.
constexpr std::size_t most_vertices = 4000;

struct Source {
  Polyhedron piece;
  std::size_t cell;
};

}  // namespace

ReachableHulls reachable_hulls(const ImpactGeometry& geometry,
                               const std::vector<VelocityCell>& cells, const HullRules& rules) {
  IntegerVector start(geometry.dimension() + 1);
  start.front() = 1;
  ReachableHulls result;
  result.pieces.resize(cells.size() + 1);  // the last one is the start
  result.pieces.back() = Polyhedron::hull({start});
  std::vector<std::size_t> changed = {cells.size()};
  std::size_t vertices = 1;
  while (result.rounds < rules.most_rounds && vertices <= most_vertices) {
    std::vector<Source> sources;
    for (const std::size_t index : changed) {
      if (collides(result.pieces[index], geometry))
        sources.push_back({result.pieces[index], index});
    }
    std::vector<char> grown(cells.size(), 0);
    tbb::parallel_for(std::size_t{0}, cells.size(), [&](std::size_t target) {
      Polyhedron& piece = result.pieces[target];
      std::vector<IntegerVector> points = piece.generators();
      for (const Source& source : sources) {
        if (source.cell == target) continue;  // two steps of one cell are one
        const Polyhedron reached = image(source.piece, cells[target], rules.tight);
        for (const IntegerVector& point : reached.generators()) {
          if (!piece.contains(point)) points.push_back(point);
        }
      }
      if (points.size() == piece.generators().size()) return;
      piece = Polyhedron::hull(points);
      grown[target] = 1;
    });
    changed.clear();
    for (std::size_t target = 0; target < cells.size(); ++target) {
      if (grown[target] != 0) changed.push_back(target);
    }
    if (changed.empty()) {
      result.closed = true;
      return result;
    }
    ++result.rounds;
    vertices = 0;
    for (const Polyhedron& piece : result.pieces) vertices += piece.generators().size();
  }
  return result;
}

}  // namespace carom
