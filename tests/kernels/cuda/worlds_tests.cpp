// The impact update of worlds on a CUDA device, or the emulated one, has the bits of the CPU's.
// Skipped where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "carom/device_impact_law.hpp"
#include "carom/error.hpp"
#include "kernels/step/step_outcome.hpp"
#include "tests/support/device_batch.hpp"
#include "tests/support/impact_arrays.hpp"
#include "tests/support/on_device.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

using CudaWorlds = test::OnDevice;

/// The device may leave one of twelve worlds to the host; or all, for instance if all solutions are
/// sought and it does not prove that each step has one.
void expect_parity(const ImpactLawOptions& options, const ImpactBatch& batch,
                   bool may_leave_all = false) {
  constexpr std::uint64_t step = 11;
  const SampleSet expected = ImpactLaw(options)(step, batch, 7);
  const SampleSet unmended = test::device_outcomes(options, step, batch, expected, false);
  const std::ptrdiff_t left = std::ranges::count(unmended.status, undecided);
  EXPECT_TRUE(may_leave_all || left <= 1 + static_cast<std::ptrdiff_t>(batch.size / 12)) << left;
  const SampleSet outcomes =
      left == 0 ? unmended : test::device_outcomes(options, step, batch, expected);
  for_each_column([](const ColumnInfo& info, const auto& one,
                     const auto& other) { EXPECT_TRUE(test::same_bits(one, other)) << info.name; },
                  outcomes, expected);
}

/// Flags of contacts, of which every fourth is not active.
std::vector<std::uint8_t> three_of_four(std::size_t contacts) {
  std::vector<std::uint8_t> active(contacts);
  for (std::size_t i = 0; i < contacts; ++i) active[i] = i % 4 == 0 ? 0 : 1;
  return active;
}

/// The same with all contacts, and with some of them.
void expect_parity_with_inactive(const ImpactLawOptions& options, ImpactBatch batch,
                                 bool may_leave_all = false) {
  expect_parity(options, batch, may_leave_all);
  const std::vector<std::uint8_t> active =
      three_of_four(batch.size * static_cast<std::size_t>(batch.contacts));
  batch.active = active.data();
  expect_parity(options, batch, may_leave_all);
}

TEST_F(CudaWorlds, HaveTheBitsOfTheCpu) {
  expect_parity({}, test::Problems(300).batch(0, 300));
  expect_parity({.norm = Norm::kinetic}, test::Problems(16, 5, 7).batch(0, 16));
  expect_parity({.seed = 4, .law = law::SetValued{.solutions = Solutions::cover}},
                test::Problems(10, 4, 6, 2, 4).batch(0, 10));
  expect_parity({.max_steps = 2}, test::Problems(6, 8, 6, 2, 4).batch(0, 6));
}

TEST_F(CudaWorlds, TakeAllSolutionsOfWhichTheHostFindsThoseThatMayBeSeveral) {
  const ImpactLawOptions options{.law = law::SetValued{.solutions = Solutions::all}};
  test::Problems spatial(20, 3, 10, 2, 4);
  spatial.add_restitution();
  expect_parity(options, spatial.batch(0, 20), true);
  const test::Problems planar(60);
  const ImpactBatch batch = planar.batch(0, 60);
  expect_parity_with_inactive(options, batch, true);
  const SampleSet expected = ImpactLaw(options)(11, batch, 7);
  const SampleSet unmended = test::device_outcomes(options, 11, batch, expected, false);
  EXPECT_GT(std::ranges::count(unmended.status, undecided), 5);
  EXPECT_GT(std::ranges::count(unmended.status, Status::separated), 5);
}

TEST_F(CudaWorlds, DifferInTheirActiveContacts) {
  constexpr std::size_t size = 12;
  constexpr int m = 9;  // in space, one more than a device takes
  const test::Problems problems(size, m, 6, 2, 4);
  ImpactBatch batch = problems.batch(0, size);
  std::vector<std::uint8_t> active(size * m);
  for (std::size_t i = 0; i < active.size(); ++i) active[i] = (i * i / 3) % 3 == 0 ? 0 : 1;
  std::fill_n(active.begin(), m, std::uint8_t{1});      // as many
  std::fill_n(active.begin() + m, m, std::uint8_t{0});  // none
  batch.active = active.data();
  expect_parity({}, batch);
  const CapsDistribution caps = parse_caps("weighted:0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9");
  expect_parity({.law = law::SetValued{.caps = caps}}, batch);
}

TEST_F(CudaWorlds, HaveFewOfManyContactsActive) {
  constexpr std::size_t size = 60;
  for (const auto& [m, nv, d, k] : {std::tuple(4, 18, 2, 4), std::tuple(6, 9, 1, 2)}) {
    const test::Problems problems(size, m, nv, d, k);
    ImpactBatch batch = problems.batch(0, size);
    std::vector<std::uint8_t> active(size * static_cast<std::size_t>(m));
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i % 7 == 0 || i % 5 == 0 ? 1 : 0;
    batch.active = active.data();
    expect_parity({}, batch);
  }
}

TEST_F(CudaWorlds, OfManyUnknownsAreServedByWarps) {
  const auto of = [](int m, int nv, int d, int k) {
    constexpr std::size_t size = 5;
    test::Problems problems(size, m, nv, d, k);
    problems.mass[0] = -1.0;
    test::Problems rebounding = problems;
    rebounding.add_restitution();
    for (const Solutions solutions : {Solutions::first, Solutions::cover, Solutions::all}) {
      const ImpactLawOptions options{.law = law::SetValued{.solutions = solutions}};
      const bool all = solutions == Solutions::all;
      expect_parity_with_inactive(options, problems.batch(0, size), all);
      expect_parity(options, rebounding.batch(0, size), all);
    }
  };
  of(4, 18, 2, 4);
  of(3, 30, 1, 2);
}

#ifdef CAROM_EMULATED_CUDA
TEST_F(CudaWorlds, AreRefusedWhereSharedMemoryIsShort) {
  const std::size_t before = emulated::limit_shared_memory(std::size_t{4} << 10);
  EXPECT_THROW(expect_parity({}, test::Problems(3).batch(0, 3)), RunError);
  emulated::limit_shared_memory(before);
}
#endif

TEST_F(CudaWorlds, TakeStepsAndSharedArrays) {
  constexpr std::size_t size = 50;
  const test::Problems problems(size);
  ImpactBatch batch = problems.batch(0, size);
  std::vector<double> steps(size);
  for (std::size_t i = 0; i < size; ++i) steps[i] = 0.1 + 0.01 * static_cast<double>(i);
  batch.impulse_step = steps;
  expect_parity({}, batch);
  batch.impulse_step = std::span(steps).first(1);
  batch.one_mass_matrix = batch.one_normal_jacobian = true;
  batch.one_tangent_jacobian = batch.one_friction = true;
  expect_parity({.epsilon = 0.02}, batch);
}

TEST_F(CudaWorlds, TellBadInputAndLeaveTheVelocityOfTheUndecided) {
  constexpr std::size_t size = 40;
  test::Problems problems(size, 5, 7);
  problems.mass[0] = -1.0;
  problems.velocity[7] = std::numeric_limits<double>::quiet_NaN();
  // Every contact twice: solutions that double precision cannot tell apart.
  for (std::size_t i = 2; i < size; ++i) {
    for (int k = 0; k < 7; ++k) {
      double* const normals = &problems.normals[i * 35];
      double* const tangents = &problems.tangents[i * 35];
      normals[7 + k] = normals[14 + k] = normals[21 + k] = normals[28 + k] = normals[k];
      tangents[7 + k] = tangents[14 + k] = tangents[21 + k] = tangents[28 + k] = tangents[k];
    }
  }
  const ImpactBatch batch = problems.batch(0, size);
  expect_parity({}, batch);
  const SampleSet expected = ImpactLaw({})(11, batch, 7);
  const SampleSet unmended = test::device_outcomes({}, 11, batch, expected, false);
  EXPECT_EQ(unmended.status[0], Status::bad_input);
  EXPECT_EQ(unmended.status[1], Status::bad_input);
  for (std::size_t i = 0; i < size; ++i) {
    if (unmended.status[i] != undecided) continue;
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(unmended.velocity[7 * i + k], problems.velocity[7 * i + k]);
    }
  }
}

TEST_F(CudaWorlds, WriteOverTheVelocityBeforeAndSkipWhatIsNotWanted) {
  // By threads, and by warps.
  for (const test::Problems& problems : {test::Problems(30), test::Problems(5, 4, 18, 2, 4)}) {
    const ImpactBatch batch = problems.batch(0, problems.list.size());
    const SampleSet expected = ImpactLaw({})(3, batch);
    const test::DeviceBatch given(batch);
    RowPointers out;
    out.velocity = const_cast<double*>(given.batch.pre_impact_velocity);
    DeviceImpactLaw law({});
    const Stream stream;
    law(3, given.batch, out, 0, stream.handle);
    std::vector<double> velocity(expected.velocity.size());
    CAROM_CUDA_CHECK(cudaMemcpy(velocity.data(), out.velocity, velocity.size() * sizeof(double),
                                cudaMemcpyDeviceToHost));
    EXPECT_TRUE(test::same_bits(velocity, expected.velocity));
  }
}

TEST_F(CudaWorlds, TakeRestitution) {
  test::Problems few(60);
  few.add_restitution();
  expect_parity({}, few.batch(0, 60));
  test::Problems problems(16, 5, 7);
  problems.add_restitution();
  for (std::size_t i = 0; i < 5; ++i)
    problems.restitution[5 * 10 + i] = 0.2 * static_cast<double>(i);
  problems.restitution[5 * 12 + 2] = 1.5;
  problems.restitution[5 * 13 + 4] = std::numeric_limits<double>::quiet_NaN();
  ImpactBatch batch = problems.batch(0, 16);
  expect_parity({}, batch);
  const std::vector<std::uint8_t> active = three_of_four(16 * 5);
  batch.active = active.data();
  expect_parity({.law = law::SetValued{.solutions = Solutions::cover, .v_capture = 0.1}}, batch);
  test::Problems spatial(6, 4, 6, 2, 4);
  spatial.add_restitution();
  batch = spatial.batch(0, 6);
  batch.restitution += 4 * 3;
  batch.one_restitution = true;
  expect_parity({.norm = Norm::kinetic}, batch);
}

TEST_F(CudaWorlds, WithRestitutionAreMendedByTheHost) {
  constexpr std::size_t size = 40;
  test::Problems rough(size, 6, 8);
  std::fill(rough.friction.begin(), rough.friction.end(), 1e5);
  rough.add_restitution();
  const ImpactBatch batch = rough.batch(0, size);
  const ImpactLawOptions options{.max_steps = 10};
  expect_parity(options, batch, true);
  const SampleSet unmended =
      test::device_outcomes(options, 11, batch, ImpactLaw(options)(11, batch), false);
  EXPECT_GT(std::ranges::count(unmended.status, undecided), 0);
}

TEST_F(CudaWorlds, TakeThePlusLaw) {
  test::Problems problems(60, 3, 6, 2, 4);
  ImpactBatch batch = problems.batch(0, 60);
  expect_parity({.law = law::Plus{}}, batch);
  problems.add_restitution();
  problems.restitution[3 * 50 + 2] = -0.5;
  problems.mass[0] = -1.0;
  batch = problems.batch(0, 60);
  const std::vector<std::uint8_t> active = three_of_four(60 * 3);
  const std::uint8_t* const choices[] = {nullptr, active.data()};
  for (const std::uint8_t* const flags : choices) {
    batch.active = flags;
    expect_parity({.law = law::Plus{}}, batch);
    expect_parity({.law = law::Plus{.v_plastic = Uncertain::even(0.1, 0.5),
                                    .mu_static = {0.9, 0.8, Uncertain::normal(0.7, 0.1)},
                                    .mu = {Uncertain::even(0.1, 0.9)},
                                    .e_min = {0.1, 0.5, 0.9}}},
                  batch);
  }
  expect_parity({.law = law::Plus{.mu_static = {0.9}}}, test::Problems(80).batch(0, 80));
  expect_parity({.law = law::Plus{}}, test::Problems(30, 4, 6, 2, 4).batch(0, 30));
}

TEST_F(CudaWorlds, TakeTheSequentialLaw) {
  const ImpactLawOptions options{.law = law::Sequential{}};
  test::Problems problems(60, 3, 6, 2, 4);
  problems.mass[0] = -1.0;
  std::fill_n(problems.friction.begin() + 9, 6, 0.0);
  std::fill_n(problems.friction.begin() + 15, 3, 1e5);
  expect_parity_with_inactive(options, problems.batch(0, 60));
  expect_parity(options, test::Problems(80).batch(0, 80));
  expect_parity(options, test::Problems(30, 8, 12, 2, 4).batch(0, 30));
  expect_parity(options, test::Problems(20, 2, 8, 2, 8).batch(0, 20));
}

TEST_F(CudaWorlds, TakeTheSimultaneousLaw) {
  const ImpactLawOptions options{.law = law::Simultaneous{}};
  test::Problems problems(40, 3, 6, 2, 4);
  problems.mass[0] = -1.0;
  std::fill_n(problems.friction.begin() + 9, 6, 0.0);
  expect_parity_with_inactive(options, problems.batch(0, 40));
  expect_parity(options, test::Problems(80).batch(0, 80));
  expect_parity(options, test::Problems(6, 5, 9, 2, 4).batch(0, 6));  // 15 coordinates: lines
}

TEST_F(CudaWorlds, TakeThePropagativeLaw) {
  const ImpactLawOptions options{.law = law::Propagative{}};
  test::Problems problems(60, 3, 6, 2, 4);
  problems.remove_friction();
  problems.mass[0] = -1.0;
  problems.friction[3 * 7] = 0.1;
  problems.tangents[std::size_t{36} * 9] = std::numeric_limits<double>::quiet_NaN();
  expect_parity_with_inactive(options, problems.batch(0, 60));
  const SampleSet all = ImpactLaw(options)(0, problems.batch(0, 60));
  EXPECT_EQ(std::ranges::count(all.status, Status::bad_input), 3);
  for (const auto& [m, nv] : {std::pair(2, 4), std::pair(12, 20), std::pair(17, 20)}) {
    test::Problems others(30, m, nv);
    others.remove_friction();
    expect_parity(options, others.batch(0, 30), m > 16);
  }
}

TEST_F(CudaWorlds, LeaveWhatIsPlasticOrLargeToTheHost) {
  const ImpactLawOptions options{.law = law::Propagative{}};
  test::Problems problems(30, 3, 6);
  problems.remove_friction();
  problems.add_restitution();
  for (std::size_t i = 0; i < 30; ++i) {
    std::fill_n(problems.restitution.begin() + 3 * static_cast<std::ptrdiff_t>(i), 3,
                i % 3 == 0 ? 1.0 : 0.5);
  }
  problems.restitution[4] = 0.1;  // not one number
  expect_parity(options, problems.batch(0, 30), true);
  test::Problems large(10, 20, 50);
  large.remove_friction();
  expect_parity(options, large.batch(0, 10), true);
  const SampleSet unmended = test::device_outcomes(
      options, 11, large.batch(0, 10), ImpactLaw(options)(11, large.batch(0, 10)), false);
  EXPECT_GT(std::ranges::count(unmended.status, undecided), 0);
}

TEST_F(CudaWorlds, RefuseWhatNeedsTheHost) {
  EXPECT_THROW(DeviceImpactLaw({.law = law::SetValued{.solutions = Solutions::table}}), InputError);
  EXPECT_THROW(DeviceImpactLaw({.strict = true}), InputError);
  EXPECT_THROW(DeviceImpactLaw({}, 99), InputError);
  DeviceImpactLaw law({});
  ImpactBatch batch = test::Problems(3).batch(0, 3);
  batch.friction_directions = 3;
  EXPECT_THROW(law(0, batch, {}), InputError);
}

}  // namespace
}  // namespace carom
