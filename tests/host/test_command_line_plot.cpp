#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

/// Runs `carom plot` with a program in the place of Python that prints its arguments, one a line.
class PlotOptions : public CommandLine {
 protected:
  void SetUp() override {
    CommandLine::SetUp();
    const std::string python = write("python", "#!/bin/sh\nprintf '%s\\n' \"$@\"\n");
    fs::permissions(python, fs::perms::owner_all);
    setenv("CAROM_PYTHON", python.c_str(), 1);
    setenv("CAROM_PYTHONPATH", CAROM_SOURCE_DIR "/python", 1);
    file_ = write("result.h5", "");
  }
  void TearDown() override {
    unsetenv("CAROM_PYTHON");
    unsetenv("CAROM_PYTHONPATH");
    CommandLine::TearDown();
  }

  /// What Python's program is given, after the program itself.
  static std::string given(const ProgramRun& plot) {
    const std::string start = "-c\nimport sys; ";
    EXPECT_EQ(plot.out.substr(0, start.size()), start);
    const std::size_t end = plot.out.find('\n', start.size());
    return end == std::string::npos ? "" : plot.out.substr(end + 1);
  }

  std::string file_;
};

TEST_F(PlotOptions, ArePassedOn) {
  const ProgramRun plot = run({"plot", "--axes", "normal A,normal B", "--axes", "tangential -x,y",
                               file_, "--paths", "0", "--title", "--", "--max-points", "7"});
  EXPECT_EQ(plot.exit_code, 0) << plot.err;
  EXPECT_EQ(given(plot), file_ +
                             "\n--axes=normal A,normal B\n--axes=tangential -x,y\n--title=--\n"
                             "--paths=0\n--max-points=7\n");
}

TEST_F(PlotOptions, MayFollowSeveralFiles) {
  const std::string other = write("other.h5", "");
  const ProgramRun plot = run({"plot", file_, other, "--paths", "0"});
  EXPECT_EQ(given(plot), file_ + "\n" + other + "\n--paths=0\n");
  expect_bad_input(run({"plot", file_, text_path("none.h5")}), "none.h5\" does not exist");
  expect_bad_input(run({"plot", std::string(300, 'a')}), "wrote: File name too long)");
}

TEST_F(PlotOptions, AreLeftToPythonWhereNotGiven) {
  const ProgramRun plot = run({"plot", file_});
  EXPECT_EQ(given(plot), file_ + "\n");
}

}  // namespace
}  // namespace carom
