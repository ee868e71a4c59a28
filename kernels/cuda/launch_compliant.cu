#include "kernels/launch/launch_compliant.hpp"

#include "kernels/compliant/compliant_programs.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_copy.hpp"
#include "kernels/cuda/items_kernel.hpp"
#include "kernels/cuda/rollout_buffers.hpp"
#include "kernels/cuda/start_for_rows.hpp"

namespace carom {

struct CudaCompliant::State {
  int device = 0;
  Stream stream;
  DeviceCopy<CompliantPlan> plan;
  RolloutBuffers rows;
};

namespace {

template <class State>
void start(const CompliantPlan& plan, std::uint64_t count, const State& its) {
  with_compliant_program(plan, [&]<class Program>(const Program& program) {
    start_for_rows(run_items_kernel<Program, RolloutView>, count, its.stream, program,
                   std::uint64_t{0}, count, its.rows.view());
  });
}

}  // namespace

CudaCompliant::CudaCompliant(int device, const CompliantPlan& plan) {
  open_device(device);
  state_ = std::make_unique<State>();
  state_->device = device;
  // Without rows: throws unless the device can run the kernel, and has room for its threads.
  start(plan, 0, *state_);
  CAROM_CUDA_CHECK(cudaStreamSynchronize(state_->stream.handle));
}

CudaCompliant::~CudaCompliant() = default;

void CudaCompliant::launch(const CompliantPlan& plan, std::uint64_t count, const RolloutView& out) {
  State& its = *state_;
  CAROM_CUDA_CHECK(cudaSetDevice(its.device));
  its.plan.assign(plan,
                  [&](CompliantPlan& copy, auto& array) { copy.for_each_array(count, array); });
  its.rows.reserve(count, plan.shape);
  start(its.plan.plan(), count, its);
  its.rows.fetch(out, count, its.stream);
  CAROM_CUDA_CHECK(cudaStreamSynchronize(its.stream.handle));
}

}  // namespace carom
