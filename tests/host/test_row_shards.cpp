#include "host/result/row_shards.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace test;

template <class Error>
std::string message_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "no such error";
}

std::string input_error(const std::function<void()>& work) { return message_of<InputError>(work); }

class RowShards : public testing::Test {
 protected:
  static Scenario sharded(std::uint64_t trajectories, std::uint64_t rows = 100) {
    Scenario scenario = small_scenario(trajectories);
    scenario.storage.shard_rows = rows;
    return scenario;
  }
  fs::path shard(std::uint64_t first) const { return shard_path(rows_, first); }

  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "result.h5";
  fs::path rows_ = folder_.path() / "result.h5.rows";
};

TEST_F(RowShards, HoldTheRowsThatTheFileWouldHold) {
  for (const std::uint64_t chunk : {7U, 100U, 130U, 1000U}) {
    SCOPED_TRACE(chunk);
    write_result(file_, sharded(450), 450, chunk);
    expect_equal(read_samples(file_, 0, 450), made_up_samples(0, 450));
    expect_equal(read_samples(file_, 150, 101), made_up_samples(150, 101));
    std::vector<fs::path> files(fs::directory_iterator(rows_), {});
    EXPECT_EQ(files.size(), 5U);
    EXPECT_TRUE(fs::exists(shard(400)));
    fs::remove_all(rows_);
  }
}

TEST_F(RowShards, EndWithTheRowsThatAreStored) {
  Scenario scenario = sharded(450);
  scenario.storage.samples = 250;
  write_result(file_, scenario, 450);
  expect_equal(read_samples(file_, 0, 250), made_up_samples(0, 250));
  EXPECT_THAT(input_error([&] { read_samples(file_, 0, 251); }), HasSubstr("it holds 250"));
  EXPECT_FALSE(fs::exists(shard(300)));
  scenario.storage.samples = 0;
  write_result(file_, scenario, 450);
  EXPECT_EQ(read_samples(file_, 0, 0).size(), 0U);
}

TEST_F(RowShards, GoOnInAResumedRun) {
  write_result(file_, sharded(150), 150);
  resume_result(file_, sharded(470), 470);
  expect_equal(read_samples(file_, 0, 470), made_up_samples(0, 470));
  EXPECT_TRUE(fs::exists(shard(150)));  // where the first run ended
  EXPECT_THAT(
      input_error([&] { ResultWriter::resume(file_, sharded(900), folder_.path() / "other.h5"); }),
      HasSubstr("other.h5 (must be"));
}

TEST_F(RowShards, AreWholeAtACheckpoint) {
  const Scenario scenario = sharded(450);
  {
    ResultWriter writer(file_, scenario);
    PostImpactSet set = empty_set(scenario);
    const SampleSet samples = made_up_samples(0, 230);
    writer.append(samples);
    add_rows(set, scenario, samples);
    ASSERT_TRUE(writer.checkpoint(set));
    writer.append(made_up_samples(230, 120));
  }  // the run dies
  EXPECT_EQ(read_result(file_).set.summary.trajectories, 230U);
  expect_equal(read_samples(file_, 0, 230), made_up_samples(0, 230));
  resume_result(file_, scenario, 450);
  expect_equal(read_samples(file_, 0, 450), made_up_samples(0, 450));
}

TEST_F(RowShards, OfAnotherProcessAreTakenIfTheyAreThere) {
  const Scenario scenario = sharded(150);
  PostImpactSet set = set_of(scenario, 150);
  const RowShardPlan plan = plan_row_shards(file_, scenario);
  ResultWriter writer(file_, scenario);
  const auto write = [&](std::uint64_t first, std::uint64_t count) {
    const SampleSet samples = made_up_samples(first, count);
    RowShardWriter shard(plan, first, layout::empty_samples(scenario.problem));
    shard.append(samples, 0, samples.size());
    shard.finish();
  };
  write(0, 100);
  writer.skip(100);
  write(100, 50);
  writer.skip(50);
  writer.finish(set);
  expect_equal(read_samples(file_, 0, 150), made_up_samples(0, 150));

  ResultWriter lacking(file_, scenario);
  write(0, 99);
  EXPECT_THAT(message_of<RunError>([&] { lacking.skip(100); }), HasSubstr("holds other rows"));
  fs::remove_all(rows_);
  ResultWriter alone(file_, scenario);
  EXPECT_THAT(message_of<RunError>([&] { alone.skip(100); }),
              HasSubstr("is missing (all ranks must see the same folder)"));
}

TEST_F(RowShards, ThatAreMissingDamagedOrOfAnotherRunAreTold) {
  write_result(file_, sharded(450), 450);
  fs::rename(shard(200), folder_.path() / "kept.h5");
  EXPECT_THAT(input_error([&] { read_samples(file_, 0, 450); }),
              HasSubstr("000000000200.h5 is missing (the folder must stay beside the file)"));
  expect_equal(read_samples(file_, 0, 200), made_up_samples(0, 200));
  expect_equal(read_samples(file_, 300, 150), made_up_samples(300, 150));
  fs::copy_file(shard(300), shard(200));
  EXPECT_THAT(input_error([&] { read_samples(file_, 199, 2); }), HasSubstr("holds other rows"));
  std::ofstream(shard(200)) << "no HDF5";
  EXPECT_THAT(input_error([&] { read_samples(file_, 199, 2); }), HasSubstr("is damaged"));

  Scenario other = sharded(450);
  other.sampling.seed += 1;
  EXPECT_THAT(input_error([&] { write_result(file_, other, 450); }),
              HasSubstr("result.h5.rows holds the rows of another run"));
  EXPECT_EQ(read_result(file_).scenario.sampling.seed, other.sampling.seed - 1);
}

TEST_F(RowShards, AreFoundBehindALinkAndAfterAMove) {
  write_result(file_, sharded(250), 250);
  fs::create_directory(folder_.path() / "elsewhere");
  const fs::path link = folder_.path() / "elsewhere" / "link.h5";
  fs::create_symlink("../result.h5", link);
  expect_equal(read_samples(link, 0, 250), made_up_samples(0, 250));

  const fs::path moved = folder_.path() / "moved";
  fs::create_directory(moved);
  fs::rename(file_, moved / "new_name.h5");
  fs::rename(rows_, moved / rows_.filename());
  expect_equal(read_samples(moved / "new_name.h5", 0, 250), made_up_samples(0, 250));
}

}  // namespace
}  // namespace carom
