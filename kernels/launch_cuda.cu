#include <algorithm>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/capacity.hpp"
#include "kernels/device_buffer.hpp"
#include "kernels/device_plan.hpp"
#include "kernels/launch.hpp"
#include "kernels/laws/all_solutions.hpp"
#include "kernels/laws/known_path.hpp"
#include "kernels/laws/set_valued.hpp"
#include "kernels/laws/tabulated.hpp"
#include "kernels/trajectory.hpp"

namespace carom {

namespace {

template <class Program>
__global__ void run_items_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                 SampleView out) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    program(first + row, row, out);
  }
}

/// As run_items_kernel, by known paths; `list` receives the rows that are left, in any order, and
/// `listed` their number.
template <class Program>
__global__ void run_known_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                 SampleView out, std::uint32_t* list, unsigned* listed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    program(first + row, row, out);
    if (out.status[row] == undecided) {
      list[atomicAdd(listed, 1u)] = static_cast<std::uint32_t>(row);
    }
  }
}

/// The rows that run_known_kernel left, side by side: no warp waits for one of them.
template <class Program>
__global__ void run_listed_kernel(Program program, std::uint64_t first, SampleView out,
                                  const std::uint32_t* list, const unsigned* listed) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < *listed; i += stride) {
    program(first + list[i], list[i], out);
  }
}

template <MemoryKind kind>
struct RowBuffers {
  DeviceBuffer<double, kind> velocity;
  DeviceBuffer<double, kind> impulse;
  DeviceBuffer<double, kind> energy;
  DeviceBuffer<std::uint32_t, kind> lcp_count;
  DeviceBuffer<std::uint32_t, kind> pivot_count;
  DeviceBuffer<std::uint32_t, kind> retry_count;
  DeviceBuffer<std::uint32_t, kind> table_count;
  DeviceBuffer<Status, kind> status;
  DeviceBuffer<std::uint8_t, kind> final_step;
  DeviceBuffer<std::uint16_t, kind> solution_count;

  RowBuffers(std::size_t rows, const ProblemShape& shape, bool counts_solutions)
      : velocity(rows * static_cast<std::size_t>(shape.velocities)),
        impulse(rows * static_cast<std::size_t>(shape.impulses())),
        energy(rows),
        lcp_count(rows),
        pivot_count(rows),
        retry_count(rows),
        table_count(rows),
        status(rows),
        final_step(rows),
        solution_count(counts_solutions ? rows * solution_bins : 0) {}

  SampleView view() const {
    return {velocity.data(),    impulse.data(),       energy.data(),      lcp_count.data(),
            pivot_count.data(), retry_count.data(),   table_count.data(), status.data(),
            final_step.data(),  solution_count.data()};
  }
};

/// Calls copy(to, from, bytes) for each array of `count` rows.
template <class Copy>
void for_each_array(const SampleView& to, const SampleView& from, std::size_t count,
                    const ProblemShape& shape, Copy&& copy) {
  copy(to.velocity, from.velocity,
       count * static_cast<std::size_t>(shape.velocities) * sizeof(double));
  copy(to.impulse, from.impulse,
       count * static_cast<std::size_t>(shape.impulses()) * sizeof(double));
  copy(to.energy, from.energy, count * sizeof(double));
  copy(to.lcp_count, from.lcp_count, count * sizeof(std::uint32_t));
  copy(to.pivot_count, from.pivot_count, count * sizeof(std::uint32_t));
  copy(to.retry_count, from.retry_count, count * sizeof(std::uint32_t));
  copy(to.table_count, from.table_count, count * sizeof(std::uint32_t));
  copy(to.status, from.status, count * sizeof(Status));
  copy(to.final_step, from.final_step, count * sizeof(std::uint8_t));
  if (to.solution_count != nullptr) {
    copy(to.solution_count, from.solution_count, count * solution_bins * sizeof(std::uint16_t));
  }
}

struct Stream {
  cudaStream_t handle = nullptr;
  Stream() { CAROM_CUDA_CHECK(cudaStreamCreateWithFlags(&handle, cudaStreamNonBlocking)); }
  ~Stream() { cudaStreamDestroy(handle); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
};

/// One slice in flight: kernel, then copy to pinned memory, on a stream of its own.
struct Slot {
  Stream stream;
  RowBuffers<MemoryKind::device> device;
  RowBuffers<MemoryKind::pinned_host> host;
  DeviceBuffer<std::uint32_t> list;  ///< rows that known paths leave
  DeviceBuffer<unsigned> listed;
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;

  Slot(std::size_t capacity, const ProblemShape& shape, bool counts_solutions, bool follows_paths)
      : device(capacity, shape, counts_solutions),
        host(capacity, shape, counts_solutions),
        list(follows_paths ? capacity : 0),
        listed(follows_paths ? 1 : 0) {}
};

// Rows per slice: enough to fill any GPU, few enough that a slot's buffers stay small.
constexpr std::uint64_t most_slice_rows = std::uint64_t{1} << 18;
constexpr std::uint64_t slot_bytes = std::uint64_t{1} << 26;
constexpr int least_capability = 75;  // compute capability times ten that the PTX is compiled for
constexpr std::size_t slots_in_flight = 2;
// Paths learned by a pilot leave some rows in a thousand; more would only wait for the list.
constexpr std::uint64_t listed_part = 16;

using KnownPaths = Trajectory<KnownPathLaw<TwoPlanarContacts>>;

}  // namespace

struct CudaLauncher::State {
  int device = 0;
  std::string name;
  SamplingPlan host_plan;
  DevicePlan device_plan;
  std::vector<std::unique_ptr<Slot>> slots;
  std::uint64_t slot_rows = 0;

  /// Calls run(program) with the program of the plan's size and selection of solutions.
  template <class Run>
  void with_program(Run&& run) const {
    const SamplingPlan& plan = device_plan.plan();
    with_capacity(plan.shape, [&]<class Size>(Size) {
      if (plan.solutions == Solutions::all) {
        run(Trajectory<AllSolutionsLaw<Size, Effort::fast>>{{}, plan});
      } else if (plan.solutions == Solutions::table) {
        run(Trajectory<TabulatedLaw<Size, Effort::fast>>{{}, plan});
      } else {
        run(Trajectory<SetValuedLaw<Size, Effort::fast>>{{}, plan});
      }
    });
  }

  bool counts_solutions() const { return host_plan.solutions == Solutions::all; }
  /// A plan has trees only if they serve its shape.
  bool follows_paths() const { return host_plan.trees != nullptr; }

  /// Throws unless this build holds the kernel in a form that the device can run.
  void probe() const {
    cudaFuncAttributes attributes;
    if (follows_paths()) {
      CAROM_CUDA_CHECK(cudaFuncGetAttributes(&attributes, run_known_kernel<KnownPaths>));
      return;
    }
    with_program([&]<class Program>(const Program&) {
      CAROM_CUDA_CHECK(cudaFuncGetAttributes(&attributes, run_items_kernel<Program>));
    });
  }

  /// Makes slots for a launch of `count` rows, smaller ones if the device's memory is short;
  /// returns the rows of one.
  std::uint64_t reserve(std::uint64_t count) {
    constexpr std::uint64_t least_rows = 1024;
    const ProblemShape& shape = host_plan.shape;
    const auto row_bytes = static_cast<std::uint64_t>(
        (shape.velocities + shape.impulses() + 1) * static_cast<int>(sizeof(double)) + 20 +
        (follows_paths() ? static_cast<int>(sizeof(std::uint32_t)) : 0) +
        (counts_solutions() ? solution_bins * static_cast<int>(sizeof(std::uint16_t)) : 0));
    const std::uint64_t wanted =
        std::min({count, most_slice_rows, std::max(slot_bytes / row_bytes, least_rows)});
    if (slot_rows >= wanted) return slot_rows;
    slots.clear();
    for (slot_rows = wanted;; slot_rows /= 2) {
      try {
        while (slots.size() < slots_in_flight) {
          slots.push_back(
              std::make_unique<Slot>(slot_rows, shape, counts_solutions(), follows_paths()));
        }
        return slot_rows;
      } catch (const RunError&) {
        slots.clear();
        cudaGetLastError();  // the refused allocation must not be found by a later check
        if (slot_rows <= least_rows) {
          slot_rows = 0;
          throw;
        }
      }
    }
  }

  /// Starts a kernel with a thread for each of `rows` on the stream of `slot`.
  template <class Kernel, class... Arguments>
  static void enqueue(Kernel kernel, std::uint64_t rows, const Slot& slot,
                      const Arguments&... arguments) {
    int grid = 0;
    int block = 0;
    CAROM_CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, kernel));
    const std::uint64_t blocks =
        (rows + static_cast<std::uint64_t>(block) - 1) / static_cast<std::uint64_t>(block);
    kernel<<<static_cast<unsigned>(std::min<std::uint64_t>(blocks, 0x7fffffff)),
             static_cast<unsigned>(block), 0, slot.stream.handle>>>(arguments...);
    CAROM_CUDA_CHECK(cudaGetLastError());
  }

  /// Starts the kernels for rows of which known paths serve most, as run_items_kernel would.
  template <template <class, Effort> class Law>
  void follow_paths(const Slot& slot, std::uint64_t first) const {
    const SamplingPlan& plan = device_plan.plan();
    const SampleView out = slot.device.view();
    CAROM_CUDA_CHECK(
        cudaMemsetAsync(slot.listed.data(), 0, slot.listed.bytes(), slot.stream.handle));
    enqueue(run_known_kernel<KnownPaths>, slot.rows, slot, KnownPaths{{}, plan}, first, slot.rows,
            out, slot.list.data(), slot.listed.data());
    // A shape that is known costs registers here: 255 and spills, in place of 221.
    using Complete = Trajectory<Law<TwoPlanarContacts::General, Effort::fast>>;
    enqueue(run_listed_kernel<Complete>, (slot.rows + listed_part - 1) / listed_part, slot,
            Complete{{}, plan}, first, out, slot.list.data(), slot.listed.data());
  }

  /// Starts the kernels for `slot` and its copy back.
  void start(Slot& slot, std::uint64_t first) const {
    if (!follows_paths()) {
      with_program([&]<class Program>(const Program& program) {
        static_assert(std::is_trivially_copyable_v<Program>);
        enqueue(run_items_kernel<Program>, slot.rows, slot, program, first, slot.rows,
                slot.device.view());
      });
    } else if (host_plan.solutions == Solutions::table) {
      follow_paths<TabulatedLaw>(slot, first);
    } else {
      follow_paths<SetValuedLaw>(slot, first);
    }
    for_each_array(slot.host.view(), slot.device.view(), slot.rows, host_plan.shape,
                   [&](void* to, const void* from, std::size_t bytes) {
                     CAROM_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost,
                                                      slot.stream.handle));
                   });
  }

  /// Waits for `slot` and moves its rows to `out`.
  void finish(Slot& slot, const SampleView& out) const {
    if (slot.rows == 0) return;
    CAROM_CUDA_CHECK(cudaStreamSynchronize(slot.stream.handle));
    for_each_array(
        out.from(slot.first_row, host_plan.shape), slot.host.view(), slot.rows, host_plan.shape,
        [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
    slot.rows = 0;
  }
};

CudaLauncher::CudaLauncher(int device, const SamplingPlan& plan, std::size_t problems) {
  std::string note;
  const int devices = count_cuda_devices(note);
  if (device < 0 || device >= devices) {
    throw InputError("device is " + std::to_string(device) + " (must be below the number of " +
                     "CUDA devices, " + std::to_string(devices) + ")" +
                     (note.empty() ? "" : ": " + note));
  }
  CAROM_CUDA_CHECK(cudaSetDevice(device));
  cudaDeviceProp properties;
  CAROM_CUDA_CHECK(cudaGetDeviceProperties(&properties, device));
  if (properties.major * 10 + properties.minor < least_capability) {
    throw RunError(std::string("CUDA: ") + properties.name + " has compute capability " +
                   std::to_string(properties.major) + "." + std::to_string(properties.minor) +
                   " (must be 7.5 or more)");
  }
  state_ = std::make_unique<State>();
  state_->device = device;
  state_->name = properties.name;
  state_->host_plan = plan;
  state_->device_plan = DevicePlan(plan, problems);
  state_->probe();
}

CudaLauncher::~CudaLauncher() = default;

void CudaLauncher::launch(std::uint64_t first, std::uint64_t count, const SampleView& out,
                          int threads) {
  if (count == 0) return;
  CAROM_CUDA_CHECK(cudaSetDevice(state_->device));
  const std::uint64_t rows = state_->reserve(count);
  auto& slots = state_->slots;
  for (const auto& slot : slots) slot->rows = 0;  // whatever a failed launch left
  std::size_t turn = 0;
  for (std::uint64_t row = 0; row < count; row += rows, ++turn) {
    Slot& slot = *slots[turn % slots.size()];
    state_->finish(slot, out);
    slot.first_row = row;
    slot.rows = std::min(rows, count - row);
    state_->start(slot, first + row);
  }
  for (std::size_t s = 0; s < slots.size(); ++s) {
    state_->finish(*slots[(turn + s) % slots.size()], out);
  }
  repeat_undecided(state_->host_plan, first, count, out, threads);
}

const std::string& CudaLauncher::device_name() const { return state_->name; }

int count_cuda_devices(std::string& note) {
  int devices = 0;
  const cudaError_t error = cudaGetDeviceCount(&devices);
  if (error == cudaSuccess && devices > 0) {
    note.clear();
    return devices;
  }
  int driver = 0;
  if (error == cudaSuccess) {
    note = "no CUDA device found";
  } else if (cudaDriverGetVersion(&driver) == cudaSuccess && driver == 0) {
    note = "no CUDA driver found";
  } else {
    note = std::string("no CUDA device: ") + cudaGetErrorString(error);
  }
  cudaGetLastError();  // the failed query must not be found by a later check
  return 0;
}

}  // namespace carom
