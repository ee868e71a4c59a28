#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include <filesystem>

#include "carom/error.hpp"
#include "carom/result_io.hpp"
#include "host/files/hdf5_tools.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using namespace test;

class ResultPaths : public testing::Test {
 protected:
  TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "result.h5";
};

TEST_F(ResultPaths, RepeatTheLastVelocityOfAShortOne) {
  Scenario scenario = small_scenario(10);
  scenario.sampling.max_steps = 2;  // paths of up to 4 velocities
  ResultWriter writer(file_, scenario);
  writer.append(made_up_samples(0, 10));
  writer.add_path(3, {1, 2, 3, 4, 5, 6});
  writer.add_path(7, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4});
  EXPECT_THROW(writer.add_path(7, {1, 2, 3}), RunError);  // not new
  writer.finish(set_of(scenario, 10));

  const hdf5::Handle file(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
  double velocity[2][12] = {};
  std::uint64_t index[2] = {};
  std::uint32_t count[2] = {};
  hdf5::read_array(file, "/paths/velocity", H5T_NATIVE_DOUBLE, {2, 4, 3}, velocity);
  hdf5::read_array(file, "/paths/index", H5T_NATIVE_UINT64, {2}, index);
  hdf5::read_array(file, "/paths/count", H5T_NATIVE_UINT32, {2}, count);
  EXPECT_THAT(velocity[0], ElementsAre(1, 2, 3, 4, 5, 6, 4, 5, 6, 4, 5, 6));
  EXPECT_THAT(velocity[1], ElementsAre(1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4));
  EXPECT_THAT(index, ElementsAre(3, 7));
  EXPECT_THAT(count, ElementsAre(2, 4));
}

TEST_F(ResultPaths, OfAnotherProblemAreRefusedLikeItsRows) {
  ResultWriter writer(file_, small_scenario(10));
  SampleSet others = made_up_samples(0, 10);
  for (const RowShape& shape :
       {RowShape{.velocities = 2, .contacts = 2}, RowShape{.velocities = 3, .contacts = 1}}) {
    others.resize(shape, 10);
    EXPECT_THROW(writer.append(others), InputError);
  }
  EXPECT_THROW(writer.add_path(0, {1.0, 2.0}), RunError);
  writer.append(made_up_samples(0, 10));
  PostImpactSet set = set_of(small_scenario(10), 10);
  set.net = EpsilonNet(2, 0.1);
  set.net.restore({0}, {1.0, 2.0});
  EXPECT_THROW(writer.finish(set), InputError);
}

/// A path of some steps whose numbers tell trajectory and step.
std::vector<double> made_up_path(std::uint64_t index, std::size_t steps) {
  std::vector<double> path;
  for (std::size_t step = 0; step < steps; ++step) {
    path.insert(path.end(), 3, static_cast<double>(100 * index + step));
  }
  return path;
}

TEST_F(ResultPaths, AreAsLongAsTheLongestOneOnly) {
  Scenario scenario = small_scenario(10);
  scenario.sampling.max_steps = 65535;
  scenario.storage.paths = 1000;
  const std::vector<std::size_t> lengths = {3, 2, 40, 5, 1};  // the longest crosses chunks
  {
    ResultWriter writer(file_, scenario);
    writer.append(made_up_samples(0, 10));
    for (std::size_t i = 0; i < 4; ++i) writer.add_path(i, made_up_path(i, lengths[i]));
    writer.finish(set_of(scenario, 10));
  }
  scenario.sampling.trajectories = 20;
  PostImpactSet set = read_result(file_).set;
  ResultWriter writer = ResultWriter::resume(file_, scenario);
  EXPECT_THROW(writer.add_path(3, made_up_path(3, 1)), RunError);  // not new
  writer.add_path(4, made_up_path(4, lengths[4]));
  write_rows(writer, set, scenario, 20, 20);

  EXPECT_LT(fs::file_size(file_), 1'000'000u);
  const hdf5::Handle file(H5Fopen(file_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), "open");
  std::vector<double> velocity(5 * 40 * 3);
  hdf5::read_array(file, "/paths/velocity", H5T_NATIVE_DOUBLE, {5, 40, 3}, velocity.data());
  for (std::size_t i = 0; i < lengths.size(); ++i) {
    std::vector<double> expected = made_up_path(i, lengths[i]);
    const double last = expected.back();
    expected.resize(40 * 3, last);
    const auto begin = velocity.begin() + static_cast<std::ptrdiff_t>(i * 40 * 3);
    EXPECT_EQ(std::vector<double>(begin, begin + 40 * 3), expected) << i;
  }
}

TEST_F(ResultPaths, TooLargeForTheDiskNameTheirFlag) {
  const auto message = [&](std::uint64_t rows, std::uint64_t paths) {
    Scenario scenario = small_scenario(1'000'000'000'000'000);
    scenario.storage = {.samples = rows, .paths = paths};
    try {
      ResultWriter(file_, scenario);
    } catch (const RunError& error) {
      return std::string(error.what());
    }
    return std::string("no RunError");
  };
  constexpr std::uint64_t all = 1'000'000'000'000'000;
  EXPECT_THAT(message(all, 10), testing::Not(HasSubstr("--paths K")));
  EXPECT_THAT(message(all, all), HasSubstr("--samples K"));
  EXPECT_THAT(message(all, all), HasSubstr("--paths K"));
  EXPECT_THAT(message(10, all), HasSubstr("--paths K"));
  EXPECT_THAT(message(10, all), testing::Not(HasSubstr("--samples K")));
}

}  // namespace
}  // namespace carom
