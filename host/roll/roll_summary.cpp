#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "carom/error.hpp"
#include "carom/roll.hpp"
#include "host/roll/roll_questions.hpp"
#include "host/roll/tube.hpp"

namespace carom {
namespace {

/// Numbers of the rows that are whole, sorted.
std::vector<double> sorted(const Rollouts& rollouts, const std::vector<double>& column,
                           std::size_t width, std::size_t at) {
  std::vector<double> values;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    if (is_whole(rollouts.status[i])) values.push_back(column[i * width + at]);
  }
  std::ranges::sort(values);
  return values;
}

/// The quantile of a share: the least number that this share of all numbers does not exceed.
double quantile(const std::vector<double>& values, double share) {
  if (values.empty()) return NAN;
  const double place = std::ceil(share * static_cast<double>(values.size())) - 1.0;
  return values[static_cast<std::size_t>(std::max(place, 0.0))];
}

std::vector<double> quantiles(const Rollouts& rollouts, const std::vector<double>& column,
                              std::size_t width) {
  std::vector<double> result;
  for (std::size_t at = 0; at < width; ++at) {
    const std::vector<double> values = sorted(rollouts, column, width, at);
    for (const double level : roll_levels) result.push_back(quantile(values, level));
  }
  return result;
}

/// Positions with quaternions on the side of the start: q and -q are one orientation.
std::vector<double> one_sided(const RolledSystem& system, const Rollouts& rollouts) {
  std::vector<double> position = rollouts.position;
  for (const RolledQuaternion& its : system.quaternions) {
    for (std::size_t at = its.at; at < position.size();
         at += static_cast<std::size_t>(rollouts.coordinates)) {
      Eigen::Map<Eigen::Vector4d> now(&position[at]);
      if (now.dot(its.start) < 0.0) now = -now;
    }
  }
  return position;
}

/// Answers a question of single rollouts.
class Asked {
 public:
  Asked(const RolledSystem& system, const RollQuestion& question, const Rollouts& rollouts)
      : question_(question), rollouts_(rollouts) {
    if (!question.time) return;
    coordinate_ = coordinate_of(system.coordinates, question);
    const auto time = std::ranges::find(rollouts.time, *question.time);
    if (time == rollouts.time.end()) {
      throw InputError(
          fmt::format("ask has \"{}\", whose time is none of the rollouts' times", question.text));
    }
    time_ = static_cast<std::size_t>(time - rollouts.time.begin());
  }

  bool operator()(std::size_t i) const {
    if (question_.quantity == "end_time") return holds(rollouts_.end_time[i]);
    if (!question_.time) return holds(rollouts_.impacts[i]);
    const auto nq = static_cast<std::size_t>(rollouts_.coordinates);
    const std::size_t row = i * static_cast<std::size_t>(rollouts_.times);
    if (!question_.ever) return holds(rollouts_.position[(row + time_) * nq + coordinate_]);
    for (std::size_t k = 0; k <= time_; ++k) {
      const std::size_t at = (row + k) * nq + coordinate_;
      const double least = rollouts_.least[at];
      const double greatest = rollouts_.greatest[at];
      const bool crosses_zero = question_.absolute && least < 0.0 && greatest > 0.0;
      if (holds(least) || holds(greatest) || (crosses_zero && holds(0.0))) return true;
    }
    return false;
  }

 private:
  bool holds(double number) const {
    const double value = question_.absolute ? std::fabs(number) : number;
    return question_.greater ? value > question_.value : value < question_.value;
  }

  const RollQuestion& question_;
  const Rollouts& rollouts_;
  std::size_t coordinate_ = 0;
  std::size_t time_ = 0;
};

}  // namespace

std::uint64_t RollSummary::whole() const {
  std::uint64_t count = 0;
  for (int s = 0; s < rollout_status_count; ++s) {
    if (is_whole(static_cast<RolloutStatus>(s))) count += by_status[s];
  }
  return count;
}

RollSummary summarise(const RolledSystem& system, const RollOptions& options,
                      const Rollouts& rollouts) {
  constexpr double confidence = 0.95;
  RollSummary summary;
  summary.rollouts = rollouts.size();
  double impacts = 0.0;
  for (std::size_t i = 0; i < rollouts.size(); ++i) {
    ++summary.by_status[static_cast<int>(rollouts.status[i])];
    if (!is_whole(rollouts.status[i])) continue;
    impacts += rollouts.impacts[i];
    summary.impacts_most = std::max(summary.impacts_most, rollouts.impacts[i]);
  }
  const std::uint64_t whole = summary.whole();
  summary.impacts_mean = impacts / static_cast<double>(whole);
  const auto times = static_cast<std::size_t>(rollouts.times);
  const std::vector<double> turned =
      system.quaternions.empty() ? std::vector<double>() : one_sided(system, rollouts);
  summary.position = quantiles(rollouts, turned.empty() ? rollouts.position : turned,
                               times * static_cast<std::size_t>(rollouts.coordinates));
  summary.velocity =
      quantiles(rollouts, rollouts.velocity, times * static_cast<std::size_t>(rollouts.velocities));
  const std::vector<double> ends = quantiles(rollouts, rollouts.end_time, 1);
  std::ranges::copy(ends, summary.end_time);
  for (const RollQuestion& question : parse_questions(options)) {
    const Asked asked(system, question, rollouts);
    RollAnswer answer{.question = question.text, .rollouts = whole};
    for (std::size_t i = 0; i < rollouts.size(); ++i) {
      answer.yes += is_whole(rollouts.status[i]) && asked(i) ? 1 : 0;
    }
    if (whole > 0) answer.interval = wilson_interval(answer.yes, whole, confidence);
    summary.answers.push_back(std::move(answer));
  }
  if (options.tube_time > 0.0 && whole > 1) summary.tube = tube_of(system, options, rollouts);
  return summary;
}

}  // namespace carom
