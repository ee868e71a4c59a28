#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "carom/result_io.hpp"
#include "host/files/sealed_file.hpp"

/// Results without a sampler: rows that are made up, so that every number of a file is known.
namespace carom::test {

class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "carom_test_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// Two corners on the floor, nv = 3.
inline Scenario small_scenario(std::uint64_t trajectories) {
  Scenario scenario;
  scenario.system = "matrices";
  ImpactProblem& problem = scenario.problem;
  problem.mass_matrix = Eigen::Vector3d(1.0, 1.0, 0.5).asDiagonal();
  problem.normal_jacobian = (Eigen::MatrixXd(2, 3) << 0, 1, -0.5, 0, 1, 0.5).finished();
  problem.tangent_jacobian = (Eigen::MatrixXd(2, 3) << 1, 0, 1, 1, 0, 1).finished();
  problem.friction = Eigen::Vector2d(1.0, 0.5);
  problem.pre_impact_velocity = Eigen::Vector3d(0.1, -1.0, 0.0);
  problem.contact_names = {"left", "right"};
  scenario.sampling.trajectories = trajectories;
  scenario.sampling.seed = 7;
  scenario.sampling.max_steps = 1000;
  scenario.sampling.impulse_step = 0.3;
  scenario.sampling.epsilon = 0.01;
  scenario.sampling.set_valued() = {.caps = CapsDistribution{}, .solutions = Solutions::first};
  scenario.evidence.hold_out = 4096;
  scenario.storage.paths = 4;
  return scenario;
}

/// Rows whose numbers follow from the trajectory's index; every eighth is a step_limit.
inline SampleSet made_up_samples(std::uint64_t first, std::size_t count) {
  SampleSet samples;
  samples.first = first;
  samples.velocities = 3;
  samples.contacts = 2;
  samples.resize(count);
  for (std::size_t row = 0; row < count; ++row) {
    const std::uint64_t index = first + row;
    const double number = static_cast<double>(index);
    for (std::size_t j = 0; j < 3; ++j) {
      samples.velocity[3 * row + j] = static_cast<double>((index * (j + 3)) % 17) / 16.0;
    }
    for (std::size_t j = 0; j < 4; ++j) samples.impulse[4 * row + j] = number / 3.0;
    samples.status[row] = index % 8 == 7 ? Status::step_limit : Status::separated;
    samples.lcp_count[row] = static_cast<std::uint32_t>(index % 5);
    samples.final_step[row] = index % 8 == 7 ? 1 : 0;
    samples.energy[row] = number / 7.0;
    samples.pivot_count[row] = static_cast<std::uint32_t>(index % 11);
    samples.retry_count[row] = static_cast<std::uint32_t>(index % 3);
    samples.table_count[row] = samples.lcp_count[row] / 2;
  }
  return samples;
}

inline PostImpactSet empty_set(const Scenario& scenario) {
  return {.net = EpsilonNet(scenario.problem.velocities(), *scenario.sampling.epsilon),
          .summary = {},
          .complete = true,
          .psi = 2.5,
          .final_cap = 0.1 / 3.0,
          .backend = Backend::cpu,
          .device = "a processor",
          .backend_note = {}};
}

inline void add_rows(PostImpactSet& set, const Scenario& scenario, const SampleSet& samples) {
  set.net.add(samples, 1);
  set.summary.add(scenario.problem, samples);
  set.complete = set.summary.trajectories == scenario.sampling.trajectories;
}

/// The set of the first `count` made-up trajectories.
inline PostImpactSet set_of(const Scenario& scenario, std::uint64_t count) {
  PostImpactSet set = empty_set(scenario);
  add_rows(set, scenario, made_up_samples(0, count));
  return set;
}

/// Writes trajectories up to `count` chunk by chunk, as a run does.
inline void write_rows(ResultWriter& writer, PostImpactSet& set, const Scenario& scenario,
                       std::uint64_t count, std::uint64_t chunk) {
  for (std::uint64_t first = set.summary.trajectories; first < count; first += chunk) {
    const SampleSet samples = made_up_samples(first, std::min(chunk, count - first));
    writer.append(samples);
    add_rows(set, scenario, samples);
  }
  writer.finish(set);
}

inline PostImpactSet write_result(const std::filesystem::path& file, const Scenario& scenario,
                                  std::uint64_t count, std::uint64_t chunk = 1'000'000) {
  ResultWriter writer(file, scenario);
  PostImpactSet set = empty_set(scenario);
  write_rows(writer, set, scenario, count, chunk);
  return set;
}

inline PostImpactSet resume_result(const std::filesystem::path& file, const Scenario& scenario,
                                   std::uint64_t count) {
  PostImpactSet set = read_result(file).set;
  ResultWriter writer = ResultWriter::resume(file, scenario);
  constexpr std::uint64_t chunk = 64;
  write_rows(writer, set, scenario, count, chunk);
  return set;
}

/// Changes a sealed file; its seal fits it afterwards.
inline void edit(const std::filesystem::path& file, const char* format,
                 const std::function<void(hid_t)>& work) {
  SealedFile(file, format).unseal_copy(file);
  work(hdf5::Handle(H5Fopen(file.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "open to edit"));
  seal(file, {{"format", format}});
}
inline void edit_result(const std::filesystem::path& file, const std::function<void(hid_t)>& work) {
  edit(file, sealed_formats::result, work);
}

inline void expect_equal(const std::vector<Range>& one, const std::vector<Range>& other) {
  ASSERT_EQ(one.size(), other.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].least, other[i].least);
    EXPECT_EQ(one[i].greatest, other[i].greatest);
  }
}

inline void expect_equal(const Summary& one, const Summary& other) {
  EXPECT_EQ(one.trajectories, other.trajectories);
  EXPECT_EQ(one.status_counts, other.status_counts);
  EXPECT_EQ(one.final_steps, other.final_steps);
  EXPECT_EQ(one.lcps, other.lcps);
  EXPECT_EQ(one.max_lcps, other.max_lcps);
  EXPECT_EQ(one.lcp_histogram, other.lcp_histogram);
  EXPECT_EQ(one.pivots, other.pivots);
  EXPECT_EQ(one.retries, other.retries);
  EXPECT_EQ(one.table_hits, other.table_hits);
  EXPECT_EQ(one.solution_steps, other.solution_steps);
  EXPECT_EQ(one.energy_before, other.energy_before);
  EXPECT_EQ(one.energy_sum, other.energy_sum);
  expect_equal(std::vector{one.energy}, std::vector{other.energy});
  expect_equal(one.normal_velocity, other.normal_velocity);
  expect_equal(one.tangential_velocity, other.tangential_velocity);
  EXPECT_EQ(one.checksum, other.checksum);
  EXPECT_EQ(one.seconds, other.seconds);
}

}  // namespace carom::test
