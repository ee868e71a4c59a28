// Rollouts in compliant contact on a CUDA device, or the emulated one, have the bits of the CPU.
// Skipped where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "carom/carom.hpp"
#include "host/roll/compliant_arrays.hpp"
#include "host/roll/roll_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch_compliant.hpp"
#include "tests/support/compliant_systems.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

using testing::Contains;
using testing::Each;

using CudaCompliantTest = test::OnDevice;

constexpr std::uint64_t more_than_a_warp = 70;

Rollouts rolled(const CompliantSystem& system, const RollOptions& options, Backend backend) {
  SamplingOptions sampling;
  sampling.backend = backend;
  return roll(system, sampling, options, {}, 5);
}

/// The device's rollouts, which are the CPU's, also without derivatives: those have kernels of
/// their own.
Rollouts expect_parity(const CompliantSystem& system, RollOptions options) {
  options.rollouts = more_than_a_warp;
  Rollouts found;
  for (const bool derivative : {false, true}) {
    options.derivative = derivative;
    const Rollouts expected = rolled(system, options, Backend::cpu);
    found = rolled(system, options, Backend::cuda);
    for_each_rollout_column(
        [](const RolloutColumnInfo& info, const auto& one, const auto& other) {
          EXPECT_TRUE(test::same_bits(one, other)) << info.name;
        },
        found, expected);
  }
  return found;
}

CompliantSystem plate() { return test::plate_of(test::read_json("compliant/plate_010.json")); }

RollOptions falls_of_plates() {
  RollOptions options;
  options.duration = 1.0;
  options.step = 4e-3;
  options.start = {{"theta", false, -0.1, 0.1}, {"z", false, 2.0, 3.0}};
  return options;
}

TEST_F(CudaCompliantTest, PlatesHaveTheBitsOfTheCpu) {
  RollOptions options = falls_of_plates();
  for (const Crossing crossing : {Crossing::fast, Crossing::safe, Crossing::projection}) {
    options.crossing = crossing;
    const Rollouts found = expect_parity(plate(), options);
    EXPECT_THAT(found.status, Each(RolloutStatus::done));
    EXPECT_THAT(found.impacts, Contains(testing::Gt(10u)));
  }
}

TEST_F(CudaCompliantTest, SpringsHaveTheBitsOfTheCpu) {
  Springs springs{.mass_matrix = Eigen::Matrix2d{{2.0, 0.3}, {0.3, 1.0}},
                  .force = Eigen::Vector2d(-9.81, 0.4),
                  .normal_jacobian = Eigen::MatrixXd{{1.0, -1.0}, {1.0, 1.0}, {0.0, 1.0}},
                  .gap_offset = Eigen::Vector3d(-1.0, -1.1, 0.2),
                  .contact_stiffness = Eigen::Vector3d(200.0, 300.0, 50.0),
                  .contact_damping = Eigen::Vector3d(2.0, 0.0, 1.0),
                  .contact_preload = Eigen::Vector3d(0.0, 1.5, 0.0),
                  .stiffness = Eigen::Matrix2d{{0.0, 0.0}, {0.0, 3.0}},
                  .damping = Eigen::Matrix2d{{0.1, 0.0}, {0.0, 0.2}}};
  RollOptions options = falls_of_plates();
  options.start = {{"q1", false, 1.5, 2.0}, {"q2", true, -1.0, 1.0}};
  const Rollouts found = expect_parity({springs}, options);
  EXPECT_THAT(found.impacts, Contains(testing::Gt(4u)));
}

TEST_F(CudaCompliantTest, BipedsHaveTheBitsOfTheCpu) {
  RollOptions options = falls_of_plates();
  options.duration = 1.5;
  options.start = {{"xl", false, -0.3, -0.2},
                   {"xr", false, 0.25, 0.25},
                   {"zb", false, 1.0, 1.0},
                   {"zl", false, 0.48, 0.52},
                   {"zr", false, 0.5, 0.5}};
  const Rollouts found = expect_parity({SpringBiped{.flywheel = 1.5}}, options);
  EXPECT_THAT(found.impacts, Each(testing::Ge(2u)));
}

TEST_F(CudaCompliantTest, TablesHaveTheBitsOfTheCpu) {
  const CompliantSystem table = test::order_test(test::read_json("compliant/order_test.json"));
  RollOptions options = falls_of_plates();
  options.duration = 0.5;
  options.start = {
      {"q1", false, -0.44, -0.36}, {"q2", false, -0.19, -0.11}, {"q3", false, 0.3, 0.3}};
  EXPECT_THAT(expect_parity(table, options).impacts, Each(3u));
  // Onto two guards at one instant.
  options.start = {
      {"q1", false, -1e-13, -1e-13}, {"q2", false, -1e-13, -1e-13}, {"q3", false, 1.0, 2.0}};
  EXPECT_THAT(expect_parity(table, options).status, Contains(RolloutStatus::corner));
}

TEST_F(CudaCompliantTest, EndAsTheCpusWhereTheyFail) {
  RollOptions options = falls_of_plates();
  options.event_limit = 12;
  EXPECT_THAT(expect_parity(plate(), options).status, Contains(RolloutStatus::event_limit));
  options = falls_of_plates();
  options.graze_speed = 6.0;
  const Rollouts grazes = expect_parity(plate(), options);
  EXPECT_THAT(grazes.status, Contains(RolloutStatus::graze));
  EXPECT_THAT(grazes.derivative, Contains(testing::IsNan()));
  CompliantSystem bounded = plate();
  bounded.highest = Eigen::Vector3d(1e9, 1e9, 0.12);
  bounded.lowest = Eigen::Vector3d(-1e9, -1e9, -0.12);
  const Rollouts left = expect_parity(bounded, falls_of_plates());
  EXPECT_THAT(left.status, Contains(RolloutStatus::left_domain));
  EXPECT_THAT(left.status, Contains(RolloutStatus::done));
}

TEST_F(CudaCompliantTest, LaunchesMayDiffer) {
  const CompliantSystem system = validated(plate());
  const CompliantArrays arrays(system);
  std::vector<double> position(3 * more_than_a_warp);
  for (std::size_t i = 0; i < position.size(); i += 3) {
    position[i + 1] = 2.0 + 0.01 * static_cast<double>(i);
    position[i + 2] = 1e-3 * static_cast<double>(i);
  }
  const std::vector<double> velocity(position.size());
  std::vector<double> times = {1.0};
  RollOptions options = falls_of_plates();
  CompliantPlan plan{.system = arrays.view(),
                     .position = position.data(),
                     .velocity = velocity.data(),
                     .times = times.data(),
                     .shape = shape_of(system, options, 1),
                     .crossing = options.crossing,
                     .step = options.step,
                     .graze_speed = options.graze_speed,
                     .event_limit = options.event_limit};
  CudaCompliant device(0, plan);
  const auto expect_parity_of = [&](std::uint64_t count) {
    Rollouts found;
    static_cast<RolloutShape&>(found) = plan.shape;
    found.resize(count);
    Rollouts expected = found;
    device.launch(plan, count, view_of(found));
    item_runner().compliant(plan, 0, count, view_of(expected));
    EXPECT_TRUE(test::same_bits(found.position, expected.position)) << count;
    EXPECT_GT(found.position[1], 0.0);  // z: it was written
  };
  expect_parity_of(4);
  expect_parity_of(more_than_a_warp);
  times = {0.5, 1.0};
  plan.times = times.data();
  plan.shape = shape_of(system, options, 2);
  expect_parity_of(4);
  expect_parity_of(2);
}

}  // namespace
}  // namespace carom
