#pragma once

#include <functional>
#include <memory>

#include "carom/row_columns.hpp"
#include "kernels/impact/worlds_plan.hpp"
#include "kernels/launch/device_rows.hpp"

namespace carom {

/// @throws InputError if there is no such device; RunError if it cannot run Carom's kernels
void require_cuda_device(int device);

/// Memory of a device for rows. @throws RunError if it is short
std::unique_ptr<DeviceRows> allocate_rows(int device, std::size_t rows, const RowShape& shape);

/// Solves world 0 of a plan in host memory into its row.
using SolveWorld = std::function<void(const WorldsPlan& plan, const SampleView& row)>;

/// A CUDA device with the law of the impacts of worlds in its memory. Built without CUDA, the
/// constructor throws.
class CudaWorlds {
 public:
  /// @param plan of worlds of one shape; all its pointers but those of the batch are to host memory
  /// that outlives this object. @throws RunError if the device fails
  CudaWorlds(int device, const WorldsPlan& plan);
  ~CudaWorlds();

  /// Puts the kernel for a batch on a stream.
  /// @param plan as the constructor's but for the batch's size, arrays and numbers, which are in
  /// device memory. @param out device memory; what is null is not written
  /// @throws RunError if the device fails
  void launch(const WorldsPlan& plan, const RowPointers& out, void* stream);

  /// Waits for the last launch, and has what double precision could not decide solved.
  /// @param out as before. @throws RunError if the device fails
  void mend(const RowPointers& out, void* stream, const SolveWorld& solve);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace carom
