#include <H5Cpp.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "host/scenario/matrix_file.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using Eigen::MatrixXd;

class MatrixFile : public testing::Test {
 protected:
  MatrixFile()
      : folder_(fs::path(testing::TempDir()) / ("carom_matrix_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~MatrixFile() override { fs::remove_all(folder_); }

  /// A .npy file of format `version` with this header dictionary and these bytes.
  void write_npy(const std::string& name, const std::string& header, const std::string& bytes,
                 char version = 1) const {
    std::ofstream file(folder_ / name, std::ios::binary);
    file << "\x93NUMPY" << version << '\0';
    const auto length = static_cast<std::uint32_t>(header.size());
    file.write(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
    file << header << bytes;
  }

  template <class Number>
  static std::string bytes_of(std::initializer_list<Number> numbers) {
    return {reinterpret_cast<const char*>(numbers.begin()), numbers.size() * sizeof(Number)};
  }

  std::string message_of(const std::string& name) const {
    return test::refusal([&] { read_matrix_file(name, folder_); });
  }

  fs::path folder_;
};

const MatrixXd two_by_three = (MatrixXd(2, 3) << 1, 2, 3, 4, 5, 6).finished();

TEST_F(MatrixFile, ReadsNumpyInCAndFortranOrder) {
  write_npy("c.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
            bytes_of<double>({1, 2, 3, 4, 5, 6}));
  write_npy("f.npy", "{'descr': '<f8', 'fortran_order': True, 'shape': (2, 3), }",
            bytes_of<double>({1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(read_matrix_file("c.npy", folder_), two_by_three);
  EXPECT_EQ(read_matrix_file("f.npy", folder_), two_by_three);
}

TEST_F(MatrixFile, ReadsNumpyFloatsAndIntegersOfFormatTwo) {
  write_npy("f4.npy", "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }",
            bytes_of<float>({1, 2, 3, 4, 5, 6}), 2);
  write_npy("i8.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2, 3), }",
            bytes_of<std::int64_t>({1, 2, 3, 4, 5, 6}), 2);
  write_npy("i1.npy", "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }",
            bytes_of<std::int8_t>({-1, 7}), 2);
  EXPECT_EQ(read_matrix_file("f4.npy", folder_), two_by_three);
  EXPECT_EQ(read_matrix_file("i8.npy", folder_), two_by_three);
  EXPECT_EQ(read_matrix_file("i1.npy", folder_), Eigen::Vector2d(-1.0, 7.0)) << "a column";
}

TEST_F(MatrixFile, SaysWhatIsWrongWithANumpyFile) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }";
  write_npy("short.npy", good, bytes_of<double>({1, 2, 3, 4, 5}));
  EXPECT_NE(message_of("short.npy").find("short.npy: ends before its array does"),
            std::string::npos);
  write_npy("big.npy", "{'descr': '>f8', 'fortran_order': False, 'shape': (2,), }",
            bytes_of<double>({1, 2}));
  EXPECT_NE(message_of("big.npy").find("big-endian"), std::string::npos);
  write_npy("complex.npy", "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }",
            bytes_of<double>({1, 2}));
  EXPECT_NE(message_of("complex.npy").find("must be floating-point or integer"), std::string::npos);
  write_npy("cube.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1), }",
            bytes_of<double>({1}));
  EXPECT_NE(message_of("cube.npy").find("3 dimensions"), std::string::npos);
  write_npy("huge.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999, 9999999), }",
            "");
  EXPECT_NE(message_of("huge.npy").find("must have at most"), std::string::npos);
  write_npy("v9.npy", good, "", 9);
  EXPECT_NE(message_of("v9.npy").find(".npy format is 9"), std::string::npos);
  std::ofstream(folder_ / "text.npy") << "1 2 3 4 5 6";
  EXPECT_NE(message_of("text.npy").find("is no .npy file"), std::string::npos);
  EXPECT_NE(message_of("absent.npy").find("does not exist"), std::string::npos);
}

TEST_F(MatrixFile, ReadsHdf5Datasets) {
  {
    H5::H5File file((folder_ / "data.h5").string(), H5F_ACC_TRUNC);
    const hsize_t extent[] = {2, 3};
    const double numbers[] = {1, 2, 3, 4, 5, 6};
    file.createDataSet("matrix", H5::PredType::IEEE_F64BE, H5::DataSpace(2, extent))
        .write(numbers, H5::PredType::NATIVE_DOUBLE);
    const int integers[] = {7, 8, 9};
    file.createGroup("group");
    file.createDataSet("group/vector", H5::PredType::STD_I32LE, H5::DataSpace(1, extent + 1))
        .write(integers, H5::PredType::NATIVE_INT);
    file.createDataSet("text", H5::StrType(H5::PredType::C_S1, 8), H5::DataSpace());
  }
  EXPECT_EQ(read_matrix_file("data.h5:/matrix", folder_), two_by_three);
  EXPECT_EQ(read_matrix_file("data.h5:/group/vector", folder_), Eigen::Vector3d(7, 8, 9));
  EXPECT_NE(message_of("data.h5:/absent").find("cannot read dataset /absent"), std::string::npos);
  EXPECT_NE(message_of("data.h5:/group").find("cannot read dataset /group"), std::string::npos);
  EXPECT_NE(message_of("data.h5:/text").find("holds no numbers"), std::string::npos);
  std::ofstream(folder_ / "text.h5") << "no HDF5";
  EXPECT_NE(message_of("text.h5:/x").find("cannot read dataset"), std::string::npos);
}

TEST_F(MatrixFile, FeedsAScenarioBesideIt) {
  write_npy("mass.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }",
            bytes_of<double>({2, 0, 0, 2}));
  write_npy("friction.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }",
            bytes_of<double>({-0.5}));
  const std::string text = R"(system = "matrices"
[problem]
mass_matrix = "mass.npy"
normal_jacobian = [[0, 1]]
tangent_jacobian = [[1, 0]]
friction = 0.5
pre_impact_velocity = [0, -1]
)";
  std::ofstream(folder_ / "good.toml") << text;
  EXPECT_EQ(read_scenario(folder_ / "good.toml").problem.mass_matrix,
            2.0 * MatrixXd::Identity(2, 2));
  std::string bad = text;
  bad.replace(bad.find("0.5"), 3, "\"friction.npy\"");
  try {
    parse_scenario(bad, "bad.toml", folder_);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "bad.toml:6: friction is -0.5 (must be >= 0) for contact \"A\"");
  }
}

TEST(MatrixFileName, IsNpyOrAnHdf5Dataset) {
  EXPECT_TRUE(names_matrix_file("a.npy"));
  EXPECT_TRUE(names_matrix_file("folder/a.h5:/b/c"));
  EXPECT_TRUE(names_matrix_file("a.hdf5:b"));
  EXPECT_FALSE(names_matrix_file("a.h5"));
  EXPECT_FALSE(names_matrix_file("a.txt"));
  EXPECT_FALSE(names_matrix_file(""));
}

}  // namespace
}  // namespace carom
