#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "carom/epsilon_net.hpp"
#include "carom/impact_problem.hpp"
#include "carom/outcome_modes.hpp"

namespace carom {

/// A law that fixes the order of impulses.
enum class ComparedLaw : std::uint8_t { simultaneous = 0, sequential = 1 };

/// Name of a law in files and reports.
constexpr const char* compared_law_name(ComparedLaw law) {
  return law == ComparedLaw::simultaneous ? "simultaneous" : "sequential";
}

/// One outcome of a law that fixes the order of impulses.
struct LawOutcome {
  ComparedLaw law = ComparedLaw::simultaneous;
  std::string order;  ///< order of a sequence, "A,B", or contact modes of a simultaneous solution
  Eigen::VectorXd velocity;        ///< nv
  double energy = 0.0;             ///< kinetic, J
  std::vector<ContactMode> modes;  ///< m
  bool terminated = true;          ///< false: a contact still approaches
  bool unique = true;              ///< false: some single-contact solve had several solutions
  int stages = 0;                  ///< single-contact solves; 1 for the simultaneous law
  double largest_impulse = 0.0;    ///< N·s, normal, of a contact in one stage
  /// rows x nv, row-major: velocities before the first stage and after each of the first 1000
  /// stages, for plots.
  std::vector<double> path;
  double net_distance = 0.0;  ///< to the nearest member of the net, in the net's norm

  /// `path` as a matrix, rows x nv.
  RowMatrixView path_rows() const {
    const Eigen::Index nv = velocity.size();
    return {path.data(), nv == 0 ? 0 : static_cast<Eigen::Index>(path.size()) / nv, nv};
  }
};

/// Options of the laws that fix the order of impulses.
struct ComparisonOptions {
  double termination_tolerance = 1e-8;  ///< m/s: a contact that approaches slower is separated
  int max_stages = 100'000;             ///< of a sequence; a longer one counts as not terminated
  /// All orders of the contacts for m <= 4; for more contacts, this many random orders, the order
  /// of the names and its reverse.
  int random_orders = 24;
  std::uint32_t seed = 1;  ///< of the random orders
  /// Orders named by the user, each a permutation of the contacts' names; added to the orders
  /// above.
  std::vector<std::vector<std::string>> orders;
};

/// Outcomes at the pre-impact velocity of two laws: the simultaneous law (Anitescu & Potra, Eq.
/// 31-33; all solutions) and the sequential law (one contact at a time, in cyclic order, until all
/// contacts are separated).
struct Comparison {
  std::vector<LawOutcome> outcomes;
  std::string note;  ///< why the simultaneous law is missing; empty if it is not
};

/// Follows the simultaneous law and orders of the sequential law from the pre-impact velocity.
/// @throws InputError if the problem breaks a rule, or an order is no permutation of the contacts'
/// names
Comparison compare_laws(const ImpactProblem& problem, const ComparisonOptions& options);

/// Fills net_distance of every outcome.
void measure_distances(Comparison& comparison, const EpsilonNet& net);

}  // namespace carom
