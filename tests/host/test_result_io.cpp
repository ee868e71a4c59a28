#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "carom/version.hpp"
#include "host/files/hdf5_tools.hpp"
#include "host/files/output_lock.hpp"
#include "tests/support/refusal.hpp"
#include "tests/support/result_files.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

std::string bytes_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

class ResultFile : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "result.h5";
  fs::path part_ = folder_.path() / "result.h5.part";
};

TEST_F(ResultFile, GivesBackScenarioNetAndSummaryExactly) {
  const Scenario scenario = small_scenario(100);
  const PostImpactSet set = write_result(file_, scenario, 100);
  const Result result = read_result(file_);

  EXPECT_EQ(to_toml(result.scenario), to_toml(scenario));
  EXPECT_EQ(result.set.net.index(), set.net.index());
  EXPECT_EQ(result.set.net.velocity(), set.net.velocity());
  expect_equal(result.set.summary, set.summary);
  EXPECT_TRUE(result.set.complete);
  EXPECT_EQ(result.set.psi, set.psi);
  EXPECT_EQ(result.set.final_cap, set.final_cap);
  EXPECT_EQ(result.set.backend, Backend::cpu);
  EXPECT_EQ(result.set.device, "a processor");
  EXPECT_FALSE(fs::exists(part_));
}

TEST_F(ResultFile, GivesBackAnyRangeOfRows) {
  write_result(file_, small_scenario(100), 100);
  expect_same_bits(read_samples(file_, 0, 100), made_up_samples(0, 100));
  expect_same_bits(read_samples(file_, 37, 5), made_up_samples(37, 5));
  expect_same_bits(read_samples(file_, 100, 0), made_up_samples(100, 0));
  EXPECT_THAT(refusal([&] { read_samples(file_, 98, 3); }), HasSubstr("it holds 100"));
}

TEST_F(ResultFile, IsNotFinishedWithoutItsRows) {
  const Scenario scenario = small_scenario(100);
  ResultWriter writer(file_, scenario);
  writer.append(made_up_samples(0, 60));
  PostImpactSet set = empty_set(scenario);
  add_rows(set, scenario, made_up_samples(0, 100));
  EXPECT_THAT(refusal<RunError>([&] { writer.finish(set); }),
              HasSubstr("its rows end at trajectory 60 of 100"));
  EXPECT_FALSE(fs::exists(file_));
}

TEST_F(ResultFile, HoldsTheFirstRowsOnlyIfAskedTo) {
  Scenario scenario = small_scenario(100);
  scenario.storage.samples = 30;
  write_result(file_, scenario, 100, 16);
  expect_same_bits(read_samples(file_, 0, 30), made_up_samples(0, 30));
  EXPECT_THROW(read_samples(file_, 30, 1), InputError);
  EXPECT_EQ(read_result(file_).set.summary.trajectories, 100u);

  scenario.storage.samples = 0;
  write_result(file_, scenario, 100);
  EXPECT_THROW(read_samples(file_, 0, 1), InputError);
}

TEST_F(ResultFile, DoesNotDependOnTheChunksOfARun) {
  setenv("SOURCE_DATE_EPOCH", "86400", 1);
  write_result(file_, small_scenario(1000), 1000);
  const fs::path chunked = folder_.path() / "chunked.h5";
  write_result(chunked, small_scenario(1000), 1000, 7);
  unsetenv("SOURCE_DATE_EPOCH");
  expect_same_bits(read_samples(chunked, 0, 1000), read_samples(file_, 0, 1000));
  EXPECT_EQ(bytes_of(chunked).size(), bytes_of(file_).size());
  const hdf5::Handle file(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
  EXPECT_EQ(hdf5::read_string(file, "created"), "1970-01-02T00:00:00Z");
}

TEST_F(ResultFile, OfEqualRunsIsEqualByteForByte) {
  setenv("SOURCE_DATE_EPOCH", "86400", 1);
  write_result(file_, small_scenario(1000), 1000);
  const fs::path other = folder_.path() / "other.h5";
  write_result(other, small_scenario(1000), 1000);
  unsetenv("SOURCE_DATE_EPOCH");
  EXPECT_TRUE(bytes_of(file_) == bytes_of(other));
}

TEST_F(ResultFile, ResumedEqualsThatOfASingleRun) {
  Scenario scenario = small_scenario(300);
  write_result(file_, small_scenario(100), 100);
  const PostImpactSet set = resume_result(file_, scenario, 300);

  const Result result = read_result(file_);
  EXPECT_EQ(result.scenario.sampling.trajectories, 300u);
  expect_same_bits(read_samples(file_, 0, 300), made_up_samples(0, 300));
  const fs::path single = folder_.path() / "single.h5";
  write_result(single, scenario, 300);
  const Result at_once = read_result(single);
  expect_equal(result.set.summary, at_once.set.summary);
  EXPECT_EQ(result.set.net.index(), at_once.set.net.index());
  EXPECT_EQ(result.set.net.velocity(), at_once.set.net.velocity());
}

TEST_F(ResultFile, CanBeInterruptedAndResumed) {
  write_result(file_, small_scenario(300), 120);
  EXPECT_FALSE(read_result(file_).set.complete);
  resume_result(file_, small_scenario(300), 300);
  EXPECT_TRUE(read_result(file_).set.complete);
  expect_same_bits(read_samples(file_, 0, 300), made_up_samples(0, 300));
}

TEST_F(ResultFile, IsNotResumedWithAnotherProblem) {
  write_result(file_, small_scenario(100), 100);
  Scenario other = small_scenario(300);
  other.problem.friction(1) = 0.25;
  EXPECT_THAT(refusal([&] { ResultWriter::resume(file_, other); }), HasSubstr("holds another run"));
  EXPECT_THAT(refusal([&] { ResultWriter::resume(file_, small_scenario(50)); }),
              HasSubstr("trajectories is 50 (must be at least the 100"));
  EXPECT_FALSE(fs::exists(part_));
}

TEST_F(ResultFile, IsNotResumedByAnotherVersion) {
  write_result(file_, small_scenario(100), 100);
  edit_result(file_, [](hid_t file) { hdf5::write_string(file, "version", "9.9.9"); });
  EXPECT_THAT(refusal([&] { ResultWriter::resume(file_, small_scenario(300)); }),
              HasSubstr("was written by Carom 9.9.9 (must be " + std::string(version()) +
                        ": another version may give other bits)"));
  EXPECT_FALSE(fs::exists(part_));
}

TEST_F(ResultFile, ResumedIntoAnotherOneStaysAsItIs) {
  write_result(file_, small_scenario(100), 100);
  const std::string before = bytes_of(file_);
  const fs::path other = folder_.path() / "other.h5";
  PostImpactSet set = read_result(file_).set;
  {
    ResultWriter writer = ResultWriter::resume(file_, small_scenario(300), other);
    EXPECT_THAT(refusal([&] { ResultWriter::resume(file_, small_scenario(300), other); }),
                HasSubstr("another run is writing"));
    write_rows(writer, set, small_scenario(300), 300, 64);
  }
  EXPECT_TRUE(bytes_of(file_) == before);
  expect_same_bits(read_samples(other, 0, 300), made_up_samples(0, 300));

  const fs::path part = other.string() + ".part";  // left over by a run that was killed
  fs::copy_file(file_, part);
  EXPECT_THAT(refusal([&] { ResultWriter::resume(part, small_scenario(300), other); }),
              HasSubstr("the run would write"));
  EXPECT_TRUE(bytes_of(part) == before);
}

TEST_F(ResultFile, IsNotResumedWithRowsThatWereNotStored) {
  Scenario scenario = small_scenario(100);
  scenario.storage.samples = 30;
  write_result(file_, scenario, 100);
  EXPECT_THAT(refusal([&] { ResultWriter::resume(file_, small_scenario(300)); }),
              HasSubstr("holds the rows of 30 of its 100 trajectories"));
}

TEST_F(ResultFile, HasTheNamesOfTheContract) {
  write_result(file_, small_scenario(10), 10);
  const hdf5::Handle file(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
  for (const char* name :
       {"/problem/mass_matrix", "/problem/normal_jacobian", "/problem/tangent_jacobian",
        "/problem/friction", "/problem/pre_impact_velocity", "/problem/contact_names",
        "/samples/velocity", "/samples/status", "/samples/lcp_count", "/samples/final_step",
        "/samples/energy", "/samples/impulse", "/net/index", "/net/velocity", "/summary",
        "/paths/index", "/paths/velocity", "/paths/count"}) {
    EXPECT_GT(H5Oexists_by_name(file, name, H5P_DEFAULT), 0) << name;
  }
  EXPECT_EQ(hdf5::array_shape(file, "/samples/impulse"), (hdf5::Shape{10, 2, 2}));
  EXPECT_EQ(hdf5::read_number<std::int32_t>(file, "format_version"), result_format_version);
  EXPECT_EQ(hdf5::read_string(file, "checksum").size(), 16u);
  const hdf5::Handle problem = hdf5::open_group(file, "problem");
  EXPECT_EQ(hdf5::read_number<std::int32_t>(problem, "friction_directions"), 2);
  // Row-major, as h5py shows it.
  double jacobian[2][3] = {};
  hdf5::read_array(problem, "normal_jacobian", H5T_NATIVE_DOUBLE, {2, 3}, jacobian);
  EXPECT_THAT(jacobian[0], ElementsAre(0.0, 1.0, -0.5));

  const hdf5::Handle status(H5Dopen2(file, "/samples/status", H5P_DEFAULT), "open");
  const hdf5::Handle type(H5Dget_type(status), "type");
  ASSERT_EQ(H5Tget_class(type), H5T_ENUM);
  char name[32] = {};
  const Status limit = Status::step_limit;
  H5Tenum_nameof(type, &limit, name, sizeof name);
  EXPECT_STREQ(name, "step_limit");
}

TEST_F(ResultFile, KeepsAScenarioOfMoreThan64KiB) {
  Scenario scenario = small_scenario(10);
  scenario.problem.contact_names[0] = std::string(100'000, 'x');
  write_result(file_, scenario, 10);
  EXPECT_EQ(read_result(file_).scenario.problem.contact_names[0].size(), 100'000u);
}

TEST_F(ResultFile, AppearsOnlyWhenFinished) {
  write_result(file_, small_scenario(10), 10);
  const std::string before = bytes_of(file_);
  {
    ResultWriter writer(file_, small_scenario(50));
    writer.append(made_up_samples(0, 50));
    EXPECT_TRUE(fs::exists(part_));
    EXPECT_THAT(refusal([&] { ResultWriter(file_, small_scenario(50)); }),
                HasSubstr("another run is writing"));
    EXPECT_TRUE(fs::exists(part_));
  }
  EXPECT_FALSE(fs::exists(part_));
  EXPECT_TRUE(bytes_of(file_) == before);
}

/// Runs that put their file there at the end only hold its lock meanwhile.
TEST_F(ResultFile, IsLockedByOneRunAtATime) {
  std::optional<OutputLock> first(file_);
  EXPECT_THAT(refusal([&] { const OutputLock second(file_); }),
              HasSubstr("another run is writing"));
  first.reset();
  const fs::path lock = file_.string() + ".lock";
  EXPECT_FALSE(fs::exists(lock));
  std::ofstream(lock) << "somebody's";
  first.emplace(file_);
  first.reset();
  EXPECT_EQ(fs::file_size(lock), 10u);
  EXPECT_NO_THROW(OutputLock("/no/such/folder/result.h5"));  // writing the file tells of it
}

TEST_F(ResultFile, BehindALinkIsReplacedAndTheLinkKept) {
  const fs::path link = folder_.path() / "link.h5";
  write_result(file_, small_scenario(10), 10);
  fs::create_symlink("result.h5", link);
  write_result(link, small_scenario(20), 20);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_result(file_).set.summary.trajectories, 20u);
}

TEST_F(ResultFile, RefusesRowsOutOfOrder) {
  ResultWriter writer(file_, small_scenario(50));
  EXPECT_THROW(writer.append(made_up_samples(10, 10)), RunError);
}

TEST_F(ResultFile, NeedsAFolderThatExists) {
  const Scenario scenario = small_scenario(10);
  EXPECT_THAT(refusal([&] { ResultWriter(folder_.path() / "no" / "r.h5", scenario); }),
              HasSubstr("(its folder must exist)"));
  EXPECT_THAT(refusal([&] { ResultWriter(folder_.path(), scenario); }),
              HasSubstr("(must be a file, not a folder)"));
  EXPECT_THAT(refusal([&] { ResultWriter("/dev/null", scenario); }),
              HasSubstr("(must be a file, not a device)"));
}

TEST_F(ResultFile, SaysWhatIsWrongWithAFile) {
  const auto message = [&] { return refusal([&] { read_result(file_); }); };
  EXPECT_THAT(message(), HasSubstr("does not exist"));

  std::ofstream(file_) << "system = \"rocking_block\"\n";
  EXPECT_THAT(message(), HasSubstr("does not begin as a file of Carom does (must be a result of"));

  H5Fclose(H5Fcreate(file_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  EXPECT_THAT(message(), HasSubstr("does not begin as a file of Carom does (must be a result of"));

  write_result(file_, small_scenario(10), 10);
  edit_result(file_, [](hid_t file) {
    hdf5::write_number<std::int32_t>(file, "format_version", result_format_version + 1);
  });
  EXPECT_THAT(message(), HasSubstr("has format_version 2 (this version of Carom reads up to 1)"));

  write_result(file_, small_scenario(10), 10);
  edit_result(file_, [](hid_t file) {
    const hdf5::Handle summary = hdf5::open_group(file, "summary");
    hdf5::write_number<std::uint64_t>(summary, "trajectories", 11);
  });
  EXPECT_THAT(message(), HasSubstr("counts 10 trajectories by status, 11 in all"));
}

TEST_F(ResultFile, WithANetOutOfOrderOrOfOtherTrajectoriesIsDamaged) {
  const std::size_t members = write_result(file_, small_scenario(10), 10).net.size();
  ASSERT_GE(members, 2u);
  const auto message_with_last_two = [&](std::uint64_t one, std::uint64_t other) {
    std::vector<std::uint64_t> index = read_result(file_).set.net.index();
    const std::vector<std::uint64_t> whole = index;
    index[members - 2] = one;
    index[members - 1] = other;
    const auto write = [&](const std::vector<std::uint64_t>& numbers) {
      edit_result(file_, [&](hid_t file) {
        hdf5::write_array(hdf5::open_group(file, "net"), "index", H5T_NATIVE_UINT64, {members},
                          numbers.data());
      });
    };
    write(index);
    const std::string message = refusal([&] { read_result(file_); });
    write(whole);
    return message;
  };
  EXPECT_EQ(message_with_last_two(8, 9), "");
  for (const auto& [one, other] : {std::pair{9, 8}, {8, 8}, {8, 10}}) {
    EXPECT_THAT(
        message_with_last_two(static_cast<std::uint64_t>(one), static_cast<std::uint64_t>(other)),
        HasSubstr("/net/index is not strictly ascending and below the 10 trajectories"));
  }
}

TEST_F(ResultFile, BehindALinkThatLeadsNowhereIsMadeThere) {
  const fs::path link = folder_.path() / "link.h5";
  fs::create_symlink("result.h5", link);
  write_result(link, small_scenario(10), 10);
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(read_result(file_).set.summary.trajectories, 10u);

  const fs::path loop = folder_.path() / "loop.h5";
  fs::create_symlink("loop.h5", loop);
  EXPECT_THAT(refusal([&] { ResultWriter(loop, small_scenario(10)); }),
              HasSubstr("(must be a link that leads to a file)"));
  EXPECT_TRUE(fs::is_symlink(loop));
}

TEST_F(ResultFile, CutShortAnywhereIsAnInputErrorThatSaysSo) {
  write_result(file_, small_scenario(1000), 1000);
  const auto whole = fs::file_size(file_);
  for (const double kept : {0.99, 0.5, 0.1, 0.01}) {
    write_result(file_, small_scenario(1000), 1000);
    fs::resize_file(file_, static_cast<std::uintmax_t>(static_cast<double>(whole) * kept));
    EXPECT_THAT(refusal([&] { read_result(file_); }), HasSubstr("is damaged or cut short"));
    EXPECT_THROW(ResultWriter::resume(file_, small_scenario(2000)), InputError);
  }
}

TEST_F(ResultFile, LargerThanTheDiskIsRefusedBeforeSampling) {
  write_result(file_, small_scenario(10), 10);
  try {
    ResultWriter writer(file_, small_scenario(1'000'000'000'000'000));
    FAIL() << "no RunError";
  } catch (const RunError& error) {
    // 82 bytes a row: velocity 24, impulse 32, energy 8, counts 16, status and final_step 2.
    EXPECT_THAT(error.what(), HasSubstr("it needs about 82"));
    EXPECT_THAT(error.what(), HasSubstr("free"));
  }
  EXPECT_FALSE(fs::exists(part_));
  EXPECT_EQ(read_result(file_).set.summary.trajectories, 10u);
}

}  // namespace
}  // namespace carom
