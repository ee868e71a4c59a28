#include "host/roll/tube.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>

#include "carom/certificate.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/roll_io.hpp"
#include "host/base/note_list.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {
namespace {

/// Positions, with a rotation vector from the start in place of each quaternion.
Eigen::VectorXd position_of(const RolledSystem& system, const double* position) {
  Eigen::VectorXd flat(system.mass_matrix.rows());
  std::size_t from = 0;
  Eigen::Index to = 0;
  const auto copy_until = [&](std::size_t end) {
    for (; from < end; ++from) flat(to++) = position[from];
  };
  const auto quaternion = [](const double* wxyz) {
    return Eigen::Quaterniond(wxyz[0], wxyz[1], wxyz[2], wxyz[3]).normalized();
  };
  for (const RolledQuaternion& its : system.quaternions) {
    copy_until(its.at);
    const Eigen::Quaterniond back = quaternion(its.start.data()).conjugate();
    const Eigen::Quaterniond now = quaternion(position + from);
    const Eigen::AngleAxisd turn(its.in_fixed_axes ? now * back
                                                   : back * now);  // at most half a turn
    flat.segment<3>(to) = turn.angle() * turn.axis();
    from += 4;
    to += 3;
  }
  copy_until(system.coordinates.size());
  return flat;
}

/// States (q, v) in coordinates whose Euclidean norm is the tube's.
class StateMetric {
 public:
  /// The mass matrix is that of the start.
  StateMetric(const RolledSystem& system, double time)
      : system_(system), root_(Cholesky(system.mass_matrix).lower().transpose()), time_(time) {}

  int size() const { return 2 * static_cast<int>(root_.rows()); }

  /// Adds a rollout's state at a time to a list.
  void add(const Rollouts& rollouts, std::size_t row, std::size_t time,
           std::vector<double>& list) const {
    const std::size_t at = row * static_cast<std::size_t>(rollouts.times) + time;
    const auto nq = static_cast<std::size_t>(rollouts.coordinates);
    const auto nv = static_cast<std::size_t>(rollouts.velocities);
    using Column = Eigen::Map<const Eigen::VectorXd>;
    const Eigen::VectorXd q = root_ * position_of(system_, &rollouts.position[at * nq]) / time_;
    const Eigen::VectorXd v = root_ * Column(&rollouts.velocity[at * nv], root_.rows());
    list.insert(list.end(), q.begin(), q.end());
    list.insert(list.end(), v.begin(), v.end());
  }

 private:
  const RolledSystem& system_;
  Eigen::MatrixXd root_;  ///< U of M = U' U
  double time_;
};

/// The greatest extent of the rows' states along an axis, of all times.
double widest(const StateMetric& metric, const Rollouts& rollouts,
              const std::vector<std::size_t>& rows) {
  double greatest = 0.0;
  for (std::size_t time = 0; time < rollouts.time.size(); ++time) {
    std::vector<double> states;
    for (const std::size_t row : rows) metric.add(rollouts, row, time, states);
    const RowMatrixView all(states.data(), static_cast<Eigen::Index>(rows.size()), metric.size());
    const auto extent = all.colwise().maxCoeff() - all.colwise().minCoeff();
    greatest = std::max(greatest, extent.maxCoeff());
  }
  return greatest;
}

}  // namespace

Tube tube_of(const RolledSystem& system, const RollOptions& options, const Rollouts& rollouts) {
  constexpr double confidence = 0.95;
  constexpr double part = 0.02;    // of the greatest extent
  constexpr double least = 1e-12;  // J^(1/2), where all states are equal
  const StateMetric metric(system, options.tube_time);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    if (is_whole(rollouts.status[i])) rows.push_back(i);
  }
  Tube tube{.time = options.tube_time,
            .epsilon = options.tube_epsilon.value_or(
                std::max(part * widest(metric, rollouts, rows), least)),
            .nets = {}};
  for (std::size_t time = 0; time < rollouts.time.size(); ++time) {
    std::vector<std::uint64_t> index;
    std::vector<double> states;
    for (std::size_t i = 0; i < rows.size(); i += 2) {
      index.push_back(rows[i]);
      metric.add(rollouts, rows[i], time, states);
    }
    EpsilonNet net(metric.size(), tube.epsilon);
    net.add(index, states);
    TubeNet& one = tube.nets.emplace_back();
    one.members = net.index();
    for (std::size_t i = 1; i < rows.size(); i += 2) {
      std::vector<double> state;
      metric.add(rollouts, rows[i], time, state);
      one.missed += net.distance(state.data()) > tube.epsilon ? 1 : 0;
      ++one.tested;
    }
    one.miss_bound = clopper_pearson_upper(one.missed, one.tested, confidence);
  }
  return tube;
}

std::optional<Note> note_on_tube(const RollSummary& summary, const Rollouts& rollouts) {
  constexpr double negligible = 0.02;
  if (!summary.tube || summary.tube->nets.empty()) return std::nullopt;
  const std::vector<TubeNet>& nets = summary.tube->nets;
  const auto worst = std::ranges::max_element(nets, {}, &TubeNet::missed);
  if (!(static_cast<double>(worst->missed) > negligible * static_cast<double>(worst->tested))) {
    return std::nullopt;
  }
  return make_note(
      "net_misses",
      fmt::format(
          "at {} s, {} of {} other rollouts are farther than tube_epsilon = {:.3g} from the "
          "states of the tube's net: take more rollouts or a larger tube_epsilon",
          rollouts.time[static_cast<std::size_t>(worst - nets.begin())], worst->missed,
          worst->tested, summary.tube->epsilon));
}

}  // namespace carom
