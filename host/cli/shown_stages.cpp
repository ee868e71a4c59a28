#include "host/cli/shown_stages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

#include "carom/progress_bar.hpp"
#include "host/base/clock.hpp"
#include "host/base/progress.hpp"
#include "host/base/standard_error.hpp"
#include "host/cli/terminal.hpp"

namespace carom::cli {
namespace {

class ShownStages {
 public:
  void update(const std::string& stage, std::uint64_t done, std::uint64_t total) {
    if (stage != stage_) {
      bar_.reset();  // erases its line first
      bar_ = std::make_unique<ProgressBar>(done, total, draws_, stage);
      stage_ = stage;
      told_ = false;
      start_ = Clock::now();
    }
    bar_->update(done, 0);
    const double seconds = seconds_since(start_);
    constexpr double patience = 5.0;
    const bool has_parts = total > 1;
    if (draws_ || told_ || (has_parts && done == 0) || done == total || seconds < patience) return;
    told_ = true;
    if (!has_parts) {
      tell(fmt::format("carom: a {} goes on; it may take minutes\n", stage));
      return;
    }
    const double left = seconds * static_cast<double>(total - done) / static_cast<double>(done);
    tell(fmt::format("carom: a {} takes {} more\n", stage, duration_text(left)));
  }

 private:
  bool draws_ = is_terminal(STDERR_FILENO);
  bool told_ = false;
  std::string stage_;
  Clock::time_point start_;
  std::unique_ptr<ProgressBar> bar_;
};

}  // namespace

StageObserver shown_stages(bool quiet) {
  if (quiet) return {};
  return [shown = std::make_shared<ShownStages>()](const std::string& stage, std::uint64_t done,
                                                   std::uint64_t total) {
    shown->update(stage, done, total);
    return true;
  };
}

}  // namespace carom::cli
