#include "host/base/progress.hpp"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "carom/progress_bar.hpp"
#include "host/base/clock.hpp"
#include "host/base/standard_error.hpp"

namespace carom {
namespace {

constexpr int bar_width = 20;
constexpr int assumed_terminal_width = 80;  // if the terminal does not tell
constexpr auto redraw_interval = std::chrono::milliseconds(200);
constexpr double patience = 5.0;  // s without a word where nothing can be drawn

int terminal_width() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : assumed_terminal_width;
}

double share_of(const Progress& progress) {
  const double total = static_cast<double>(std::max<std::uint64_t>(progress.total, 1));
  return std::min(1.0, static_cast<double>(progress.done) / total);
}

/// Parts per second; 0 where nothing is done yet.
double rate_of(const Progress& progress) {
  const auto fresh = static_cast<double>(progress.done - progress.started_at);
  return progress.seconds > 0.0 ? fresh / progress.seconds : 0.0;
}

std::string time_left(const Progress& progress, double rate) {
  return duration_text(static_cast<double>(progress.total - progress.done) / rate) + " left";
}

}  // namespace

std::string duration_text(double seconds) {
  constexpr double day = 86400.0;
  constexpr double year = 365.25 * day;
  if (seconds >= year) return fmt::format("{} years", short_count(seconds / year));
  if (seconds >= 2.0 * day) return fmt::format("{:.0f} days", seconds / day);
  const auto whole = static_cast<long long>(std::ceil(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole / 60 % 60);
}

std::string short_count(double count) {
  constexpr double factor = 1000.0;
  const char* units[] = {"", " k", " M", " G", " T"};
  const char* const* unit = units;
  // 999.5 would be rounded to a fourth digit.
  while (count >= 999.5 && unit + 1 != std::end(units)) {
    count /= factor;
    ++unit;
  }
  if (unit == units) return fmt::format("{:.0f}", count);
  return fmt::format("{:.{}f}{}", count, count < 9.995 ? 2 : count < 99.95 ? 1 : 0, *unit);
}

std::string progress_line(const Progress& progress, int width) {
  const double share = share_of(progress);
  const auto filled = static_cast<std::size_t>(share * bar_width);
  const auto cut = [&](const std::string& text) {
    return text.substr(0, static_cast<std::size_t>(std::max(width, 0)));
  };
  if (!progress.stage.empty() && progress.total <= 1) return cut(progress.stage + " ...");
  std::string line = fmt::format("{}{}[{}{}] {:3.0f} %", progress.stage,
                                 progress.stage.empty() ? "" : " ", std::string(filled, '#'),
                                 std::string(static_cast<std::size_t>(bar_width) - filled, '-'),
                                 std::floor(share * 100.0));
  if (const double rate = rate_of(progress); rate > 0.0) {
    line += fmt::format("  {}/s  {}", short_count(rate), time_left(progress, rate));
  }
  if (progress.stage.empty()) {
    line += fmt::format("  {} outcomes", short_count(static_cast<double>(progress.outcomes)));
  }
  return cut(line);
}

std::string progress_sentence(const Progress& progress) {
  std::string text = progress.stage.empty() ? "sampling" : progress.stage;
  if (progress.total > 1) text += fmt::format(" {:.0f} %", std::floor(share_of(progress) * 100.0));
  text += " after " + duration_text(progress.seconds);
  const double rate = rate_of(progress);
  if (progress.total > 1 && rate > 0.0) text += ", " + time_left(progress, rate);
  return text;
}

struct ProgressBar::State {
  Progress progress;
  bool draws = isatty(STDERR_FILENO) != 0;
  double silent_until = patience;  // s since the beginning
  bool drawn = false;
  Clock::time_point begin = Clock::now();
  Clock::time_point last_drawn = begin;

  bool waits(Clock::time_point now);
};

ProgressBar::ProgressBar(std::uint64_t done, std::uint64_t total, bool shown, std::string stage) {
  if (!shown) return;
  state_ = std::make_unique<State>(
      State{{.stage = std::move(stage), .started_at = done, .done = done, .total = total}});
}

ProgressBar::~ProgressBar() {
  if (state_ && state_->drawn) {
    tell("\r\x1b[K");
  }
}

bool ProgressBar::State::waits(Clock::time_point now) {
  if (!draws) {
    const bool is_over = progress.done >= std::max<std::uint64_t>(progress.total, 1);
    return is_over || progress.seconds < silent_until;
  }
  const bool stage_begins = !drawn && !progress.stage.empty();
  return !stage_begins && now - last_drawn < redraw_interval;
}

void ProgressBar::update(std::uint64_t done, std::uint64_t outcomes) {
  if (!state_) return;
  Progress& progress = state_->progress;
  const Clock::time_point now = Clock::now();
  progress.done = done;
  progress.outcomes = outcomes;
  progress.seconds = std::chrono::duration<double>(now - state_->begin).count();
  if (state_->waits(now)) return;
  if (!state_->draws) {
    tell(fmt::format("carom: {}\n", progress_sentence(progress)));
    state_->silent_until = 2.0 * progress.seconds;  // a log of hours has a dozen lines
    return;
  }
  state_->last_drawn = now;
  // One column less than the terminal has: some terminals wrap a line that fills the last column.
  tell(fmt::format("\r\x1b[K{}", progress_line(progress, terminal_width() - 1)));
  state_->drawn = true;
}

}  // namespace carom
