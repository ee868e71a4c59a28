#include "kernels/launch/launch_worlds.hpp"

#include <algorithm>
#include <vector>

#include "carom/error.hpp"
#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_copy.hpp"
#include "kernels/cuda/items_kernel.hpp"
#include "kernels/cuda/row_buffers.hpp"
#include "kernels/cuda/start_for_rows.hpp"
#include "kernels/cuda/warp_worlds.hpp"
#include "kernels/impact/world_impact.hpp"
#include "kernels/step/capacity.hpp"

namespace carom {

namespace {

template <class T>
using HostColumn = std::vector<T>;

/// Worlds of which more warps have room than of the largest size: one lane for each row of a step.
using FourFeet = Capacity<40, 24, int{lanes_per_warp}>;

/// Whether the steps of a law's worlds are those that warps can solve.
template <WorldsLaw law>
inline constexpr bool is_solved_by_lemke =
    law == WorldsLaw::set_valued || law == WorldsLaw::restitution;

/// Numbers of a host's copy of arrays on the device.
template <class T>
std::vector<T> fetch(const T* from, std::uint64_t count, cudaStream_t stream) {
  std::vector<T> numbers(count);
  if (count == 0) return numbers;
  CAROM_CUDA_CHECK(
      cudaMemcpyAsync(numbers.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost, stream));
  CAROM_CUDA_CHECK(cudaStreamSynchronize(stream));
  return numbers;
}

/// The arrays of one world of a batch in device memory.
class OneWorld {
 public:
  OneWorld(const ImpactBatch& batch, std::uint64_t index, cudaStream_t stream) {
    const auto nv = static_cast<std::uint64_t>(batch.velocities);
    const auto m = static_cast<std::uint64_t>(batch.contacts);
    const auto d = static_cast<std::uint64_t>(batch.tangent_dimension);
    const auto of_world = [&](const double* array, std::uint64_t count, bool shared) {
      return fetch(shared ? array : array + index * count, count, stream);
    };
    mass_ = of_world(batch.mass_matrix, nv * nv, batch.one_mass_matrix);
    normals_ = of_world(batch.normal_jacobian, m * nv, batch.one_normal_jacobian);
    tangents_ = of_world(batch.tangent_jacobian, m * d * nv, batch.one_tangent_jacobian);
    friction_ = of_world(batch.friction, m, batch.one_friction);
    if (batch.restitution != nullptr) {
      restitution_ = of_world(batch.restitution, m, batch.one_restitution);
    }
    velocity_ = of_world(batch.pre_impact_velocity, nv, false);
    if (batch.active != nullptr) active_ = fetch(batch.active + index * m, m, stream);
    if (!batch.impulse_step.empty()) {
      step_ = of_world(batch.impulse_step.data(), 1, batch.impulse_step.size() == 1);
    }
  }

  ImpactBatch batch(const ImpactBatch& of) const {
    ImpactBatch one = of;
    one.size = 1;
    one.mass_matrix = mass_.data();
    one.normal_jacobian = normals_.data();
    one.tangent_jacobian = tangents_.data();
    one.friction = friction_.data();
    one.restitution = restitution_.empty() ? nullptr : restitution_.data();
    one.pre_impact_velocity = velocity_.data();
    one.active = active_.empty() ? nullptr : active_.data();
    one.impulse_step = step_;
    return one;
  }

 private:
  std::vector<double> mass_, normals_, tangents_, friction_, restitution_, velocity_, step_;
  std::vector<std::uint8_t> active_;
};

}  // namespace

struct CudaWorlds::State {
  int device = 0;
  WorldsPlan host_plan;  ///< its batch is that of the last launch
  DeviceCopy<WorldsPlan> device_plan;
  std::unique_ptr<RowBuffers<MemoryKind::device>> rows;  ///< for columns that are not wanted
  std::uint64_t capacity = 0;                            ///< of `rows`
  DeviceBuffer<double> flat;                             ///< of the warps that run at a time

  /// Whether a size holds all contacts that can be active.
  template <class Size>
  bool fits() const {
    const ProblemShape shape = host_plan.shape_of(host_plan.batch.contacts);
    return Size::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities);
  }

  /// Calls run(Largest{}) with the smallest size that holds all contacts that can be active, or
  /// with the largest.
  template <WorldsLaw law, class Run>
  void with_largest(Run&& run) const {
    if constexpr (law == WorldsLaw::propagative) {
      // The flat problem of a larger size would be half of what a thread can have of memory.
      using Small = NormalCapacity<8, 24>;
      if (fits<Small>()) return run(Small{});
      run(NormalCapacity<16, 48>{});
    } else if (!with_size_up_to<LargestDeviceCapacity, false>(
                   host_plan.shape_of(host_plan.batch.contacts), run)) {
      run(LargestDeviceCapacity{});
    }
  }

  /// A warp for each world.
  template <WorldsLaw law, class Largest>
  void start_by_warps(const WorldsPlan& on_device, const Stream& stream, const SampleView& out) {
    const auto kernel = run_worlds_by_warps_kernel<law, Largest>;
    const std::uint64_t worlds = on_device.batch.size;
    const Grid grid = grid_of_warps(kernel, WarpOfWorlds::bytes<Largest>(), worlds);
    if (grid.blocks == 0) throw RunError("CUDA: the device has too little shared memory");
    const std::size_t size = flat_size_of_worlds<Largest>(host_plan);
    if (flat.count() < grid.blocks * size) {
      flat = {};  // freed before the new allocation
      flat = DeviceBuffer<double>(grid.blocks * size);
    }
    start_kernel(kernel, grid, stream, WorldOfWarp<law, Largest>{on_device}, worlds, out,
                 flat.data(), size);
  }

  template <WorldsLaw law>
  void start(const WorldsPlan& on_device, const Stream& stream, const SampleView& out) {
    if constexpr (!is_solved_by_lemke<law>) {
      with_largest<law>([&]<class Largest>(Largest) {
        using Program = WorldImpact<law, Largest, Effort::fast>;
        const std::uint64_t worlds = on_device.batch.size;
        start_for_rows(run_items_kernel<Program, SampleView>, worlds, stream, Program{on_device},
                       std::uint64_t{0}, worlds, out);
      });
    } else if (fits<SmallestCapacity>()) {
      start_by_warps<law, SmallestCapacity>(on_device, stream, out);
    } else if (fits<FourFeet>()) {
      start_by_warps<law, FourFeet>(on_device, stream, out);
    } else {
      start_by_warps<law, LargestDeviceCapacity>(on_device, stream, out);
    }
  }

  /// All columns: the caller's, and own ones where those are null.
  SampleView view(const RowPointers& wanted) {
    if (!rows || host_plan.batch.size > capacity) {
      rows.reset();  // freed before the new allocation
      rows =
          std::make_unique<RowBuffers<MemoryKind::device>>(host_plan.batch.size, host_plan.rows());
      capacity = host_plan.batch.size;
    }
    SampleView all = rows->view();
    for_each_column(
        [](const ColumnInfo&, auto& pointer, const auto& its) {
          if (its != nullptr) pointer = its;
        },
        all, wanted);
    return all;
  }
};

void require_cuda_device(int device) { open_device(device); }

std::unique_ptr<DeviceRows> allocate_rows(int device, std::size_t rows, const RowShape& shape) {
  CAROM_CUDA_CHECK(cudaSetDevice(device));
  return std::make_unique<RowsOnDevice>(device, rows, shape);
}

CudaWorlds::CudaWorlds(int device, const WorldsPlan& plan) : state_(std::make_unique<State>()) {
  CAROM_CUDA_CHECK(cudaSetDevice(device));
  state_->device = device;
  state_->host_plan = plan;
  const auto m = static_cast<std::size_t>(plan.batch.contacts);
  const int most = std::min(plan.batch.contacts, max_contacts);
  const auto components = static_cast<std::size_t>(plan.law.caps[most - 1].components);
  const auto directions =
      static_cast<std::size_t>(plan.batch.friction_directions * plan.batch.tangent_dimension);
  state_->device_plan.assign(plan, [&](WorldsPlan& its, auto& array) {
    its.law.for_each_array(array);
    array(its.weights, components * m);
    array(its.directions, directions);
    its.plus.for_each_array(plan.shape_of(plan.batch.contacts), 1, array);
  });
}

CudaWorlds::~CudaWorlds() = default;

void CudaWorlds::launch(const WorldsPlan& plan, const RowPointers& out, void* stream) {
  State& its = *state_;
  CAROM_CUDA_CHECK(cudaSetDevice(its.device));
  its.host_plan = plan;
  WorldsPlan on_device = its.device_plan.plan();
  on_device.batch = plan.batch;
  on_device.which = plan.which;
  on_device.trajectory = plan.trajectory;
  on_device.law.run = plan.law.run;
  const SampleView rows = its.view(out);
  const Stream handle(static_cast<cudaStream_t>(stream));
  switch (plan.which) {
    case WorldsLaw::set_valued:
      return its.start<WorldsLaw::set_valued>(on_device, handle, rows);
    case WorldsLaw::simultaneous:
      return its.start<WorldsLaw::simultaneous>(on_device, handle, rows);
    case WorldsLaw::propagative:
      return its.start<WorldsLaw::propagative>(on_device, handle, rows);
    case WorldsLaw::sequential:
      return its.start<WorldsLaw::sequential>(on_device, handle, rows);
    case WorldsLaw::restitution:
      return its.start<WorldsLaw::restitution>(on_device, handle, rows);
    case WorldsLaw::plus:
      return its.start<WorldsLaw::plus>(on_device, handle, rows);
  }
}

void CudaWorlds::mend(const RowPointers& out, void* stream, const SolveWorld& solve) {
  State& its = *state_;
  CAROM_CUDA_CHECK(cudaSetDevice(its.device));
  const auto handle = static_cast<cudaStream_t>(stream);
  const SampleView rows = its.view(out);
  const std::vector<Status> status = fetch(rows.status, its.host_plan.batch.size, handle);
  RowColumns<HostColumn> one;
  SampleView view;
  for_each_column(
      [&](const ColumnInfo& info, auto& column, auto& pointer) {
        column.resize(its.host_plan.rows().numbers(info.shape));
        pointer = column.empty() ? nullptr : column.data();
      },
      one, view);
  for (std::uint64_t i = 0; i < status.size(); ++i) {
    if (status[i] != undecided) continue;
    const OneWorld world(its.host_plan.batch, i, handle);
    WorldsPlan plan = its.host_plan;
    plan.batch = world.batch(its.host_plan.batch);
    plan.law.run.first_problem += static_cast<std::uint32_t>(i);
    solve(plan, view);
    for_each_column(
        [&](const ColumnInfo& info, auto* to, const auto* from) {
          const std::size_t numbers = its.host_plan.rows().numbers(info.shape);
          if (numbers == 0) return;
          CAROM_CUDA_CHECK(cudaMemcpyAsync(to + i * numbers, from, numbers * sizeof *from,
                                           cudaMemcpyHostToDevice, handle));
        },
        rows, view);
    CAROM_CUDA_CHECK(cudaStreamSynchronize(handle));  // `view` is written again
  }
}

}  // namespace carom
