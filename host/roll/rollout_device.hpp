#pragma once

#include <memory>
#include <string>

#include "carom/error.hpp"
#include "carom/sampling_options.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

/// The device that moves rollouts; none if the backend is the CPU, or automatic and no device can
/// be used.
/// @param arguments of Device's constructor, behind the number of the device
/// @throws InputError or RunError if the backend is cuda and there is no device, or it fails
template <class Device, class... Arguments>
std::unique_ptr<Device> open_rollout_device(const SamplingOptions& sampling,
                                            const Arguments&... arguments) {
  const bool wanted = sampling.backend == Backend::cuda;
  std::string note;
  const bool tried =
      wanted || (sampling.backend == Backend::automatic && count_cuda_devices(note) > 0);
  if (!tried) return nullptr;
  try {
    return std::make_unique<Device>(sampling.device, arguments...);
  } catch (const RunError&) {  // an unusable device
    if (wanted) throw;
    return nullptr;
  }
}

}  // namespace carom
