#include "host/ranks/ranks.hpp"

#include "carom/sampler.hpp"

namespace carom {

SamplingOptions at_place(SamplingOptions options, const Place& place) {
  if (options.threads == 0) options.threads = place.threads;
  if (options.backend != Backend::cpu) {
    if (const int devices = cuda_device_count(); devices > 0) {
      options.device = (options.device + place.local_rank) % devices;
    }
  }
  return options;
}

}  // namespace carom
