#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/signs/allow_signs.hpp"
#include "kernels/signs/solution_piece.hpp"

namespace carom::inline CAROM_ISA {

/// What a search did.
struct SearchReport {
  bool complete = true;  ///< false: a limit was met, solutions may be missing
  int nodes = 0;
  int programs = 0;   ///< linear programs, most of them a continuation of another
  int exchanges = 0;  ///< of their tableaux
  int open = 0;       ///< programs that rounding or a limit left undecided, taken for feasible
};

/// All solutions of a step LCP, exactly: depth-first search over the signs of the contact speeds
/// after the step (BoxForm), where linear programs rule out partial patterns. A velocity after the
/// step has one pattern, whereas many contact modes may lead to it, and so no velocity is found
/// twice.
///
/// A node is a pattern in which coordinates still have several signs. Its tableau holds what all
/// its patterns have in common.
template <int MaxCoordinates>
class SignSearch {
 public:
  using Box = BoxForm<MaxCoordinates>;
  using Tableau = SignTableau<MaxCoordinates>;
  using Piece = SolutionPiece<MaxCoordinates>;
  /// From more coordinates on, children are probed before a node branches.
  static constexpr int most_unprobed = 16;

  CAROM_HOST_DEVICE explicit SignSearch(const Box& box) : box_(box) {}

  /// Calls found(piece) for the solutions of each pattern that has any.
  /// @param most_nodes the search ends, incomplete, at this number
  template <class Found>
  CAROM_HOST_DEVICE SearchReport run(int most_nodes, Found&& found) {
    report_ = {};
    start();
    int depth = 0;
    Outcome outcome = settle(node_[0], tableau_of(0));
    for (;;) {
      if (outcome == leaf) hand_over(node_[depth], tableau_of(depth), found);
      if (outcome != branch) {
        if (depth == 0) return report_;
        --depth;
        if (owner_[depth % kept] != depth) renew(node_[depth], tableau_of(depth));
        owner_[depth % kept] = depth;
      }
      if (report_.nodes >= most_nodes) {
        report_.complete = false;
        return report_;
      }
      Node& parent = node_[depth];
      const auto sign = static_cast<std::uint8_t>(parent.left & -parent.left);
      parent.left = static_cast<std::uint8_t>(parent.left & ~sign);
      if (parent.left != no_sign) {  // the last child takes the place of its parent
        ++depth;
        node_[depth] = parent;
        owner_[depth % kept] = depth;
        tableau_of(depth).copy(tableau_of(depth - 1));
      }
      allow(node_[depth], tableau_of(depth), parent.branching, sign);
      outcome = settle(node_[depth], tableau_of(depth));
    }
  }

 private:
  enum Outcome { dead, leaf, branch };

  /// Tableaux that are kept for a node's other children, of the deepest nodes; others are made
  /// anew.
  static constexpr int kept = 6;

  struct Node {
    std::uint8_t allowed[MaxCoordinates];  // signs
    std::uint8_t left = no_sign;           // signs of `branching` that are still to be tried
    int branching = 0;                     // a coordinate
  };

  CAROM_HOST_DEVICE Tableau& tableau_of(int depth) { return tableau_[depth % kept]; }

  CAROM_HOST_DEVICE static bool is_single(std::uint8_t signs) { return (signs & (signs - 1)) == 0; }
  CAROM_HOST_DEVICE static int count(std::uint8_t signs) {
    return (signs & 1) + (signs >> 1 & 1) + (signs >> 2);
  }

  /// The root: bounds of the speeds that hold for all impulses, and those by the energy.
  CAROM_HOST_DEVICE void start() {
    constexpr double rounding = 1e-9;  // of the bounds
    const int n = box_.coordinates();
    const double energy = box_.twice_energy();
    Node& root = node_[0];
    root.left = no_sign;
    owner_[0] = 0;
    Tableau& tableau = tableau_of(0);
    tableau.start(box_);
    for (int c = 0; c < n; ++c) {
      const double* const row = box_.matrix + c * n;
      double low = box_.start[c];
      double high = low;
      for (int i = 0; i < box_.contacts; ++i) {
        const int normal = box_.first[i];
        double friction = 0.0;
        for (int j = normal + 1; j < box_.first[i + 1]; ++j) {
          friction = std::fma(box_.friction[j], std::fabs(row[j]), friction);
        }
        low = std::fma(box_.cap[normal], smaller(row[normal] - friction, 0.0), low);
        high = std::fma(box_.cap[normal], larger(row[normal] + friction, 0.0), high);
      }
      const double most = std::sqrt(energy * row[c]);
      const double slack = box_.tolerances.strict;
      least_[c] = larger(low - rounding * std::fabs(low), -most * (1.0 + rounding)) - slack;
      most_[c] = smaller(high + rounding * std::fabs(high), most * (1.0 + rounding)) + slack;
      root.allowed[c] = any_sign;
      tableau.bound(tableau.speed(c), least_[c], most_[c]);
    }
  }

  /// Leaves a coordinate the given signs.
  CAROM_HOST_DEVICE void allow(Node& node, Tableau& tableau, int c, std::uint8_t signs) const {
    node.allowed[c] = signs;
    allow_signs(box_, tableau, c, signs, least_[c], most_[c]);
  }

  /// Frictions have a sign only if their contact has impulse.
  CAROM_HOST_DEVICE bool is_open(const Node& node, int c) const {
    return !is_single(node.allowed[c]) &&
           (box_.is_normal(c) || (node.allowed[box_.normal[c]] & plus) == 0);
  }

  /// The signs that the intervals of a coordinate's variables allow.
  CAROM_HOST_DEVICE std::uint8_t possible(const Node& node, Tableau& tableau, int c) const {
    const double tolerance = box_.tolerances.feasible;
    const double strict = box_.tolerances.strict - tolerance;
    double low = 0.0;
    double high = 0.0;
    tableau.interval(tableau.speed(c), low, high);
    unsigned signs = node.allowed[c];
    if (!(high >= strict)) signs &= ~plus;
    if (!(low <= tolerance && high >= -tolerance)) signs &= ~zero;
    if (!(low <= -strict)) signs &= ~minus;
    const auto at_most = [&](int variable) {
      tableau.interval(variable, low, high);
      return low <= tolerance;
    };
    if (!box_.is_normal(c)) {
      if ((signs & plus) != 0 && !at_most(tableau.rest(c))) signs &= ~plus;
      if ((signs & minus) != 0 && !at_most(tableau.impulse(c))) signs &= ~minus;
      return static_cast<std::uint8_t>(signs);
    }
    if ((signs & (plus | minus)) != 0) {
      if (!at_most(tableau.impulse(c))) signs &= ~plus;
      if (!(high >= tableau.upper(tableau.impulse(c)) - tolerance)) signs &= ~minus;
    }
    for (int f = c + 1; (signs & plus) != 0 && f < box_.coordinates() && box_.normal[f] == c; ++f) {
      if (!at_most(tableau.impulse(f)) || !at_most(tableau.rest(f))) signs &= ~plus;
    }
    return static_cast<std::uint8_t>(signs);
  }

  /// Takes all signs that are certain, and chooses the coordinate to branch on.
  CAROM_HOST_DEVICE Outcome settle(Node& node, Tableau& tableau) {
    ++report_.nodes;
    if (!narrow(node, tableau)) return dead;
    if (box_.coordinates() > most_unprobed && !probe(node, tableau)) return dead;
    return choose_branch(node, tableau) ? branch : leaf;
  }

  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void renew(Node& node, Tableau& tableau) const {
    tableau.start(box_);
    for (int c = 0; c < box_.coordinates(); ++c) allow(node, tableau, c, node.allowed[c]);
  }

  /// Solves the node's linear program. A tableau that is left open, in most cases for the rounding
  /// errors of many exchanges, is made anew.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool repair(Node& node, Tableau& tableau) {
    ++report_.programs;
    Repair outcome = tableau.repair(box_.tolerances.feasible, report_.exchanges);
    if (outcome == Repair::open) {
      renew(node, tableau);
      outcome = tableau.repair(box_.tolerances.feasible, report_.exchanges);
      report_.open += outcome == Repair::open ? 1 : 0;
    }
    return outcome != Repair::infeasible;
  }

  /// Repairs the tableau and drops the signs that the intervals of its variables rule out, until
  /// nothing changes. False: the node has no solutions.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE bool narrow(Node& node, Tableau& tableau) {
    for (bool changed = true; changed;) {
      if (!repair(node, tableau)) return false;
      changed = false;
      for (int c = 0; c < box_.coordinates(); ++c) {
        if (!is_open(node, c)) continue;
        const std::uint8_t signs = possible(node, tableau, c);
        if (signs == no_sign) return false;
        if (signs == node.allowed[c]) continue;
        allow(node, tableau, c, signs);
        changed = true;
      }
    }
    return true;
  }

  /// Drops the signs whose linear program has no solution. False: the node has no solutions.
  CAROM_HOST_DEVICE bool probe(Node& node, Tableau& tableau) {
    Tableau& spare = tableau_[kept];
    std::uint8_t seen[MaxCoordinates];  // signs of solutions of the node's linear program
    for (int c = 0; c < box_.coordinates(); ++c) seen[c] = no_sign;
    mark_signs(node, tableau, seen);
    for (int c = 0; c < box_.coordinates(); ++c) {
      if (!is_open(node, c)) continue;
      unsigned signs = node.allowed[c];
      for (unsigned sign = minus; sign <= plus; sign <<= 1) {
        if ((signs & sign) == 0 || (seen[c] & sign) != 0 || signs == sign) continue;
        Node child = node;
        spare.copy(tableau);
        allow(child, spare, c, static_cast<std::uint8_t>(sign));
        if (repair(child, spare)) {
          mark_signs(child, spare, seen);
        } else {
          signs &= ~sign;
        }
      }
      if (signs == node.allowed[c]) continue;
      allow(node, tableau, c, static_cast<std::uint8_t>(signs));
      if (!narrow(node, tableau)) return false;
    }
    return true;
  }

  /// Adds the signs that the tableau's values have.
  CAROM_OUT_OF_LINE CAROM_HOST_DEVICE void mark_signs(const Node& node, const Tableau& tableau,
                                                      std::uint8_t* seen) const {
    const double tolerance = box_.tolerances.feasible;
    for (int c = 0; c < box_.coordinates(); ++c) {
      if (!is_open(node, c)) continue;
      const double speed = tableau.value(tableau.speed(c));
      if (std::fabs(speed) <= tolerance) {
        seen[c] |= zero;
      } else if (speed >= box_.tolerances.strict) {
        seen[c] |= above(tableau, c) <= tolerance ? plus : no_sign;
      } else if (speed <= -box_.tolerances.strict) {
        seen[c] |= below(tableau, c) <= tolerance ? minus : no_sign;
      }
    }
  }

  /// How far x is above its least and below its most; of a normal, times its reach.
  CAROM_HOST_DEVICE double above(const Tableau& tableau, int c) const {
    return tableau.value(box_.is_normal(c) ? tableau.impulse(c) : tableau.rest(c));
  }
  CAROM_HOST_DEVICE double below(const Tableau& tableau, int c) const {
    const double impulse = tableau.value(tableau.impulse(c));
    return box_.is_normal(c) ? box_.reach[c] * box_.cap[c] - impulse : impulse;
  }

  /// The open coordinate with the fewest signs; among these, the one whose complementarity is
  /// violated most at the tableau's values.
  CAROM_HOST_DEVICE bool choose_branch(Node& node, const Tableau& tableau) const {
    int fewest = 4;
    double most = 0.0;
    for (int c = 0; c < box_.coordinates(); ++c) {
      if (!is_open(node, c)) continue;
      const double speed = tableau.value(tableau.speed(c));
      const double violation =
          larger(smaller(speed, above(tableau, c)), smaller(-speed, below(tableau, c)));
      const int signs = count(node.allowed[c]);
      if (signs > fewest || (signs == fewest && !(violation > most))) continue;
      fewest = signs;
      most = violation;
      node.branching = c;
      node.left = node.allowed[c];
    }
    return fewest < 4;
  }

  template <class Found>
  CAROM_HOST_DEVICE void hand_over(const Node& node, Tableau& tableau, Found&& found) {
    for (int c = 0; c < box_.coordinates(); ++c) {
      const bool idle = !box_.is_normal(c) && node.allowed[box_.normal[c]] == plus;
      piece_.sign[c] = idle ? static_cast<std::uint8_t>(no_sign) : node.allowed[c];
    }
    if (PieceFinder<MaxCoordinates>(box_, tableau).find(piece_)) {
      found(static_cast<const Piece&>(piece_));
    }
  }

  const Box& box_;
  SearchReport report_;
  double least_[MaxCoordinates];  // bounds of the speeds
  double most_[MaxCoordinates];
  Piece piece_;
  Node node_[MaxCoordinates + 1];  // by depth: each has a sign more than the one before
  int owner_[kept];                // depth of the node whose tableau it is
  Tableau tableau_[kept + 1];      // by depth; and one to probe with
};

}  // namespace carom::inline CAROM_ISA
