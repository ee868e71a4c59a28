#include <gtest/gtest.h>

#include <limits>

#include "host/cli/remarks.hpp"
#include "host/cli/terminal.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

/// The note about dropped trajectories after a run with this step limit.
std::string note_with_max_steps(int max_steps) {
  Scenario scenario = test::small_scenario(8);
  scenario.sampling.max_steps = max_steps;
  const PostImpactSet set = test::set_of(scenario, 8);  // the last one is dropped
  for (const std::string& note : cli::run_remarks(scenario, set).notes) {
    if (note.find("were dropped") != std::string::npos) return note;
  }
  return "";
}

TEST(CommandLineText, SuggestsNoStepLimitThatIsRefused) {
  EXPECT_NE(note_with_max_steps(10).find("; --max-steps 20 may keep more"), std::string::npos);
  EXPECT_NE(note_with_max_steps(40000).find("--max-steps 65535 may"), std::string::npos);
  EXPECT_NE(note_with_max_steps(65535), "");
  EXPECT_EQ(note_with_max_steps(65535).find("--max-steps"), std::string::npos);
}

TEST(CommandLineText, TakesNothingForNoiseBesideAScaleThatIsNotFinite) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(cli::number(1e-13, 1.0), "0");
  EXPECT_EQ(cli::number(0.5, infinity), "0.5");
  EXPECT_EQ(cli::number(infinity, infinity), "inf");
}

}  // namespace
}  // namespace carom
