#include "host/bounds/push_program.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace carom {
namespace {

// Of the multiplier of a condition: where there is no velocity but on the edge of conditions, they
// would have no limit.
constexpr double greatest = 1e3;
constexpr double never = std::numeric_limits<double>::infinity();

std::vector<PushCondition> at_most(const std::vector<StepSpace::Speed>& speeds) {
  std::vector<PushCondition> list;
  for (const StepSpace::Speed& speed : speeds) {
    if (speed.length > 0.0) list.push_back({speed.normal, speed.constant, speed.error});
  }
  return list;
}

}  // namespace

PushSpace::PushSpace(const StepSpace& space, double tolerance)
    : contacts_(space.contacts()), directions_(space.directions()), start_(space.start()) {
  std::vector<Eigen::Index> columns;
  for (int i = 0; i < contacts_; ++i) {
    const StepSpace::Speed normal = space.normal(i);
    const std::vector<PushCondition> approaches = at_most({normal});
    conditions_.push_back(approaches);
    const int own = space.frictionless(i) ? 1 : directions_;
    for (int j = 0; j < directions_; ++j) {
      std::vector<StepSpace::Speed> speeds = {normal};
      for (int other = 0; other < directions_ && own > 1; ++other) {
        if (other != j) speeds.push_back(space.slip(i, j, other));
      }
      conditions_.push_back(at_most(speeds));
      if (j >= own) continue;
      edges_.push_back({i, j});
      columns.push_back(i * directions_ + j);
    }
    for (const PushCondition& its : approaches) {
      separation_.push_back({-its.normal, -its.constant - tolerance / normal.length, its.error});
    }
  }
  pushes_ = space.limits().edges(Eigen::all, columns);
  support_ = space.support();
  support_ /= (pushes_.transpose() * support_).minCoeff();
  error_ = space.error();
  longest_ = 1.0 + 10.0 * error_;
}

const std::vector<PushCondition>& PushSpace::conditions(const Pusher& pusher) const {
  return conditions_[static_cast<std::size_t>(pusher.contact * (1 + directions_) + 1 +
                                              pusher.direction)];
}

PushProgram::PushProgram(const PushSpace& space, const Eigen::VectorXd& goal,
                         std::vector<Pusher> order, std::vector<char> idle, double known)
    : space_(&space), goal_(goal), order_(std::move(order)), idle_(std::move(idle)), bound_(known) {
  std::vector<char> done = idle_;
  for (std::size_t t = 0; t <= order_.size(); ++t) {
    const bool ends = t == order_.size();
    Stage stage;
    for (std::size_t e = 0; e < done.size(); ++e) {
      if (done[e] == 0) stage.edges.push_back(e);
      if (!ends && order_[t].covers(space.edges()[e])) done[e] = 1;
    }
    stage.conditions = ends ? &space.separation() : &space.conditions(order_[t]);
    stage.pushes.resize(size(), static_cast<Eigen::Index>(stage.edges.size()));
    for (std::size_t e = 0; e < stage.edges.size(); ++e) {
      stage.pushes.col(static_cast<Eigen::Index>(e)) = space.push(stage.edges[e]);
    }
    const auto count = static_cast<Eigen::Index>(stage.conditions->size());
    stage.rows.resize(size(), size() + count);
    stage.rows.leftCols(size()) = -Eigen::MatrixXd::Identity(size(), size());
    stage.constants = Eigen::VectorXd::Zero(size() + count);
    if (t == 0) stage.constants.head(size()) = space.start();
    stage.errors = Eigen::VectorXd::Constant(size() + count, 2.0 * space.error());
    for (Eigen::Index c = 0; c < count; ++c) {
      const PushCondition& condition = (*stage.conditions)[static_cast<std::size_t>(c)];
      stage.rows.col(size() + c) = -condition.normal;
      stage.constants(size() + c) = -condition.constant;
      stage.errors(size() + c) = condition.error;
    }
    stage.multipliers = Eigen::VectorXd::Ones(size() + count);
    stage.multipliers.head(size()) = -space.support();
    stages_.push_back(std::move(stage));
  }
}

Eigen::VectorXd PushProgram::rest(std::size_t stage) const {
  const Stage& its = stages_[stage];
  const bool last = stage + 1 == stages_.size();
  return (last ? goal_ : Eigen::VectorXd(stages_[stage + 1].multipliers.head(size()))) +
         its.rows * its.multipliers;
}

Eigen::VectorXd PushProgram::slacks(const Stage& stage) const {
  return -stage.pushes.transpose() * stage.multipliers.head(size());
}

double PushProgram::smoothed(double square) const {
  const double least = barrier_ / space_->longest();
  return least + std::sqrt(least * least + square);
}

double PushProgram::value() const {
  double sum = 0.0;
  double logarithms = 0.0;
  for (std::size_t t = 0; t < stages_.size(); ++t) {
    const Stage& its = stages_[t];
    sum += its.constants.dot(its.multipliers);
    const double s = smoothed(rest(t).squaredNorm());
    sum += space_->longest() * s;
    logarithms += std::log(2.0 * barrier_ * s / space_->longest());
    for (const double room : slacks(its)) {
      if (!(room > 0.0)) return never;
      logarithms += std::log(room);
    }
    for (Eigen::Index i = size(); i < its.multipliers.size(); ++i) {
      const double room = (greatest - its.multipliers(i)) / greatest;
      if (!(its.multipliers(i) > 0.0 && room > 0.0)) return never;
      logarithms += std::log(its.multipliers(i)) + std::log(room);
    }
  }
  return sum - barrier_ * logarithms;
}

double PushProgram::proved() const {
  double sum = 0.0;
  double error = space_->error();
  for (std::size_t t = 0; t < stages_.size(); ++t) {
    const Stage& its = stages_[t];
    const double length = its.multipliers.head(size()).norm();
    for (const double room : slacks(its)) {
      if (!(room > space_->error() * length)) return space_->most();
    }
    sum += its.constants.dot(its.multipliers) + space_->longest() * rest(t).norm();
    if (!(its.multipliers.tail(its.multipliers.size() - size()).array() >= 0.0).all()) {
      return space_->most();
    }
    error += its.errors.dot(its.multipliers.cwiseAbs());
  }
  sum += error;
  return std::isfinite(sum) ? sum : space_->most();
}

PushProgram::Step PushProgram::newton_step() const {
  Step step;
  // The matrix is zero but for the blocks of each stage and the next.
  std::vector<Eigen::MatrixXd> factor;
  std::vector<Eigen::MatrixXd> to_next;
  Eigen::VectorXd carried = Eigen::VectorXd::Zero(size());  // gradient, from the stage before
  Eigen::MatrixXd added = Eigen::MatrixXd::Zero(size(), size());
  std::vector<Eigen::VectorXd> right;
  std::vector<Eigen::VectorXd> gradients;
  for (std::size_t t = 0; t < stages_.size(); ++t) {
    const Stage& its = stages_[t];
    const Eigen::VectorXd left = rest(t);
    const double s = smoothed(left.squaredNorm());
    const Eigen::VectorXd end = space_->longest() / s * left;
    Eigen::MatrixXd curved =
        -space_->longest() / (s * s * (s - barrier_ / space_->longest())) * left * left.transpose();
    curved.diagonal().array() += space_->longest() / s;

    Eigen::VectorXd gradient = its.constants + its.rows.transpose() * end;
    gradient.head(size()) += carried;
    Eigen::MatrixXd block = its.rows.transpose() * curved * its.rows;
    block.topLeftCorner(size(), size()) += added;
    const Eigen::VectorXd impulses = barrier_ * slacks(its).cwiseInverse();
    gradient.head(size()) += its.pushes * impulses;
    block.topLeftCorner(size(), size()) +=
        its.pushes * (impulses.cwiseAbs2() / barrier_).asDiagonal() * its.pushes.transpose();
    for (Eigen::Index i = size(); i < its.multipliers.size(); ++i) {
      const double part = barrier_ / its.multipliers(i);
      const double other = barrier_ / (greatest - its.multipliers(i));
      gradient(i) += other - part;
      block(i, i) += (part * part + other * other) / barrier_;
    }
    gradients.push_back(gradient);
    Eigen::VectorXd target = -gradient;
    if (t > 0) {
      const Eigen::MatrixXd& before = to_next[t - 1];
      block.topLeftCorner(size(), size()) -= before.transpose() * before;
      target.head(size()) -= before.transpose() * right[t - 1];
    }
    const Eigen::LLT<Eigen::MatrixXd> cholesky(block);
    factor.emplace_back(cholesky.matrixL());
    const auto lower = factor.back().triangularView<Eigen::Lower>();
    right.emplace_back(lower.solve(target));
    to_next.emplace_back(lower.solve(its.rows.transpose() * curved));
    carried = end;
    added = curved;
  }
  step.of.resize(stages_.size());
  for (std::size_t t = stages_.size(); t-- > 0;) {
    Eigen::VectorXd target = right[t];
    if (t + 1 < stages_.size()) target -= to_next[t] * step.of[t + 1].head(size());
    step.of[t] = factor[t].triangularView<Eigen::Lower>().transpose().solve(target);
    step.slope += gradients[t].dot(step.of[t]);
  }
  return step;
}

void PushProgram::move(const Step& step, double part) {
  for (std::size_t t = 0; t < stages_.size(); ++t) {
    stages_[t].multipliers += part * step.of[t];
  }
}

std::int64_t PushProgram::solve(double enough) {
  constexpr double next_barrier = 0.02;
  constexpr double near = 1.0;  // of a Newton decrement's square, in barriers
  constexpr double least_part = 1e-10;
  constexpr int most_steps = 200;
  std::int64_t products = 0;
  for (int taken = 0; !is_solved_; ++taken) {
    for (const Stage& stage : stages_) {
      const std::int64_t block = stage.multipliers.size();
      products += 3 * block * block * block;
    }
    const Step step = newton_step();
    const double before = value();
    double part = 1.0;
    double moved = 0.0;
    while (part > least_part) {
      move(step, part - moved);
      moved = part;
      if (value() <= before + 0.1 * part * step.slope) break;
      part *= 0.5;
    }
    const bool is_stuck =  // by rounding
        !(part > least_part) || taken == most_steps || !std::isfinite(before);
    if (is_stuck) move(step, -moved);
    bound_ = std::min(bound_, proved());
    if (bound_ < enough || is_impossible()) break;
    is_solved_ = is_stuck || (-step.slope <= near * barrier_ && barrier_ <= least_barrier);
    if (!is_solved_ && -step.slope <= near * barrier_) barrier_ *= next_barrier;
  }
  return products;
}

Eigen::VectorXd PushProgram::velocity(std::size_t stage) const {
  const Eigen::VectorXd left = rest(stage);
  return space_->longest() / smoothed(left.squaredNorm()) * left;
}

bool PushProgram::find_wrong(Pusher& wrong) const {
  constexpr double rounding = 1e-6;
  const auto& edges = space_->edges();
  std::vector<double> used(edges.size(), 0.0);
  std::vector<std::size_t> last(edges.size(), 0);
  std::vector<Eigen::VectorXd> ends;
  for (std::size_t t = 0; t < stages_.size(); ++t) {
    ends.push_back(velocity(t));
    const Eigen::VectorXd rooms = slacks(stages_[t]);
    for (std::size_t e = 0; e < stages_[t].edges.size(); ++e) {
      const double impulse = barrier_ / rooms(static_cast<Eigen::Index>(e));
      if (impulse < rounding) continue;
      used[stages_[t].edges[e]] += impulse;
      last[stages_[t].edges[e]] = t;
    }
  }
  const auto is_in_order = [&](const Pusher& pusher) {
    return std::ranges::find(order_, pusher) != order_.end();
  };
  double most = 0.0;
  const auto judge = [&](const Pusher& pusher) {
    if (is_in_order(pusher)) return;
    double impulse = 0.0;
    std::size_t at = 0;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      if (used[e] == 0.0 || !pusher.covers(edges[e]) || is_in_order(edges[e])) continue;
      impulse += used[e];
      at = std::max(at, last[e]);
    }
    if (impulse == 0.0) return;
    double broken = 0.0;
    for (const PushCondition& condition : space_->conditions(pusher)) {
      broken = std::max(broken, condition.normal.dot(ends[at]) + condition.constant);
    }
    const double its = broken * broken * impulse * static_cast<double>(1 + at);
    if (broken * impulse <= rounding || its <= most) return;
    most = its;
    wrong = pusher;
  };
  for (int i = 0; i < space_->contacts(); ++i) judge({i, Pusher::any});
  for (const Pusher& edge : edges) judge(edge);
  return most > 0.0;
}

}  // namespace carom
