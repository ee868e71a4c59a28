#include <gtest/gtest.h>

#include "host/base/progress.hpp"

namespace carom {
namespace {

TEST(Progress, CountsInThreeDigits) {
  EXPECT_EQ(short_count(0), "0");
  EXPECT_EQ(short_count(999), "999");
  EXPECT_EQ(short_count(1000), "1.00 k");
  EXPECT_EQ(short_count(12345), "12.3 k");
  EXPECT_EQ(short_count(999499), "999 k");
  EXPECT_EQ(short_count(999999), "1.00 M");
  EXPECT_EQ(short_count(2.5e9), "2.50 G");
}

TEST(Progress, TellsShareRateTimeLeftAndOutcomes) {
  // 250 of 1000 in 5 s: 50 per second, 750 left take 15 s.
  const Progress progress{
      .started_at = 0, .done = 250, .total = 1000, .outcomes = 240, .seconds = 5.0};
  EXPECT_EQ(progress_line(progress, 200),
            "[#####---------------]  25 %  50/s  15 s left  240 outcomes");
}

TEST(Progress, TellsDaysAndYears) {
  Progress progress{
      .started_at = 0, .done = 1000, .total = 1'000'000, .outcomes = 0, .seconds = 1000.0};
  EXPECT_NE(progress_line(progress, 200).find("  12 days left"), std::string::npos);
  progress.total = std::uint64_t{1} << 63;
  EXPECT_NE(progress_line(progress, 200).find("  292 G years left"), std::string::npos);
}

TEST(Progress, RatesAResumedRunByWhatItAdded) {
  // 100 new ones in 2 s, 1900 left: 38 s.
  const Progress progress{
      .started_at = 8000, .done = 8100, .total = 10000, .outcomes = 8100, .seconds = 2.0};
  EXPECT_EQ(progress_line(progress, 200),
            "[################----]  81 %  50/s  38 s left  8.10 k outcomes");
}

TEST(Progress, NamesAStageAndCountsNoOutcomes) {
  Progress progress{.stage = "hold-out",
                    .started_at = 0,
                    .done = 250,
                    .total = 1000,
                    .outcomes = 0,
                    .seconds = 5.0};
  EXPECT_EQ(progress_line(progress, 200), "hold-out [#####---------------]  25 %  50/s  15 s left");
  progress.total = 1;  // in one piece: nothing is known on the way
  EXPECT_EQ(progress_line(progress, 200), "hold-out ...");
}

TEST(Progress, ClaimsAllOnlyWhenAllIsDone) {
  Progress progress{.started_at = 0, .done = 9999, .total = 10000, .outcomes = 0, .seconds = 1.0};
  EXPECT_NE(progress_line(progress, 200).find(" 99 %"), std::string::npos);
  progress.done = 10000;
  EXPECT_NE(progress_line(progress, 200).find("100 %"), std::string::npos);
}

TEST(Progress, IsASentenceInALog) {
  Progress progress{.started_at = 0, .done = 250, .total = 1000, .outcomes = 0, .seconds = 10.0};
  EXPECT_EQ(progress_sentence(progress), "sampling 25 % after 10 s, 30 s left");
  progress.stage = "hold-out";
  progress.done = 0;
  EXPECT_EQ(progress_sentence(progress), "hold-out 0 % after 10 s");
  progress.total = 1;  // in one piece: nothing is known on the way
  EXPECT_EQ(progress_sentence(progress), "hold-out after 10 s");
}

TEST(Progress, FitsTheTerminal) {
  const Progress progress{.started_at = 0, .done = 5, .total = 10, .outcomes = 5, .seconds = 1e6};
  EXPECT_EQ(progress_line(progress, 30).size(), 30U);
  EXPECT_TRUE(progress_line(progress, -1).empty());
}

}  // namespace
}  // namespace carom
