#include "host/result/compare_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "carom/error.hpp"
#include "carom/exploration_io.hpp"
#include "carom/result_io.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {
namespace {

void require_equal(const char* what, int a, int b) {
  if (a == b) return;
  throw InputError(
      fmt::format("the results have {} and {} {} (must be equal: their velocities "
                  "cannot be compared)",
                  a, b, what));
}

void require_equal(const char* what, const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
  constexpr double tolerance = 1e-12;  // for matrices computed in two ways
  const double difference = (a - b).cwiseAbs().maxCoeff();
  if (difference <= tolerance * a.cwiseAbs().maxCoeff()) return;
  throw InputError(
      fmt::format("the {} of the results differ by up to {:.3g} (must agree within "
                  "1e-12: their velocities cannot be compared)",
                  what, difference));
}

void require_same_mechanism(const ImpactProblem& a, const ImpactProblem& b) {
  require_equal("velocities", a.velocities(), b.velocities());
  require_equal("contacts", a.contacts(), b.contacts());
  require_equal("tangent rows per contact", a.tangent_dimension(), b.tangent_dimension());
  require_equal("mass matrices", a.mass_matrix, b.mass_matrix);
  require_equal("normal Jacobians", a.normal_jacobian, b.normal_jacobian);
  require_equal("tangent Jacobians", a.tangent_jacobian, b.tangent_jacobian);
}

template <class List>
std::string list_text(const List& values) {
  return fmt::format("[{}]", fmt::join(values.begin(), values.end(), ", "));
}

std::vector<std::string> differences(const ImpactProblem& a, const ImpactProblem& b) {
  std::vector<std::string> found;
  const auto add = [&](const char* what, const auto& one, const auto& other) {
    found.push_back(fmt::format("{} is {} in A, {} in B", what, one, other));
  };
  if (a.friction != b.friction) add("friction", list_text(a.friction), list_text(b.friction));
  if (a.pre_impact_velocity != b.pre_impact_velocity) {
    add("pre-impact velocity", list_text(a.pre_impact_velocity), list_text(b.pre_impact_velocity));
  }
  if (a.friction_directions != b.friction_directions) {
    add("number of friction directions", a.friction_directions, b.friction_directions);
  }
  if (a.contact_names != b.contact_names) {
    add("contact names", list_text(a.contact_names), list_text(b.contact_names));
  }
  return found;
}

/// Collects the outcomes of the stored rows.
void read_rows(ComparedResult& compared) {
  constexpr std::uint64_t chunk = 65536;
  for (std::uint64_t first = 0; first < compared.stored_rows; first += chunk) {
    const std::uint64_t count = std::min(chunk, compared.stored_rows - first);
    const RowMatrix found = read_samples(compared.file, first, count).outcomes();
    compared.outcomes.insert(compared.outcomes.end(), found.data(), found.data() + found.size());
  }
}

/// Upper bound in norm `to` of a distance in norm `from`.
double in_norm(double distance, Norm from, Norm to, const ImpactProblem& problem) {
  if (from == to) return distance;
  const Eigen::VectorXd mass = eigenvalues(problem.mass_matrix);
  return to == Norm::kinetic ? distance * std::sqrt(mass.maxCoeff())
                             : distance / std::sqrt(mass.minCoeff());
}

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<ComparedMode> side_by_side(const OutcomeModes& a, const OutcomeModes& b) {
  std::map<std::vector<ContactMode>, ComparedMode> all;
  for (const OutcomeMode& mode : a.table()) all[mode.contacts].a = mode.count;
  for (const OutcomeMode& mode : b.table()) all[mode.contacts].b = mode.count;
  std::vector<ComparedMode> rows;
  for (auto& [contacts, mode] : all) {
    mode.contacts = contacts;
    rows.push_back(mode);
  }
  const auto larger = [&](const ComparedMode& mode) {
    return std::max(share(mode.a, a.outcomes()), share(mode.b, b.outcomes()));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](const ComparedMode& one, const ComparedMode& two) {
    return larger(one) > larger(two);
  });
  return rows;
}

ComparedResult read_either(const std::filesystem::path& file) {
  if (is_exploration(file)) {
    ExplorationResult result = read_exploration(file);
    Exploration& found = result.found;
    return {.file = file,
            .scenario = std::move(result.scenario),
            .net = std::move(found.net),
            .explored = true,
            .complete = found.complete,
            .trajectories = found.outcomes + found.dropped + found.failed,
            .outcome_count = found.outcomes};
  }
  Result result = read_result(file);
  const Summary& summary = result.set.summary;
  const std::uint64_t stored = result.scenario.storage.samples;
  const NetSearch search = result.set.search.value_or(NetSearch{});
  return {.file = file,
          .scenario = std::move(result.scenario),
          .net = std::move(result.set.net),
          .complete = result.set.complete,
          .trajectories = summary.trajectories,
          .outcome_count = summary.outcomes(),
          .stored_rows = std::min(summary.trajectories, stored),
          .searched = search.members,
          .modes = std::move(result.set.modes),
          .outcomes = search.velocity};
}

}  // namespace

ResultComparison compare_results(const std::filesystem::path& file_a,
                                 const std::filesystem::path& file_b) {
  ResultComparison comparison{read_either(file_a), read_either(file_b)};
  ComparedResult& a = comparison.a;
  ComparedResult& b = comparison.b;
  const ImpactProblem& problem = a.problem();
  require_same_mechanism(problem, b.problem());
  comparison.differences = differences(problem, b.problem());

  const int nv = problem.velocities();
  const Norm norm = a.scenario.sampling.norm;
  const Eigen::MatrixXd metric = net_metric(problem, norm);
  const auto distances = [&](const std::vector<double>& of_a, const std::vector<double>& of_b) {
    return ComparedDistances{directed_hausdorff(of_a, of_b, nv, metric),
                             directed_hausdorff(of_b, of_a, nv, metric)};
  };
  comparison.epsilon_a = a.net.epsilon();
  comparison.epsilon_b = in_norm(b.net.epsilon(), b.scenario.sampling.norm, norm, problem);
  comparison.nets = distances(a.net.velocity(), b.net.velocity());
  comparison.outcomes_to_net = {comparison.nets.a_to_b + comparison.epsilon_a,
                                comparison.nets.b_to_a + comparison.epsilon_b};

  // Rows of both, and their points, must fit into memory at once.
  constexpr std::uint64_t most_bytes = std::uint64_t{4} << 30;
  const std::uint64_t most_rows =
      most_bytes / (2 * sizeof(double) * static_cast<std::uint64_t>(nv));
  comparison.too_many_rows = a.stored_rows > most_rows || b.stored_rows > most_rows - a.stored_rows;
  const bool stored = a.stored_rows > 0 && b.stored_rows > 0;
  if (stored && !comparison.too_many_rows) {
    read_rows(a);
    read_rows(b);
    comparison.outcomes = distances(a.outcomes, b.outcomes);
  }
  if (!a.explored && !b.explored) comparison.modes = side_by_side(a.modes, b.modes);
  return comparison;
}

}  // namespace carom
