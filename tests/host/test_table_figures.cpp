#include <gtest/gtest.h>
#include <hdf5.h>

#include "host/files/hdf5_tools.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using namespace test;

TEST(TableHits, AreAPartOfAllLcpsFinalStepsToo) {
  SampleSet samples = made_up_samples(0, 3);
  samples.lcp_count = {4, 0, 3};
  samples.final_step = {1, 0, 0};
  samples.table_count = {5, 0, 1};
  Summary summary;
  EXPECT_EQ(summary.table_hit_rate(), 0.0);
  summary.add(small_scenario(3).problem, samples);
  EXPECT_EQ(summary.table_hits, 6u);
  EXPECT_EQ(summary.table_hit_rate(), 6.0 / 8.0);
}

TEST(TableHits, AreNoneWithoutLcps) {
  SampleSet samples = made_up_samples(0, 2);
  samples.lcp_count = {0, 0};
  samples.final_step = {0, 0};
  samples.table_count = {0, 0};
  Summary summary;
  summary.add(small_scenario(2).problem, samples);
  EXPECT_EQ(summary.table_hit_rate(), 0.0);
}

TEST(TableHits, AddUpOverChunks) {
  Summary whole;
  whole.add(small_scenario(100).problem, made_up_samples(0, 100));
  Summary chunked;
  chunked.add(small_scenario(100).problem, made_up_samples(0, 37));
  chunked.add(small_scenario(100).problem, made_up_samples(37, 63));
  EXPECT_EQ(whole.table_hits, 80u);  // 0 + 0 + 1 + 1 + 2 of every five
  EXPECT_EQ(chunked.table_hits, whole.table_hits);
}

class TableInFile : public testing::Test {
 protected:
  void write(const TableInfo& table) const {
    ResultWriter writer(file_, scenario_);
    PostImpactSet set = empty_set(scenario_);
    set.table = table;
    write_rows(writer, set, scenario_, 100, 64);
  }

  std::uint64_t summary_number(const char* name) const {
    const hdf5::Handle file(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
    return hdf5::read_number<std::uint64_t>(hdf5::open_group(file, "summary"), name);
  }

  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "result.h5";
  Scenario scenario_ = small_scenario(100);
};

TEST_F(TableInFile, ComesBackAsItWas) {
  write({.bases = 17, .pilot_trajectories = 1024});
  EXPECT_EQ(summary_number("table_hits"), 80u);
  EXPECT_EQ(summary_number("table_bases"), 17u);
  EXPECT_EQ(summary_number("pilot_trajectories"), 1024u);
  const PostImpactSet set = read_result(file_).set;
  EXPECT_EQ(set.table.bases, 17u);
  EXPECT_EQ(set.table.pilot_trajectories, 1024u);
  EXPECT_EQ(set.summary.table_hits, 80u);
  EXPECT_EQ(read_samples(file_, 3, 2).table_count, (std::vector<std::uint32_t>{1, 2}));
}

}  // namespace
}  // namespace carom
