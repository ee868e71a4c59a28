#include "host/modes/mode_table.hpp"

#include <fmt/core.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include "carom/error.hpp"
#include "carom/solutions.hpp"
#include "host/modes/mode_filter.hpp"
#include "host/problem/decompositions.hpp"
#include "host/problem/step_lcp.hpp"
#include "kernels/modes/contact_states.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The states of one contact, in the order of the digits of StepAnswer::modes.
std::vector<ContactState> contact_states(const ImpactProblem& problem, int contact, bool capped) {
  const FrictionPolygon polygon{problem.tangent_dimension(), problem.friction_directions, nullptr};
  const double mu = problem.friction(contact);
  std::vector<ContactState> states = {ContactState{}};
  for (const auto normal : {ContactState::below_cap, ContactState::at_cap}) {
    if (normal == ContactState::at_cap && !capped) break;
    for (int place = 0; place < touching_states(polygon, mu); ++place) {
      states.push_back(touching_state(polygon, mu, place));
      states.back().normal = normal;
    }
  }
  return states;
}

}  // namespace

double mode_count(const ImpactProblem& problem) { return count_modes(validated(problem)); }

double count_modes(const ImpactProblem& problem) {
  double count = 1.0;
  for (int i = 0; i < problem.contacts(); ++i) {
    count *= static_cast<double>(contact_states(problem, i, true).size());
  }
  return count;
}

StatePlaces state_places(const ImpactProblem& problem, int contact) {
  const FrictionPolygon polygon{problem.tangent_dimension(), problem.friction_directions, nullptr};
  return {touching_states(polygon, problem.friction(contact))};
}

int place_of(const ImpactProblem& problem, int contact, const ContactState& state) {
  constexpr bool capped = true;
  const std::vector<ContactState> states = contact_states(problem, contact, capped);
  return static_cast<int>(std::find(states.begin(), states.end(), state) - states.begin());
}

/// Fills a table mode by mode: impulse = free_map unknown + fixed_map x, with one equation rows
/// (delassus impulse + speed) = 0 per unknown.
class ModeTableBuilder {
 public:
  ModeTableBuilder(const ImpactProblem& problem, bool capped, ModeTable& table)
      : problem_(problem),
        table_(table),
        capped_(capped),
        m_(problem.contacts()),
        d_(problem.tangent_dimension()),
        directions_(friction_direction_matrix(problem)) {
    const std::vector<double> data = flatten(problem, 1.0, 1.0);
    const StepLcpView view{shape_of(problem), data.data()};
    delassus_ = Eigen::Map<const RowMajor>(view.delassus(), impulses(), impulses());
    speeds_ = MatrixXd::Zero(impulses(), inputs());
    speeds_.rightCols(impulses()).setIdentity();
  }

  void build_all(bool sorted) {
    start(sorted);
    std::int32_t modes = 1;
    for (const auto& states : table_.states_) modes *= static_cast<std::int32_t>(states.size());
    for (std::int32_t number = 0; number < modes; ++number) add_mode(number, states_of(number));
    filter_->write(table_.filter_, table_.stage_start_);
  }

  void build(const std::vector<std::vector<int>>& modes) {
    start(/*sorted=*/true);
    std::set<std::vector<int>> added;
    std::int32_t number = 0;
    for (const std::vector<int>& mode : modes) {
      std::vector<int> sticking;
      for (int i = 0; i < m_; ++i) {
        sticking.push_back(state_places(problem_, i).sticking(mode[static_cast<std::size_t>(i)]));
      }
      // Most often the two are equal.
      for (const std::vector<int>& one : {sticking, mode}) {
        if (added.contains(one) || add_mode(number, states_of(one))) {
          added.insert(one);
          break;
        }
      }
      ++number;
    }
    filter_->write(table_.filter_, table_.stage_start_);
  }

 private:
  std::vector<ContactState> states_of(const std::vector<int>& mode) const {
    std::vector<ContactState> states;
    for (int i = 0; i < m_; ++i) {
      const auto place = static_cast<std::size_t>(mode[static_cast<std::size_t>(i)]);
      states.push_back(table_.states(i)[place]);
    }
    return states;
  }

  void start(bool sorted) {
    table_.inputs_ = inputs();
    table_.impulses_ = impulses();
    table_.capped_ = capped_;
    filter_.emplace(problem_, interleaved_jacobian(problem_), delassus_, capped_, sorted);
  }

  using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  int impulses() const { return m_ * (1 + d_); }
  int inputs() const { return m_ + impulses(); }

  /// One column of free_map per unknown, and the equations' rows.
  void add_contact(int contact, const ContactState& state, std::vector<VectorXd>& unknowns,
                   std::vector<VectorXd>& equations, MatrixXd& fixed) const {
    if (state.normal == ContactState::none) return;
    const FrictionPolygon polygon{d_, problem_.friction_directions, directions_.data()};
    const ContactUnknowns its = unknowns_of(state, polygon, problem_.friction(contact));
    const auto placed = [&](const double* numbers) {
      VectorXd vector = VectorXd::Zero(impulses());
      for (int a = 0; a <= d_; ++a) vector(contact * (1 + d_) + a) = numbers[a];
      return vector;
    };
    for (int u = 0; u < its.count; ++u) {
      if (u == 0 && state.normal == ContactState::at_cap) {
        fixed.col(contact) += placed(its.impulse[u]);
        continue;
      }
      unknowns.push_back(placed(its.impulse[u]));
      equations.push_back(placed(its.equation[u]));
    }
  }

  static MatrixXd columns(const std::vector<VectorXd>& vectors, Eigen::Index rows) {
    MatrixXd matrix(rows, static_cast<Eigen::Index>(vectors.size()));
    for (std::size_t j = 0; j < vectors.size(); ++j) {
      matrix.col(static_cast<Eigen::Index>(j)) = vectors[j];
    }
    return matrix;
  }

  std::vector<ContactState> states_of(std::int32_t number) const {
    std::vector<ContactState> states(static_cast<std::size_t>(m_));
    for (int i = m_ - 1; i >= 0; --i) {
      const auto& all = table_.states(i);
      const auto base = static_cast<std::int32_t>(all.size());
      states[static_cast<std::size_t>(i)] = all[static_cast<std::size_t>(number % base)];
      number /= base;
    }
    return states;
  }

  /// @return whether the mode has a unique solution, and so a map
  bool add_mode(std::int32_t number, const std::vector<ContactState>& states) {
    std::vector<VectorXd> unknowns, equations;
    MatrixXd fixed = MatrixXd::Zero(impulses(), inputs());
    for (int i = 0; i < m_; ++i) {
      add_contact(i, states[static_cast<std::size_t>(i)], unknowns, equations, fixed);
    }
    MatrixXd free = columns(unknowns, impulses());
    MatrixXd rows = columns(equations, impulses()).transpose();
    // Scales unknowns and equations to equal size: with friction 1e5, they differ by this factor.
    const VectorXd sizes = free.colwise().norm();
    for (Eigen::Index j = 0; j < free.cols(); ++j) free.col(j) /= sizes(j);
    MatrixXd system = rows * delassus_ * free;
    for (Eigen::Index i = 0; i < system.rows(); ++i) {
      const double size = system.row(i).norm();
      if (!(size > 0.0)) continue;
      system.row(i) /= size;
      rows.row(i) /= size;
    }
    const MatrixXd right = -rows * (delassus_ * fixed + speeds_);
    if (free.cols() == 0) {
      return add_regular(number, states, fixed);
    }
    const Eigen::FullPivLU<MatrixXd> lu(system);
    const auto pivots = lu.matrixLU().diagonal().cwiseAbs();
    if (pivots.minCoeff() > clear_pivot * pivots.maxCoeff()) {
      return add_solved(number, states, lu, free, fixed, system, right);
    }
    // What is left of the matrix at a pivot is below it: with the last but one at zero, so are two
    // singular values, and more than one direction is free.
    const Eigen::Index last = pivots.size() - 1;
    if (last > 0 && 2.0 * pivots(last - 1) <= rank_tolerance * pivots(0)) return false;
    const SingularVectors svd = singular_vectors(system, /*with_right=*/true);
    const VectorXd& singular = svd.values;
    Eigen::Index rank = 0;
    while (rank < singular.size() && singular(rank) > rank_tolerance * singular(0)) ++rank;
    if (rank == system.cols()) {
      return add_solved(number, states, lu, free, fixed, system, right);
    }
    if (system.cols() - rank == 1) add_segment(states, svd, rank, free, fixed, right);
    return false;
  }

  bool add_solved(std::int32_t number, const std::vector<ContactState>& states,
                  const Eigen::FullPivLU<MatrixXd>& lu, const MatrixXd& free, const MatrixXd& fixed,
                  const MatrixXd& system, const MatrixXd& right) {
    MatrixXd solution = lu.solve(right);
    solution += lu.solve(right - system * solution);
    return add_regular(number, states, fixed + free * solution);
  }

  /// A singular mode with one free direction. Solutions with more free directions have such modes
  /// at their edges.
  void add_segment(const std::vector<ContactState>& states, const SingularVectors& svd,
                   Eigen::Index rank, const MatrixXd& free, const MatrixXd& fixed,
                   const MatrixXd& right) {
    VectorXd direction = free * svd.right.col(rank);
    direction /= direction.norm();
    const double moves = (delassus_ * direction).cwiseAbs().maxCoeff();
    if (!(moves > rank_tolerance * delassus_.cwiseAbs().maxCoeff())) return;
    RowMajor consistency = svd.left.col(rank).transpose() * right;
    const VectorXd kept = svd.values.head(rank);
    const MatrixXd particular = svd.right.leftCols(rank) * kept.cwiseInverse().asDiagonal() *
                                svd.left.leftCols(rank).transpose() * right;
    const RowMajor map = fixed + free * particular;
    if (!map.allFinite()) return;
    append(table_.consistency_, consistency);
    append(table_.segment_map_, map);
    table_.segment_direction_.insert(table_.segment_direction_.end(), direction.data(),
                                     direction.data() + direction.size());
    table_.segment_state_.insert(table_.segment_state_.end(), states.begin(), states.end());
  }

  static void append(std::vector<double>& target, const RowMajor& matrix) {
    target.insert(target.end(), matrix.data(), matrix.data() + matrix.size());
  }

  bool add_regular(std::int32_t number, const std::vector<ContactState>& states,
                   const RowMajor& map) {
    if (!map.allFinite()) return false;
    table_.mode_number_.push_back(number);
    append(table_.map_, map);
    filter_->add(states, map);
    return true;
  }

  // Below this part of the largest singular value, rows are dependent: rounding leaves 1e-15, and
  // the regular modes of the paper's systems stay above 1e-6.
  static constexpr double rank_tolerance = 1e-11;
  // If all pivots are above this fraction of the largest, the rank is certain.
  static constexpr double clear_pivot = 1e-7;
  const ImpactProblem& problem_;
  ModeTable& table_;
  bool capped_;
  int m_;
  int d_;
  RowMajor directions_;
  MatrixXd delassus_;
  MatrixXd speeds_;
  std::optional<ModeFilter> filter_;
};

ModeTable::ModeTable(const ImpactProblem& problem, bool capped, std::uint64_t trajectories) {
  const double count = count_modes(problem);
  if (count > max_modes) {
    throw InputError(fmt::format(
        "the problem has {} contact modes (must have at most {} to find all solutions of a step: "
        "in the plane 5 contacts with friction, in space 3 with 4 or 6 friction directions or 2 "
        "with 8)",
        count, max_modes));
  }
  for (int i = 0; i < problem.contacts(); ++i) {
    states_.push_back(contact_states(problem, i, capped));
  }
  ModeTableBuilder(problem, capped, *this).build_all(/*sorted=*/trajectories > 1);
}

ModeTable::ModeTable(const ImpactProblem& problem, const std::vector<std::vector<int>>& modes) {
  constexpr bool capped = true;
  for (int i = 0; i < problem.contacts(); ++i) {
    states_.push_back(contact_states(problem, i, capped));
    states_.back().push_back({ContactState::below_cap, ContactState::idle, 0});
    states_.back().push_back({ContactState::at_cap, ContactState::idle, 0});
  }
  ModeTableBuilder(problem, capped, *this).build(modes);
}

ModeTableView ModeTable::view() const {
  ModeTableView view;
  view.inputs = inputs_;
  view.impulses = impulses_;
  view.modes = static_cast<int>(mode_number_.size());
  view.segments = static_cast<int>(segment_state_.size() / states_.size());
  view.capped = capped_;
  view.filter = filter_.data();
  view.stage_start = stage_start_.data();
  view.map = map_.data();
  view.mode_number = mode_number_.data();
  view.consistency = consistency_.data();
  view.segment_map = segment_map_.data();
  view.segment_direction = segment_direction_.data();
  view.segment_state = segment_state_.data();
  return view;
}

std::string place_digit(int place) {
  constexpr const char* names = "0123456789abcdefghijklmnopqrstuvwxyz";
  constexpr int most_names = 36;
  return place < most_names ? std::string(1, names[place]) : fmt::format("({})", place);
}

std::string ModeTable::digits(std::int32_t number) const {
  std::string text;
  for (std::size_t i = states_.size(); i-- > 0;) {
    const auto base = static_cast<std::int32_t>(states_[i].size());
    text.insert(0, place_digit(number % base));
    number /= base;
  }
  return text;
}

}  // namespace carom
