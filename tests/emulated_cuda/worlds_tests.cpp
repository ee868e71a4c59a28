// The impact update of worlds on the emulated device has the bits of the CPU's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "carom/device_impact_law.hpp"
#include "carom/error.hpp"
#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/row_buffers.hpp"
#include "kernels/step/step_outcome.hpp"
#include "tests/support/impact_arrays.hpp"
#include "tests/support/same_bits.hpp"

namespace carom {
namespace {

template <class T>
DeviceBuffer<T> on_device(const T* from, std::size_t count) {
  DeviceBuffer<T> buffer(count);
  if (count > 0) {
    CAROM_CUDA_CHECK(cudaMemcpy(buffer.data(), from, buffer.bytes(), cudaMemcpyHostToDevice));
  }
  return buffer;
}

/// A batch with its arrays in device memory.
class DeviceBatch {
 public:
  explicit DeviceBatch(const ImpactBatch& host) : batch(host) {
    const auto nv = static_cast<std::size_t>(host.velocities);
    const auto m = static_cast<std::size_t>(host.contacts);
    const auto d = static_cast<std::size_t>(host.tangent_dimension);
    const auto of = [&](bool one) { return one ? std::size_t{1} : host.size; };
    place(batch.mass_matrix, of(host.one_mass_matrix) * nv * nv);
    place(batch.normal_jacobian, of(host.one_normal_jacobian) * m * nv);
    place(batch.tangent_jacobian, of(host.one_tangent_jacobian) * m * d * nv);
    place(batch.friction, of(host.one_friction) * m);
    place(batch.pre_impact_velocity, host.size * nv);
    if (host.restitution != nullptr) place(batch.restitution, of(host.one_restitution) * m);
    if (host.active != nullptr) {
      active_ = on_device(host.active, host.size * m);
      batch.active = active_.data();
    }
    const double* step = host.impulse_step.data();
    if (!host.impulse_step.empty()) {
      place(step, host.impulse_step.size());
      batch.impulse_step = {step, host.impulse_step.size()};
    }
  }

  ImpactBatch batch;

 private:
  void place(const double*& pointer, std::size_t count) {
    arrays_.push_back(on_device(pointer, count));
    pointer = arrays_.back().data();
  }

  std::vector<DeviceBuffer<double>> arrays_;
  DeviceBuffer<std::uint8_t> active_;
};

/// Rows of a law's outcomes, computed on the device.
SampleSet device_outcomes(const ImpactLawOptions& options, std::uint64_t step,
                          const ImpactBatch& host, const RowShape& shape, bool waits = true) {
  const DeviceBatch given(host);
  const RowBuffers<MemoryKind::device> rows(host.size, shape);
  const Stream stream;
  constexpr std::uint64_t first = 7;
  DeviceImpactLaw law(options);
  law(step, given.batch, rows.view(), first, stream.handle, waits);
  CAROM_CUDA_CHECK(cudaStreamSynchronize(stream.handle));
  SampleSet outcomes;
  outcomes.first = first;
  outcomes.resize(shape, host.size);
  for_each_column(
      [&](const ColumnInfo&, auto& to, const auto* from) {
        if (to.empty()) return;
        CAROM_CUDA_CHECK(
            cudaMemcpy(to.data(), from, to.size() * sizeof to[0], cudaMemcpyDeviceToHost));
      },
      outcomes, rows.view());
  return outcomes;
}

void expect_parity(const ImpactLawOptions& options, const ImpactBatch& batch) {
  constexpr std::uint64_t step = 11;
  const SampleSet expected = ImpactLaw(options)(step, batch, 7);
  const SampleSet outcomes = device_outcomes(options, step, batch, expected);
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
void expect_parity_with_inactive(const ImpactLawOptions& options, ImpactBatch batch) {
  expect_parity(options, batch);
  const std::vector<std::uint8_t> active =
      three_of_four(batch.size * static_cast<std::size_t>(batch.contacts));
  batch.active = active.data();
  expect_parity(options, batch);
}

TEST(CudaWorlds, HaveTheBitsOfTheCpu) {
  expect_parity({}, test::Problems(300).batch(0, 300));
  expect_parity({.norm = Norm::kinetic}, test::Problems(60, 5, 7).batch(0, 60));
  expect_parity({.seed = 4, .law = law::SetValued{.solutions = Solutions::cover}},
                test::Problems(40, 4, 6, 2, 4).batch(0, 40));
  expect_parity({.max_steps = 2}, test::Problems(40, 8, 6, 2, 4).batch(0, 40));
}

TEST(CudaWorlds, TakeAllSolutionsOfWhichTheHostFindsThoseThatMayBeSeveral) {
  const ImpactLawOptions options{.law = law::SetValued{.solutions = Solutions::all}};
  test::Problems spatial(20, 3, 10, 2, 4);
  spatial.add_restitution();
  expect_parity(options, spatial.batch(0, 20));
  const test::Problems planar(60);
  const ImpactBatch batch = planar.batch(0, 60);
  expect_parity_with_inactive(options, batch);
  const SampleSet expected = ImpactLaw(options)(11, batch, 7);
  const SampleSet unmended = device_outcomes(options, 11, batch, expected, false);
  EXPECT_GT(std::ranges::count(unmended.status, undecided), 5);
  EXPECT_GT(std::ranges::count(unmended.status, Status::separated), 5);
}

TEST(CudaWorlds, DifferInTheirActiveContacts) {
  constexpr std::size_t size = 80;
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

TEST(CudaWorlds, TakeStepsAndSharedArrays) {
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

TEST(CudaWorlds, TellBadInputAndLeaveTheVelocityOfTheUndecided) {
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
  const SampleSet unmended = device_outcomes({}, 11, batch, expected, false);
  EXPECT_EQ(unmended.status[0], Status::bad_input);
  EXPECT_EQ(unmended.status[1], Status::bad_input);
  for (std::size_t i = 0; i < size; ++i) {
    if (unmended.status[i] != undecided) continue;
    for (std::size_t k = 0; k < 7; ++k) {
      EXPECT_EQ(unmended.velocity[7 * i + k], problems.velocity[7 * i + k]);
    }
  }
}

TEST(CudaWorlds, WriteOverTheVelocityBeforeAndSkipWhatIsNotWanted) {
  constexpr std::size_t size = 30;
  const test::Problems problems(size);
  const ImpactBatch batch = problems.batch(0, size);
  const SampleSet expected = ImpactLaw({})(3, batch);
  const DeviceBatch given(batch);
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

TEST(CudaWorlds, TakeRestitution) {
  test::Problems few(60);
  few.add_restitution();
  expect_parity({}, few.batch(0, 60));
  test::Problems problems(60, 5, 7);
  problems.add_restitution();
  for (std::size_t i = 0; i < 5; ++i)
    problems.restitution[5 * 40 + i] = 0.2 * static_cast<double>(i);
  problems.restitution[5 * 50 + 2] = 1.5;
  problems.restitution[5 * 51 + 4] = std::numeric_limits<double>::quiet_NaN();
  ImpactBatch batch = problems.batch(0, 60);
  expect_parity({}, batch);
  const std::vector<std::uint8_t> active = three_of_four(60 * 5);
  batch.active = active.data();
  expect_parity({.law = law::SetValued{.solutions = Solutions::cover, .v_capture = 0.1}}, batch);
  test::Problems spatial(20, 4, 6, 2, 4);
  spatial.add_restitution();
  batch = spatial.batch(0, 20);
  batch.restitution += 4 * 10;
  batch.one_restitution = true;
  expect_parity({.norm = Norm::kinetic}, batch);
}

TEST(CudaWorlds, WithRestitutionAreMendedByTheHost) {
  constexpr std::size_t size = 30;
  test::Problems rough(size, 6, 8);
  std::fill(rough.friction.begin(), rough.friction.end(), 1e5);
  rough.add_restitution();
  const ImpactBatch batch = rough.batch(0, size);
  const ImpactLawOptions options{.max_steps = 10};
  expect_parity(options, batch);
  const SampleSet unmended =
      device_outcomes(options, 11, batch, ImpactLaw(options)(11, batch), false);
  EXPECT_GT(std::ranges::count(unmended.status, undecided), 0);
}

TEST(CudaWorlds, TakeThePlusLaw) {
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

TEST(CudaWorlds, TakeTheSequentialLaw) {
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

TEST(CudaWorlds, TakeTheSimultaneousLaw) {
  const ImpactLawOptions options{.law = law::Simultaneous{}};
  test::Problems problems(40, 3, 6, 2, 4);
  problems.mass[0] = -1.0;
  std::fill_n(problems.friction.begin() + 9, 6, 0.0);
  expect_parity_with_inactive(options, problems.batch(0, 40));
  expect_parity(options, test::Problems(80).batch(0, 80));
  expect_parity(options, test::Problems(6, 5, 9, 2, 4).batch(0, 6));  // 15 coordinates: lines
}

TEST(CudaWorlds, TakeThePropagativeLaw) {
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
    expect_parity(options, others.batch(0, 30));
  }
}

TEST(CudaWorlds, LeaveWhatIsPlasticOrLargeToTheHost) {
  const ImpactLawOptions options{.law = law::Propagative{}};
  test::Problems problems(30, 3, 6);
  problems.remove_friction();
  problems.add_restitution();
  for (std::size_t i = 0; i < 30; ++i) {
    std::fill_n(problems.restitution.begin() + 3 * static_cast<std::ptrdiff_t>(i), 3,
                i % 3 == 0 ? 1.0 : 0.5);
  }
  problems.restitution[4] = 0.1;  // not one number
  expect_parity(options, problems.batch(0, 30));
  test::Problems large(10, 20, 50);
  large.remove_friction();
  expect_parity(options, large.batch(0, 10));
  const SampleSet unmended = device_outcomes(options, 11, large.batch(0, 10),
                                             ImpactLaw(options)(11, large.batch(0, 10)), false);
  EXPECT_GT(std::ranges::count(unmended.status, undecided), 0);
}

TEST(CudaWorlds, RefuseWhatNeedsTheHost) {
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
