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

int terminal_width() {
  winsize size = {};
  const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : assumed_terminal_width;
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
  const double total = static_cast<double>(std::max<std::uint64_t>(progress.total, 1));
  const double share = std::min(1.0, static_cast<double>(progress.done) / total);
  const auto filled = static_cast<std::size_t>(share * bar_width);
  const auto cut = [&](const std::string& text) {
    return text.substr(0, static_cast<std::size_t>(std::max(width, 0)));
  };
  if (!progress.stage.empty() && progress.total <= 1) return cut(progress.stage + " ...");
  std::string line = fmt::format("{}{}[{}{}] {:3.0f} %", progress.stage,
                                 progress.stage.empty() ? "" : " ", std::string(filled, '#'),
                                 std::string(static_cast<std::size_t>(bar_width) - filled, '-'),
                                 std::floor(share * 100.0));
  const auto fresh = static_cast<double>(progress.done - progress.started_at);
  if (fresh > 0.0 && progress.seconds > 0.0) {
    const double rate = fresh / progress.seconds;
    const double left = static_cast<double>(progress.total - progress.done) / rate;
    line += fmt::format("  {}/s  {} left", short_count(rate), duration_text(left));
  }
  if (progress.stage.empty()) {
    line += fmt::format("  {} outcomes", short_count(static_cast<double>(progress.outcomes)));
  }
  return cut(line);
}

struct ProgressBar::State {
  Progress progress;
  bool drawn = false;
  Clock::time_point begin = Clock::now();
  Clock::time_point last_drawn = begin;
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

void ProgressBar::update(std::uint64_t done, std::uint64_t outcomes) {
  if (!state_) return;
  auto& [progress, drawn, begin, last_drawn] = *state_;
  const Clock::time_point now = Clock::now();
  const bool stage_begins = !drawn && !progress.stage.empty();
  if (!stage_begins && now - last_drawn < redraw_interval) return;
  last_drawn = now;
  progress.done = done;
  progress.outcomes = outcomes;
  progress.seconds = std::chrono::duration<double>(now - begin).count();
  // One column less than the terminal has: some terminals wrap a line that fills the last column.
  tell(fmt::format("\r\x1b[K{}", progress_line(progress, terminal_width() - 1)));
  drawn = true;
}

}  // namespace carom
