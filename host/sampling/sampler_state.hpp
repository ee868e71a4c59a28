#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>

#include "carom/sampler.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

struct Sampler::State {
  /// The implementation of a sampler.
  static State& of(const Sampler& sampler) { return *sampler.state_; }

  const SamplingPlan& plan() const { return data->plan; }
  /// @throws InputError if a work item lies beyond problems times M
  void check_items(std::uint64_t first, std::uint64_t count) const;
  /// Resizes `samples` for work items [first, first + count). @throws InputError as above
  void prepare_rows(std::uint64_t first, std::uint64_t count, SampleSet& samples) const;
  /// Runs items into the rows of `samples` from `row` on.
  void launch(std::uint64_t first, std::uint64_t count, SampleSet& samples, std::uint64_t row);
  /// The same in launches of `chunk` items; `observer` is called after each with the rows so far.
  /// @return false if the observer stopped the call; `samples` then holds the rows so far
  bool fill(std::uint64_t first, std::uint64_t count, SampleSet& samples, std::uint64_t row,
            const SampleObserver& observer);
  void keep_pace(std::uint64_t count, double seconds);

  std::unique_ptr<SamplingPlanData> data;
  int threads = 0;
  bool paced = false;  ///< whether the chunk adapts to the speed
  std::atomic<std::uint64_t> chunk = 0;
  std::unique_ptr<CudaLauncher> cuda;  ///< null on the CPU
  std::string device_name;
  std::string note;
};

struct DeviceSamples::State {
  /// Rows of trajectories from `first` on.
  static DeviceSamples samples(std::unique_ptr<DeviceRows> rows, std::uint64_t first) {
    return DeviceSamples(std::make_unique<State>(State{std::move(rows), first}));
  }

  std::unique_ptr<DeviceRows> rows;
  std::uint64_t first = 0;
};

}  // namespace carom
