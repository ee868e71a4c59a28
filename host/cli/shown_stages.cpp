#include "host/cli/shown_stages.hpp"

#include <memory>

#include "carom/progress_bar.hpp"

namespace carom::cli {
namespace {

class ShownStages {
 public:
  void update(const std::string& stage, std::uint64_t done, std::uint64_t total) {
    if (!bar_ || stage != stage_) {
      bar_.reset();  // erases its line first
      bar_ = std::make_unique<ProgressBar>(done, total, true, stage);
      stage_ = stage;
    }
    bar_->update(done, 0);
  }

 private:
  std::string stage_;
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
