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

/// Name of such a law in files and reports.
constexpr const char* compared_law_name(ComparedLaw law) {
  return law == ComparedLaw::simultaneous ? "simultaneous" : "sequential";
}

/// One outcome of a law that fixes the order of impulses.
struct LawOutcome {
  ComparedLaw law = ComparedLaw::simultaneous;
  std::string order;         ///< of a sequence: "A,B"; of a simultaneous one its contact modes
  Eigen::VectorXd velocity;  ///< nv
  double energy = 0.0;       ///< kinetic, J
  std::vector<ContactMode> modes;  ///< m
  bool terminated = true;          ///< false: a contact still approaches
  bool unique = true;              ///< false: some single-contact solve had several solutions
  int stages = 0;                  ///< single-contact solves; 1 for simultaneous
  /// rows x nv, row-major: velocities before the first stage and after each of the first 1000
  /// stages, to be drawn.
  std::vector<double> path;
  double net_distance = 0.0;  ///< to the nearest member of the net, in its norm

  /// `path` as a matrix, rows x nv.
  RowMatrixView path_rows() const {
    const Eigen::Index nv = velocity.size();
    return {path.data(), nv == 0 ? 0 : static_cast<Eigen::Index>(path.size()) / nv, nv};
  }
};

/// How to follow the laws that fix an order.
struct ComparisonOptions {
  double termination_tolerance = 1e-8;  ///< m/s: a contact that approaches slower is separated
  int max_stages = 100'000;             ///< of a sequence; then it counts as not terminated
  /// Orders of the sequential law: every order of the contacts for m <= 4; for more contacts this
  /// many random ones, and the order of the contacts' names with its reverse.
  int random_orders = 24;
  std::uint32_t seed = 1;  ///< of the random orders
  /// Orders named by the user, each a permutation of the contacts' names; added to the others.
  std::vector<std::vector<std::string>> orders;
};

/// Outcomes of the simultaneous (Anitescu & Potra, Eq. 31-33; all solutions) and of the sequential
/// law (one contact at a time, in cycled order, until separated) at the pre-impact velocity.
struct Comparison {
  std::vector<LawOutcome> outcomes;
  std::string note;  ///< why the simultaneous law was not enumerated, if so
};

/// Follows the simultaneous law and orders of the sequential law from the pre-impact velocity.
/// @throws InputError if the problem breaks a rule, or an order is no permutation of the contacts'
/// names
Comparison compare_laws(const ImpactProblem& problem, const ComparisonOptions& options);

/// Fills net_distance of every outcome.
void measure_distances(Comparison& comparison, const EpsilonNet& net);

}  // namespace carom
