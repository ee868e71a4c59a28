#include "host/result/row_shard_writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace test;

class ShardedRows : public testing::Test {
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

TEST_F(ShardedRows, HoldTheRowsThatTheFileWouldHold) {
  for (const std::uint64_t chunk : {7U, 100U, 130U, 1000U}) {
    SCOPED_TRACE(chunk);
    write_result(file_, sharded(450), 450, chunk);
    expect_same_bits(read_samples(file_, 0, 450), made_up_samples(0, 450));
    expect_same_bits(read_samples(file_, 150, 101), made_up_samples(150, 101));
    std::vector<fs::path> files(fs::directory_iterator(rows_), {});
    EXPECT_EQ(files.size(), 5U);
    EXPECT_TRUE(fs::exists(shard(400)));
    fs::remove_all(rows_);
  }
}

TEST_F(ShardedRows, EndWithTheRowsThatAreStored) {
  Scenario scenario = sharded(450);
  scenario.storage.samples = 250;
  write_result(file_, scenario, 450);
  expect_same_bits(read_samples(file_, 0, 250), made_up_samples(0, 250));
  EXPECT_THAT(refusal([&] { read_samples(file_, 0, 251); }), HasSubstr("it holds 250"));
  EXPECT_FALSE(fs::exists(shard(300)));
  scenario.storage.samples = 0;
  write_result(file_, scenario, 450);
  EXPECT_EQ(read_samples(file_, 0, 0).size(), 0U);
}

TEST_F(ShardedRows, GoOnInAResumedRun) {
  write_result(file_, sharded(150), 150);
  resume_result(file_, sharded(470), 470);
  expect_same_bits(read_samples(file_, 0, 470), made_up_samples(0, 470));
  EXPECT_TRUE(fs::exists(shard(150)));  // where the first run ended
  EXPECT_THAT(
      refusal([&] { ResultWriter::resume(file_, sharded(900), folder_.path() / "other.h5"); }),
      HasSubstr("result.h5, whose rows are in files beside it"));
}

TEST_F(ShardedRows, AreWholeAtACheckpoint) {
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
  expect_same_bits(read_samples(file_, 0, 230), made_up_samples(0, 230));
  resume_result(file_, scenario, 450);
  expect_same_bits(read_samples(file_, 0, 450), made_up_samples(0, 450));
}

TEST_F(ShardedRows, OfAnotherProcessAreTakenIfTheyAreThere) {
  const Scenario scenario = sharded(150);
  PostImpactSet set = set_of(scenario, 150);
  const RowShardPlan plan = plan_row_shards(file_, scenario);
  ResultWriter writer(file_, scenario);
  const auto write = [&](std::uint64_t first, std::uint64_t count) {
    const SampleSet samples = made_up_samples(first, count);
    RowShardWriter shard(plan, first, layout::row_shape(scenario));
    shard.append(samples, 0, samples.size());
    shard.finish();
  };
  write(0, 100);
  writer.skip(100);
  write(100, 50);
  writer.skip(50);
  writer.finish(set);
  expect_same_bits(read_samples(file_, 0, 150), made_up_samples(0, 150));

  ResultWriter lacking(file_, scenario);
  EXPECT_THAT(refusal<RunError>([&] { lacking.skip(101); }),
              HasSubstr("holds 100 rows from 0 on (must have 101"));
  fs::remove_all(rows_);
  ResultWriter alone(file_, scenario);
  EXPECT_THAT(refusal<RunError>([&] { alone.skip(100); }),
              HasSubstr("is missing (all ranks must see the same folder)"));
}

TEST_F(ShardedRows, ThatAreMissingDamagedOrOfAnotherRunAreTold) {
  write_result(file_, sharded(450), 450);
  fs::rename(shard(200), folder_.path() / "kept.h5");
  EXPECT_THAT(refusal([&] { read_samples(file_, 0, 450); }),
              HasSubstr("000000000200.h5 is missing (the folder must stay beside the file)"));
  expect_same_bits(read_samples(file_, 0, 200), made_up_samples(0, 200));
  expect_same_bits(read_samples(file_, 300, 150), made_up_samples(300, 150));
  fs::copy_file(shard(300), shard(200));
  EXPECT_THAT(refusal([&] { read_samples(file_, 199, 2); }),
              HasSubstr("holds 100 rows from 300 on (must have 100 from 200 on)"));
  std::ofstream(shard(200)) << "no HDF5";
  EXPECT_THAT(refusal([&] { read_samples(file_, 199, 2); }),
              HasSubstr("000000000200.h5 does not begin as a file of Carom does"));
  EXPECT_THAT(refusal([&] { ResultWriter::resume(file_, sharded(500)); }),
              HasSubstr("000000000200.h5 does not begin as a file of Carom does"));
  fs::rename(folder_.path() / "kept.h5", shard(200));

  Scenario other = sharded(450);
  other.sampling.seed += 1;
  EXPECT_THAT(refusal([&] { write_result(file_, other, 450); }),
              HasSubstr("which has no rows of this run (must hold those of one run"));
  EXPECT_EQ(read_result(file_).scenario.sampling.seed, other.sampling.seed - 1);
}

TEST_F(ShardedRows, AreFoundBehindALinkAndAfterAMove) {
  write_result(file_, sharded(250), 250);
  fs::create_directory(folder_.path() / "elsewhere");
  const fs::path link = folder_.path() / "elsewhere" / "link.h5";
  fs::create_symlink("../result.h5", link);
  expect_same_bits(read_samples(link, 0, 250), made_up_samples(0, 250));

  const fs::path moved = folder_.path() / "moved";
  fs::create_directory(moved);
  fs::rename(file_, moved / "new_name.h5");
  fs::rename(rows_, moved / rows_.filename());
  expect_same_bits(read_samples(moved / "new_name.h5", 0, 250), made_up_samples(0, 250));
  resume_result(moved / "new_name.h5", sharded(400), 400);
  expect_same_bits(read_samples(moved / "new_name.h5", 0, 400), made_up_samples(0, 400));
}

/// What a reader without Carom sees of /samples/energy.
std::vector<double> virtual_energies(const fs::path& file, std::size_t rows) {
  const hdf5::Handle opened(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
  std::vector<double> energies(rows);
  hdf5::read_array(hdf5::open_group(opened, "samples"), "energy", H5T_NATIVE_DOUBLE, {rows},
                   energies.data());
  return energies;
}

TEST_F(ShardedRows, AreNeverReplacedByFewer) {
  write_result(file_, sharded(450), 450);
  {
    const Scenario scenario = sharded(900, 30);  // the same run, cut otherwise, that dies
    ResultWriter writer(file_, scenario);
    writer.append(made_up_samples(0, 200));
  }
  expect_same_bits(read_samples(file_, 0, 450), made_up_samples(0, 450));
  EXPECT_EQ(virtual_energies(file_, 450), made_up_samples(0, 450).energy);
  write_result(file_, sharded(120, 30), 120);  // lists 30 of the 100 rows of the first
  expect_same_bits(read_samples(file_, 0, 120), made_up_samples(0, 120));
  EXPECT_EQ(virtual_energies(file_, 120), made_up_samples(0, 120).energy);
}

TEST_F(ShardedRows, MayHaveAnyName) {
  const fs::path odd = folder_.path() / "50%b %d ü.h5";
  write_result(odd, sharded(250), 250);
  expect_same_bits(read_samples(odd, 0, 250), made_up_samples(0, 250));
  EXPECT_EQ(virtual_energies(odd, 250), made_up_samples(0, 250).energy);
}

TEST_F(ShardedRows, AreReadOneFileAtATime) {
  write_result(file_, sharded(1000, 10), 1000);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit few = before;
  few.rlim_cur = 40;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  const SampleSet found = read_samples(file_, 0, 1000);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  expect_same_bits(found, made_up_samples(0, 1000));
  EXPECT_THAT(refusal([&] { ResultWriter(folder_.path() / "many.h5", sharded(9000, 10)); }),
              HasSubstr("shard_rows is 10 (must be at least 11 for 9000 rows"));
}

TEST_F(ShardedRows, ThatVanishDuringARunAreTold) {
  const Scenario scenario = sharded(450);
  ResultWriter writer(file_, scenario);
  PostImpactSet set = empty_set(scenario);
  const SampleSet samples = made_up_samples(0, 450);
  writer.append(samples);
  add_rows(set, scenario, samples);
  fs::remove(shard(100));
  EXPECT_THAT(refusal<RunError>([&] { writer.finish(set); }),
              HasSubstr("000000000100.h5 is missing"));
  EXPECT_FALSE(fs::exists(file_));
}

}  // namespace
}  // namespace carom
