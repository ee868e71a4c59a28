#include "carom/error.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/launch/launch_compliant.hpp"
#include "kernels/launch/launch_rollouts.hpp"
#include "kernels/launch/launch_worlds.hpp"

namespace carom {
namespace {

[[noreturn]] void refuse() {
  throw InputError("backend is \"cuda\" (must be auto or cpu): Carom was built without CUDA");
}

}  // namespace

struct CudaLauncher::State {
  std::string name;
};

CudaLauncher::CudaLauncher(int, const SamplingPlan&, std::size_t) { refuse(); }

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
std::uint64_t CudaLauncher::repeated_rows() const { return 0; }

struct CudaRollouts::State {
  std::string name;
};

CudaRollouts::CudaRollouts(int, const PlanarView&, const ImpactPlan&) { refuse(); }
CudaRollouts::CudaRollouts(int, const SpatialView&, const ImpactPlan&) { refuse(); }
CudaRollouts::~CudaRollouts() = default;
void CudaRollouts::launch(const RolloutPlan&, std::uint64_t, const RolloutView&) {}
const std::string& CudaRollouts::device_name() const { return state_->name; }

struct CudaCompliant::State {};

CudaCompliant::CudaCompliant(int, const CompliantPlan&) { refuse(); }
CudaCompliant::~CudaCompliant() = default;
void CudaCompliant::launch(const CompliantPlan&, std::uint64_t, const RolloutView&) {}

void require_cuda_device(int) { refuse(); }
std::unique_ptr<DeviceRows> allocate_rows(int, std::size_t, const RowShape&) { refuse(); }

struct CudaWorlds::State {};

CudaWorlds::CudaWorlds(int, const WorldsPlan&) { refuse(); }
CudaWorlds::~CudaWorlds() = default;
void CudaWorlds::launch(const WorldsPlan&, const RowPointers&, void*) {}
void CudaWorlds::mend(const RowPointers&, void*, const SolveWorld&) {}

int count_cuda_devices(std::string& note) {
  note = "built without CUDA";
  return 0;
}

}  // namespace carom
