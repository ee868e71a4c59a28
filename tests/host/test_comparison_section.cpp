#include <gtest/gtest.h>

#include <limits>

#include "host/result/comparison_section.hpp"
#include "tests/support/result_files.hpp"

namespace carom {
namespace {

class ComparisonSection : public ::testing::Test {
 protected:
  ComparisonSection() : problem_(test::small_scenario(1).problem) {
    const std::string name = (folder_.path() / "file.h5").string();
    file_ = {H5Fcreate(name.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT), "create a file"};
  }

  /// Two outcomes of different laws with every field set.
  static Comparison example() {
    Comparison comparison;
    LawOutcome rest;
    rest.order = "11";
    rest.velocity = Eigen::Vector3d::Zero();
    rest.modes = {ContactMode::sticks, ContactMode::sticks};
    rest.stages = 1;
    rest.path = {0.1, -1.0, 0.0, 0.0, 0.0, 0.0};
    LawOutcome rolls;
    rolls.law = ComparedLaw::sequential;
    rolls.order = "right,left";
    rolls.velocity = Eigen::Vector3d(0.25, -1.0 / 3.0, 1e-17);
    rolls.energy = 0.1;
    rolls.modes = {ContactMode::separates, ContactMode::slides_back};
    rolls.terminated = false;
    rolls.unique = false;
    rolls.stages = 100'000;
    rolls.net_distance = std::numeric_limits<double>::infinity();  // no net
    rolls.path = {0.1, -1.0, 0.0};
    comparison.outcomes = {rest, rolls};
    comparison.note = "a remark";
    return comparison;
  }

  static void expect_equal(const Comparison& one, const Comparison& other) {
    EXPECT_EQ(one.note, other.note);
    ASSERT_EQ(one.outcomes.size(), other.outcomes.size());
    for (std::size_t r = 0; r < one.outcomes.size(); ++r) {
      const LawOutcome& a = one.outcomes[r];
      const LawOutcome& b = other.outcomes[r];
      EXPECT_EQ(a.law, b.law);
      EXPECT_EQ(a.order, b.order);
      EXPECT_EQ(a.velocity, b.velocity);
      EXPECT_EQ(a.energy, b.energy);
      EXPECT_EQ(a.modes, b.modes);
      EXPECT_EQ(a.terminated, b.terminated);
      EXPECT_EQ(a.unique, b.unique);
      EXPECT_EQ(a.stages, b.stages);
      EXPECT_EQ(a.path, b.path);
      EXPECT_EQ(a.net_distance, b.net_distance);
    }
  }

  bool has_group() const { return H5Lexists(file_, "comparison", H5P_DEFAULT) > 0; }

  test::TemporaryFolder folder_;
  ImpactProblem problem_;
  hdf5::Handle file_;
};

TEST_F(ComparisonSection, IsReadAsItWasWritten) {
  sections::write_comparison(file_, example(), problem_);
  expect_equal(sections::read_comparison(file_, problem_), example());
}

TEST_F(ComparisonSection, IsEmptyInAFileWithoutIt) {
  expect_equal(sections::read_comparison(file_, problem_), Comparison{});
  sections::write_comparison(file_, Comparison{}, problem_);
  EXPECT_FALSE(has_group());
}

TEST_F(ComparisonSection, TakesThePlaceOfAnEarlierOne) {
  sections::write_comparison(file_, example(), problem_);
  Comparison shorter = example();
  shorter.outcomes.pop_back();
  sections::write_comparison(file_, shorter, problem_);
  expect_equal(sections::read_comparison(file_, problem_), shorter);
  sections::write_comparison(file_, Comparison{}, problem_);
  EXPECT_FALSE(has_group());
}

TEST_F(ComparisonSection, KeepsANoteWithoutOutcomes) {
  Comparison comparison;
  comparison.note = "nothing was found";
  sections::write_comparison(file_, comparison, problem_);
  expect_equal(sections::read_comparison(file_, problem_), comparison);
}

TEST_F(ComparisonSection, OfAnotherProblemIsRefused) {
  sections::write_comparison(file_, example(), problem_);
  ImpactProblem other = problem_;
  other.mass_matrix = Eigen::MatrixXd::Identity(4, 4);
  const hdf5::Quiet quiet;
  EXPECT_THROW(sections::read_comparison(file_, other), hdf5::Error);
}

}  // namespace
}  // namespace carom
