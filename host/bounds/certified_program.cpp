#include "host/bounds/certified_program.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace carom {
namespace {

// Entries below this are rounding noise of a dictionary: a pivot there would amplify it. Whatever
// the simplex method makes of them, certificates decide.
constexpr double pivot_floor = 1e-10;
constexpr double cost_floor = 1e-12;
constexpr double feasibility = 1e-11;
// From here on the rule of Bland, which does not cycle.
constexpr int greedy_pivots = 60;
constexpr int most_pivots = 600;
constexpr double loose_gap = 1e-9;
// A sum of at most 60 products is wrong by less than this times the sum of their sizes.
constexpr double rounding = 1e-14;

}  // namespace

// With y' = y + E lambda and weights p: goal y' = (goal - sum p normal) y' + sum p normal y', where
// a row before the step has normal y' = normal y + normal E lambda.
double certified_maximum(const StepLimits& limits, const std::vector<ProgramRow>& rows,
                         const std::vector<char>& allowed, const Eigen::VectorXd& goal,
                         const std::vector<Multiplier>& multipliers) {
  Eigen::VectorXd rest = goal;
  Eigen::VectorXd sizes = goal.cwiseAbs();
  Eigen::VectorXd before = Eigen::VectorXd::Zero(goal.size());
  double value = 0.0;
  double size = 0.0;
  double total = 0.0;
  for (const auto& [index, weight] : multipliers) {
    if (!(weight > 0.0)) continue;
    const ProgramRow& row = rows[index];
    rest -= weight * row.normal;
    sizes += weight * row.normal.cwiseAbs();
    if (!row.after) before += weight * row.normal;
    value += weight * row.most;
    size += std::abs(weight * row.most);
    total += weight;
  }
  double slope = 0.0;
  for (Eigen::Index e = 0; e < limits.edges.cols(); ++e) {
    if (allowed[static_cast<std::size_t>(e)] != 0) {
      slope = std::max(slope, before.dot(limits.edges.col(e)));
    }
  }
  // The impulses together are limited, so only the steepest edge counts.
  value += rest.norm() * limits.radius + slope * limits.most_impulse;
  value += rounding * (size + sizes.sum() * (limits.radius + limits.most_impulse)) +
           limits.data_error * total * (limits.radius + limits.most_impulse);
  return std::isfinite(value) ? value : limits.radius;
}

StepProgram::StepProgram(const StepLimits& limits, std::vector<ProgramRow> rows, Counts& counts)
    : limits_(&limits),
      counts_(&counts),
      rows_(std::move(rows)),
      allowed_(static_cast<std::size_t>(limits.edges.cols()), 1),
      dimension_(static_cast<std::size_t>(limits.edges.rows())),
      width_(dimension_ + allowed_.size() + 1) {
  reset();
}

void StepProgram::reset() {
  table_.clear();
  basic_.clear();
  nonbasic_.clear();
  feasible_ = false;
  for (std::size_t column = 0; column + 1 < width_; ++column) {
    nonbasic_.push_back(static_cast<int>(column));
  }
  const std::size_t own = dimension_ + allowed_.size();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const ProgramRow& row = rows_[i];
    table_.resize(table_.size() + width_);
    basic_.push_back(static_cast<int>(own + i));
    for (std::size_t c = 0; c < dimension_; ++c) {
      at(i, c) = -row.normal(static_cast<Eigen::Index>(c));
    }
    for (std::size_t e = 0; e < allowed_.size() && !row.after; ++e) {
      if (allowed_[e] == 0) continue;
      at(i, dimension_ + e) = row.normal.dot(limits_->edges.col(static_cast<Eigen::Index>(e)));
    }
    at(i, width_ - 1) = row.most;
  }
  for (std::size_t e = 0; e < allowed_.size(); ++e) {
    if (allowed_[e] == 0) nonbasic_[dimension_ + e] = frozen;
  }
  // y has no sign: it goes into the basis for good.
  for (std::size_t c = 0; c < dimension_; ++c) {
    std::size_t best = rows_.size();
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      if (basic_[i] < static_cast<int>(own)) continue;
      if (best == rows_.size() || std::abs(at(i, c)) > std::abs(at(best, c))) best = i;
    }
    if (best < rows_.size() && std::abs(at(best, c)) > pivot_floor) pivot(best, c);
  }
}

void StepProgram::append(const ProgramRow& row, std::size_t index) {
  std::vector<double> entries(width_, 0.0);
  entries.back() = row.most;
  for (std::size_t i = 0; i < basic_.size(); ++i) {
    if (basic_[i] >= static_cast<int>(dimension_)) continue;
    const double factor = row.normal(basic_[i]);
    for (std::size_t c = 0; c < width_; ++c) entries[c] -= factor * at(i, c);
  }
  table_.insert(table_.end(), entries.begin(), entries.end());
  basic_.push_back(static_cast<int>(dimension_ + allowed_.size() + index));
}

void StepProgram::add(ProgramRow row) {
  append(row, rows_.size());
  rows_.push_back(std::move(row));
  feasible_ = false;
}

void StepProgram::forbid(std::size_t edge) {
  allowed_[edge] = 0;
  feasible_ = false;
  const int id = static_cast<int>(dimension_ + edge);
  const auto basic = std::find(basic_.begin(), basic_.end(), id);
  if (basic != basic_.end()) {
    const auto row = static_cast<std::size_t>(basic - basic_.begin());
    std::size_t best = width_ - 1;
    for (std::size_t c = 0; c + 1 < width_; ++c) {
      if (nonbasic_[c] == frozen) continue;
      if (best == width_ - 1 || std::abs(at(row, c)) > std::abs(at(row, best))) best = c;
    }
    if (best == width_ - 1 || std::abs(at(row, best)) < pivot_floor) return;
    pivot(row, best);
  }
  const auto column = std::find(nonbasic_.begin(), nonbasic_.end(), id);
  *column = frozen;
  for (std::size_t i = 0; i < basic_.size(); ++i) {
    at(i, static_cast<std::size_t>(column - nonbasic_.begin())) = 0.0;
  }
}

void StepProgram::pivot(std::size_t row, std::size_t column) {
  double* const own = &table_[row * width_];
  const double inverse = 1.0 / own[column];
  for (std::size_t c = 0; c < width_; ++c) own[c] *= -inverse;
  own[column] = inverse;
  for (std::size_t i = 0; i < basic_.size(); ++i) {
    if (i == row) continue;
    double* const other = &table_[i * width_];
    const double factor = other[column];
    if (factor == 0.0) continue;
    other[column] = 0.0;
    for (std::size_t c = 0; c < width_; ++c) other[c] += factor * own[c];
  }
  std::swap(basic_[row], nonbasic_[column]);
}

std::vector<Multiplier> StepProgram::multipliers(const std::vector<double>& costs) const {
  const int own = static_cast<int>(dimension_ + allowed_.size());
  std::vector<Multiplier> list;
  for (std::size_t c = 0; c + 1 < width_; ++c) {
    if (nonbasic_[c] >= own && costs[c] < 0.0) {
      list.push_back({static_cast<std::size_t>(nonbasic_[c] - own), -costs[c]});
    }
  }
  return list;
}

// A row of the dictionary whose constant is negative and whose entries are not positive says that
// no point exists; it is a sum of the original rows, which the certificate takes.
bool StepProgram::proved_empty() {
  if (feasible_) return false;
  ++counts_->solved;
  const int own = static_cast<int>(dimension_ + allowed_.size());
  for (int pivots = 0; pivots < most_pivots; ++pivots) {
    const bool greedy = pivots < greedy_pivots;
    std::size_t leaving = basic_.size();
    for (std::size_t i = 0; i < basic_.size(); ++i) {
      if (basic_[i] < static_cast<int>(dimension_) || value(i) > -feasibility) continue;
      if (leaving == basic_.size() ||
          (greedy ? value(i) < value(leaving) : basic_[i] < basic_[leaving])) {
        leaving = i;
      }
    }
    if (leaving == basic_.size()) {
      feasible_ = true;
      return false;
    }
    std::size_t entering = width_ - 1;
    for (std::size_t c = 0; c + 1 < width_; ++c) {
      if (nonbasic_[c] == frozen || at(leaving, c) < pivot_floor) continue;
      if (entering == width_ - 1 ||
          (greedy ? at(leaving, c) > at(leaving, entering) : nonbasic_[c] < nonbasic_[entering])) {
        entering = c;
      }
    }
    if (entering == width_ - 1) {
      std::vector<Multiplier> proof =
          multipliers({table_.begin() + static_cast<std::ptrdiff_t>(leaving * width_),
                       table_.begin() + static_cast<std::ptrdiff_t>((leaving + 1) * width_)});
      if (basic_[leaving] >= own) {
        proof.push_back({static_cast<std::size_t>(basic_[leaving] - own), 1.0});
      }
      return certified_maximum(*limits_, rows_, allowed_,
                               Eigen::VectorXd::Zero(limits_->edges.rows()), proof) < 0.0;
    }
    pivot(leaving, entering);
  }
  return false;
}

std::vector<double> StepProgram::objective(const Eigen::VectorXd& goal) {
  std::vector<double> costs(width_, 0.0);
  for (std::size_t i = 0; i < basic_.size(); ++i) {
    if (basic_[i] >= static_cast<int>(dimension_)) continue;
    const double factor = goal(basic_[i]);
    for (std::size_t c = 0; c < width_; ++c) costs[c] += factor * at(i, c);
  }
  return costs;
}

/// The row that limits an entering column, and among those that do so alike that of the safest
/// pivot.
std::size_t StepProgram::leaving_row(std::size_t entering, bool greedy) {
  constexpr double play = 1e-11;
  const auto limits = [&](std::size_t i) {
    return basic_[i] >= static_cast<int>(dimension_) && -at(i, entering) >= pivot_floor;
  };
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < basic_.size(); ++i) {
    if (!limits(i)) continue;
    least = std::min(least, (std::max(value(i), 0.0) + (greedy ? play : 0.0)) / -at(i, entering));
  }
  std::size_t leaving = basic_.size();
  for (std::size_t i = 0; i < basic_.size(); ++i) {
    if (!limits(i) || std::max(value(i), 0.0) / -at(i, entering) > least) continue;
    if (leaving == basic_.size() ||
        (greedy ? at(i, entering) < at(leaving, entering) : basic_[i] < basic_[leaving])) {
      leaving = i;
    }
  }
  return leaving;
}

std::optional<StepProgram::Maximum> StepProgram::maximise(const Eigen::VectorXd& goal) {
  std::vector<double> costs = objective(goal);
  for (int pivots = 0; pivots < most_pivots; ++pivots) {
    const bool greedy = pivots < greedy_pivots;
    std::size_t entering = width_ - 1;
    for (std::size_t c = 0; c + 1 < width_; ++c) {
      if (nonbasic_[c] == frozen || costs[c] < cost_floor) continue;
      if (entering == width_ - 1 ||
          (greedy ? costs[c] > costs[entering] : nonbasic_[c] < nonbasic_[entering])) {
        entering = c;
      }
    }
    if (entering == width_ - 1) break;
    const std::size_t leaving = leaving_row(entering, greedy);
    if (leaving == basic_.size()) return std::nullopt;
    pivot(leaving, entering);
    costs = objective(goal);
  }
  const double proved = certified_maximum(*limits_, rows_, allowed_, goal, multipliers(costs));
  return Maximum{proved, !feasible_ || proved - costs.back() > loose_gap};
}

double StepProgram::maximum(const Eigen::VectorXd& goal) {
  ++counts_->solved;
  std::optional<Maximum> found = maximise(goal);
  double least = found ? found->proved : limits_->radius;
  // The dictionary has drifted in its many pivots: once more from the original rows.
  if (found && found->loose) {
    reset();
    if (proved_empty()) return -std::numeric_limits<double>::infinity();
    found = maximise(goal);
    if (found) least = std::min(least, found->proved);
    if (!found || found->loose) ++counts_->loose;
  }
  return std::min(least, limits_->radius);
}

}  // namespace carom
