#include "carom/error.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {

struct CudaLauncher::State {
  std::string name;
};

CudaLauncher::CudaLauncher(int, const SamplingPlan&, std::size_t) {
  throw InputError("backend is \"cuda\" (must be auto or cpu): Carom was built without CUDA");
}

CudaLauncher::~CudaLauncher() = default;

void CudaLauncher::launch(std::uint64_t, std::uint64_t, const SampleView&, int) {}

std::unique_ptr<DeviceRows> CudaLauncher::launch_resident(std::uint64_t, std::uint64_t, int,
                                                          const LaunchObserver&) {
  return nullptr;
}

RowDigest CudaLauncher::digest(std::uint64_t, std::uint64_t, const DigestPlan&, bool, int) {
  return {};
}

void CudaLauncher::take_steps(std::size_t, const double*, const double*, double*, Status*) {}

const std::string& CudaLauncher::device_name() const { return state_->name; }

int count_cuda_devices(std::string& note) {
  note = "built without CUDA";
  return 0;
}

}  // namespace carom
