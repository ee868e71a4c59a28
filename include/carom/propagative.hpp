#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "carom/impact_problem.hpp"
#include "carom/law.hpp"

namespace carom {

struct PropagativeOptions {
  Plastic plastic = Plastic::unilateral;
  double termination_tolerance = 1e-8;   ///< m/s: a contact that approaches slower is separated
  std::uint64_t max_states = 1'000'000;  ///< of the graph, 1 ... 10^9
};

/// What the contacts' geometry says of every pre-impact velocity.
struct PropagativeVerdict {
  enum class Kind {
    orthogonal,        ///< Theorem 2: any order, one outcome, each contact once
    three_stage,       ///< Theorem 3: two contacts, one outcome
    reflection_group,  ///< all pairs at angles pi / k, and pointed: one outcome, equal lengths
    not_guaranteed,    ///< the outcome may depend on the order
  };
  Kind kind = Kind::not_guaranteed;
  /// A velocity that separates every contact. If there is one, the normals are pointed, and every
  /// sequence of impacts ends.
  std::optional<Eigen::VectorXd> separating_velocity = {};
  Eigen::MatrixXd inner_products = {};  ///< m x m: cosines between normals in the kinetic metric
  Eigen::MatrixXi stages = {};          ///< m x m: k where an inner product is -cos(pi / k), else 0
  Eigen::MatrixXi bounds = {};          ///< m x m: most impacts of two contacts alone
};

/// Name of a kind: "orthogonal", "three-stage", "reflection group" or "not guaranteed".
const char* kind_name(PropagativeVerdict::Kind kind);

struct PropagativeOutcome {
  Eigen::VectorXd velocity = {};  ///< nv, m/s
  double energy = 0.0;            ///< J
  double probability = 0.0;       ///< if each step takes one of the approaching contacts, evenly
  std::string sequences = {};     ///< their number, in decimal digits
  std::uint64_t fewest_impacts = 0;
  std::uint64_t most_impacts = 0;
  std::vector<int> example = {};  ///< contacts of one sequence
  /// Whether a minimal sequence (Definition 1) reaches it; none where that takes too long to tell.
  std::optional<bool> minimal = {};
};

/// The velocities that sequences of impacts reach, and the impacts between them.
struct PropagativeGraph {
  struct State {
    std::vector<double> speeds = {};  ///< m, separating, m/s
    double probability = 0.0;         ///< that a sequence passes it
    std::uint64_t impacts = 0;        ///< the most that lead to it
    bool outcome = false;             ///< no contact approaches
  };
  struct Impact {
    std::uint32_t from = 0, to = 0;
    int contact = 0;
  };
  std::vector<State> states = {};  ///< the first is the velocity before the impact
  std::vector<Impact> impacts = {};
};

/// All outcomes of the propagative law.
struct PropagativeOutcomes {
  PropagativeVerdict verdict = {};
  bool complete = true;  ///< false: the graph has more than max_states states; no outcomes then
  std::uint64_t states = 0;
  std::vector<PropagativeOutcome> outcomes = {};  ///< the most probable first
  /// The greatest distance of two outcomes in the kinetic metric, of the length of the pre-impact
  /// velocity, and which two they are.
  double indeterminacy = 0.0;
  std::pair<std::size_t, std::size_t> most_different = {0, 0};
  /// To draw; nothing if it has more than 60 states.
  std::optional<PropagativeGraph> graph = {};
};

/// @throws InputError if the problem breaks a rule or has friction
PropagativeVerdict propagative_verdict(const ImpactProblem& problem);

/// R of a problem, of the whole velocity (Eq. 16-18): 1 where the problem states none.
/// @throws InputError if its contacts differ
double propagative_restitution(const ImpactProblem& problem);

/// All outcomes of Seghete & Murphey's propagative law (docs/propagative.md): while a contact
/// approaches, one of those that do reflects the velocity. The states, of which there are far
/// fewer than sequences, are visited once each. Restitution is the problem's.
/// @throws InputError if problem or options break a rule, the problem has friction or contacts of
/// different restitution, or its normals are not pointed
PropagativeOutcomes propagative_outcomes(const ImpactProblem& problem,
                                         const PropagativeOptions& options = {});

}  // namespace carom
