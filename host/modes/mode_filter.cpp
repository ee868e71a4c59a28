#include "host/modes/mode_filter.hpp"

#include <algorithm>
#include <limits>

#include "kernels/modes/mode_conditions.hpp"
#include "kernels/random/philox.hpp"

namespace carom {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// With smaller rows, the tolerance of 1e-9 would not be negligible against the filter's margin.
constexpr double least_row = 1e-2;

}  // namespace

ModeFilter::ModeFilter(const ImpactProblem& problem, const MatrixXd& jacobian,
                       const MatrixXd& delassus, bool capped, bool sorted)
    : problem_(problem),
      capped_(capped),
      sorted_(sorted),
      m_(problem.contacts()),
      d_(problem.tangent_dimension()),
      inputs_(m_ * (2 + d_)),
      directions_(friction_direction_matrix(problem)),
      delassus_(delassus) {
  if (sorted_) draw_inputs(jacobian);
}

void ModeFilter::add(const std::vector<ContactState>& states, const MatrixXd& map) {
  const RowMajor rows = condition_rows(states, map);
  conditions_.push_back(sorted_ ? most_selective_first(rows) : rows);
}

ModeFilter::RowMajor ModeFilter::condition_rows(const std::vector<ContactState>& states,
                                                const MatrixXd& map) const {
  MatrixXd speed = delassus_ * map;
  speed.rightCols(speed.rows()) += MatrixXd::Identity(speed.rows(), speed.rows());
  const RowMajor polygon_rows = directions_;
  const FrictionPolygon polygon{d_, problem_.friction_directions, polygon_rows.data()};
  std::vector<std::vector<double>> by_input(static_cast<std::size_t>(inputs_));
  for (int j = 0; j < inputs_; ++j) {
    const VectorXd impulse_column = map.col(j);
    const VectorXd speed_column = speed.col(j);
    for (int i = 0; i < m_; ++i) {
      contact_conditions(states[static_cast<std::size_t>(i)], polygon, problem_.friction(i),
                         capped_, j == i ? 1.0 : 0.0, impulse_column.data() + i * (1 + d_),
                         speed_column.data() + i * (1 + d_),
                         [&](double v) { by_input[static_cast<std::size_t>(j)].push_back(v); });
    }
  }
  RowMajor rows(static_cast<Eigen::Index>(by_input[0].size()), inputs_);
  for (int j = 0; j < inputs_; ++j) {
    for (Eigen::Index r = 0; r < rows.rows(); ++r) {
      rows(r, j) = by_input[static_cast<std::size_t>(j)][static_cast<std::size_t>(r)];
    }
  }
  for (Eigen::Index r = 0; r < rows.rows(); ++r) {
    rows.row(r) /= std::max(rows.row(r).cwiseAbs().sum(), least_row);
  }
  return rows;
}

void ModeFilter::draw_inputs(const MatrixXd& jacobian) {
  constexpr int count = 48;
  const VectorXd& before = problem_.pre_impact_velocity;
  const double size = std::max(before.norm(), std::numeric_limits<double>::min());
  const double stopping = (jacobian * before).cwiseAbs().maxCoeff();
  typical_.resize(inputs_, count);
  for (int s = 0; s < count; ++s) {
    const Philox random(0, 0, static_cast<std::uint64_t>(s));
    const auto uniform = [&](int number) {
      double pair[2];
      random.uniform_pair(0, Purpose::caps, static_cast<std::uint32_t>(number), pair);
      return pair[0];
    };
    VectorXd velocity = before;
    for (Eigen::Index j = 0; j < velocity.size(); ++j) {
      velocity(j) = uniform(0) * velocity(j) + (uniform(static_cast<int>(j) + 1) - 0.5) * size;
    }
    for (int i = 0; i < m_; ++i) {
      typical_(i, s) = stopping * uniform(static_cast<int>(before.size()) + 1 + i);
    }
    typical_.col(s).tail(jacobian.rows()) = jacobian * velocity;
  }
}

ModeFilter::RowMajor ModeFilter::most_selective_first(const RowMajor& rows) const {
  const Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic> fails = (rows * typical_).array() < 0.0;
  Eigen::Array<bool, 1, Eigen::Dynamic> left =
      Eigen::Array<bool, 1, Eigen::Dynamic>::Constant(typical_.cols(), true);
  std::vector<bool> taken(static_cast<std::size_t>(rows.rows()), false);
  RowMajor sorted(rows.rows(), rows.cols());
  for (Eigen::Index place = 0; place < rows.rows(); ++place) {
    Eigen::Index best = -1;
    Eigen::Index most = -1;
    for (Eigen::Index r = 0; r < rows.rows(); ++r) {
      if (taken[static_cast<std::size_t>(r)]) continue;
      const Eigen::Index ruled_out = (fails.row(r) && left).count();
      if (ruled_out > most) {
        most = ruled_out;
        best = r;
      }
    }
    taken[static_cast<std::size_t>(best)] = true;
    sorted.row(place) = rows.row(best);
    left = left && !fails.row(best);
  }
  return sorted;
}

void ModeFilter::write(std::vector<float>& filter, std::vector<std::int32_t>& stage_start) const {
  const std::size_t modes = conditions_.size();
  stage_start.assign(1, 0);
  for (std::size_t first = 0; first < modes; first += mode_lanes) {
    const std::size_t last = std::min(first + mode_lanes, modes);
    Eigen::Index stages = 0;
    for (std::size_t i = first; i < last; ++i) stages = std::max(stages, conditions_[i].rows());
    for (Eigen::Index stage = 0; stage < stages; ++stage) {
      for (int j = 0; j < inputs_; ++j) {
        for (std::size_t lane = 0; lane < mode_lanes; ++lane) {
          const bool there = first + lane < last && stage < conditions_[first + lane].rows();
          filter.push_back(there ? static_cast<float>(conditions_[first + lane](stage, j)) : 0.0f);
        }
      }
    }
    stage_start.push_back(stage_start.back() + static_cast<std::int32_t>(stages));
  }
}

}  // namespace carom
