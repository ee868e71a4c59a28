#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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

  /// Yes or no; nothing: a rollout that failed had not answered.
  std::optional<bool> operator()(std::size_t i) const {
    const bool whole = is_whole(rollouts_.status[i]);
    if (!question_.time) {
      const bool yes =
          holds(question_.quantity == "end_time" ? rollouts_.end_time[i]
                                                 : static_cast<double>(rollouts_.impacts[i]));
      return whole || yes == question_.greater ? std::optional(yes) : std::nullopt;
    }
    const std::size_t kept = whole ? times() : kept_before_failure(i);
    if (!question_.ever) {
      if (time_ >= kept) return std::nullopt;
      return holds(rollouts_.position[at(i, time_)]);
    }
    for (std::size_t k = 0; k < std::min(kept, time_ + 1); ++k) {
      const double least = rollouts_.least[at(i, k)];
      const double greatest = rollouts_.greatest[at(i, k)];
      const bool crosses_zero = question_.absolute && least < 0.0 && greatest > 0.0;
      if (holds(least) || holds(greatest) || (crosses_zero && holds(0.0))) return true;
    }
    return time_ < kept ? std::optional(false) : std::nullopt;
  }

 private:
  std::size_t times() const { return static_cast<std::size_t>(rollouts_.times); }
  std::size_t row(std::size_t i, std::size_t k) const {
    return (i * times() + k) * static_cast<std::size_t>(rollouts_.coordinates);
  }
  std::size_t at(std::size_t i, std::size_t k) const { return row(i, k) + coordinate_; }

  /// How many kept times a failed rollout passed: from its failure on, nothing moves, and what it
  /// did last may be wrong.
  std::size_t kept_before_failure(std::size_t i) const {
    std::size_t k = times();
    const auto moves = [&](std::size_t before) {
      const auto nq = static_cast<std::ptrdiff_t>(rollouts_.coordinates);
      const auto least = rollouts_.least.begin() + static_cast<std::ptrdiff_t>(row(i, before));
      return !std::equal(least, least + nq,
                         rollouts_.greatest.begin() + static_cast<std::ptrdiff_t>(row(i, before)));
    };
    while (k > 0 && !moves(k - 1)) --k;
    return k > 0 ? k - 1 : 0;
  }

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
    RollAnswer answer{.question = question.text, .rollouts = rollouts.size()};
    for (std::size_t i = 0; i < rollouts.size(); ++i) {
      const std::optional<bool> its = asked(i);
      answer.yes += its.value_or(false) ? 1 : 0;
      answer.open += its ? 0 : 1;
    }
    if (answer.rollouts > 0) {
      const auto of = [&](std::uint64_t yes) {
        return wilson_interval(yes, answer.rollouts, confidence);
      };
      answer.interval = {of(answer.yes).low, of(answer.yes + answer.open).high};
    }
    summary.answers.push_back(std::move(answer));
  }
  if (options.tube_time > 0.0 && whole > 1) summary.tube = tube_of(system, options, rollouts);
  return summary;
}

}  // namespace carom
