#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>

#include "host/files/hdf5_output_file.hpp"
#include "tests/support/result_files.hpp"

namespace {
std::function<void()> before_flock;  // what another process does between open and flock
}

// Stands before the C library's, in this program only.
extern "C" int flock(int descriptor, int operation) noexcept {
  if (before_flock) before_flock();
  return static_cast<int>(syscall(SYS_flock, descriptor, operation));
}

namespace carom {
namespace {

namespace fs = std::filesystem;

class OutputLock : public testing::Test {
 protected:
  void TearDown() override { before_flock = nullptr; }

  test::TemporaryFolder folder_;
  fs::path file_ = folder_.path() / "r.h5";
  fs::path part_ = folder_.path() / "r.h5.part";
};

TEST_F(OutputLock, DoesNotEmptyTheResultThatAnotherRunHasJustPutInPlace) {
  std::ofstream(part_) << "of the other run";
  int calls = 0;
  before_flock = [&] {
    if (calls++ == 0) fs::rename(part_, file_);
  };
  const hdf5::OutputFile output(part_);
  EXPECT_EQ(calls, 2);
  std::ostringstream text;
  text << std::ifstream(file_).rdbuf();
  EXPECT_EQ(text.str(), "of the other run");
  EXPECT_TRUE(fs::exists(part_));
  EXPECT_FALSE(fs::equivalent(part_, file_));
}

TEST_F(OutputLock, TakesAPathThatKeepsMovingAwayAsInUse) {
  int calls = 0;
  before_flock = [&] {
    ASSERT_LT(++calls, 1000);
    fs::remove(part_);
  };
  try {
    const hdf5::OutputFile output(part_);
    FAIL() << "no error";
  } catch (const std::system_error& error) {
    EXPECT_EQ(error.code(), std::errc::resource_unavailable_try_again);
  }
}

}  // namespace
}  // namespace carom
