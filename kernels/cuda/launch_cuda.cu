#include <algorithm>
#include <cstring>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/cuda/device.hpp"
#include "kernels/cuda/device_copy.hpp"
#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/row_buffers.hpp"
#include "kernels/cuda/start_program.hpp"
#include "kernels/cuda/trajectory_kernels.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/laws/program_list.hpp"
#include "kernels/laws/set_valued/known_path.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom {

namespace {

// Rows per slice: enough to fill any GPU, few enough to keep a slice's buffers small.
constexpr std::uint64_t most_slice_rows = std::uint64_t{1} << 18;
constexpr std::uint64_t slice_bytes = std::uint64_t{1} << 26;
constexpr std::size_t slices_in_flight = 2;
// Rows that stay on the device need no other buffers: the slices are long to make launches cheap.
constexpr std::uint64_t resident_slice_rows = std::uint64_t{1} << 22;
constexpr std::uint64_t least_rows = 1024;  // of a buffer if memory is short
constexpr std::size_t steps_at_a_time = std::size_t{1} << 15;
constexpr std::size_t mended_at_a_time = std::size_t{1} << 16;
// Paths learned by a pilot leave a few rows in a thousand; more threads would only wait for the
// list.
constexpr std::uint64_t listed_part = 16;

/// How many rows a launch has, so that it takes a tenth of a second on any device: it cannot be
/// interrupted, and a display waits for it.
class Pace {
 public:
  std::uint64_t rows() const { return rows_; }
  /// @param seconds that the kernels of a launch took
  void learn(std::uint64_t rows, double seconds) {
    constexpr double wanted = 0.1;
    constexpr double at_most = 8.0;  // times the rows before
    const double times = std::min(wanted / std::max(seconds, 1e-6), at_most);
    rows_ = std::max(static_cast<std::uint64_t>(static_cast<double>(rows) * times), least_rows);
  }

 private:
  std::uint64_t rows_ = std::uint64_t{1} << 14;
};

/// One slice of rows under way: kernel, then copy to pinned memory, on its own stream.
struct Slice {
  Queue queue;
  Event begin, end;  ///< of the kernels
  RowBuffers<MemoryKind::device> device;
  RowBuffers<MemoryKind::pinned_host> host;
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;

  Slice(std::size_t capacity, const RowShape& shape, bool follows_paths)
      : queue(follows_paths ? capacity : 0), device(capacity, shape), host(capacity, shape) {}
};

/// Steps that are taken from states of the host's choice.
struct Steps {
  Queue queue;
  RowBuffers<MemoryKind::device> rows;
  DeviceBuffer<double> start, script, end;

  Steps(std::size_t count, const SamplingPlan& plan)
      : queue(0),
        rows(count, plan.rows),
        start(count * static_cast<std::size_t>(plan.state_size)),
        script(count * static_cast<std::size_t>(plan.step_numbers)),
        end(start.count()) {}
};

/// Rows that are digested on the device.
struct Kept {
  Queue queue;
  RowsOnDevice rows;
  DeviceDigester digester;

  Kept(int device, std::uint64_t count, const RowShape& shape)
      : queue(static_cast<std::size_t>(count)),
        rows(device, static_cast<std::size_t>(count), shape),
        digester(static_cast<std::size_t>(count)) {}
};

using KnownPaths = Trajectory<SetValuedLaw<KnownPathSolution<TwoPlanarContacts>>>;

}  // namespace

struct CudaLauncher::State {
  int device = 0;
  std::string name;
  std::uint64_t repeated = 0;  ///< rows, on the CPU
  SamplingPlan host_plan;
  DeviceCopy<SamplingPlan> device_plan;
  std::vector<std::unique_ptr<Slice>> slices;
  std::uint64_t slice_rows = 0;
  Pace pace;
  std::unique_ptr<Kept> kept;
  std::unique_ptr<Steps> steps;
  std::uint64_t most_kept = resident_slice_rows;  ///< most rows in `kept`; 0: too little memory

  /// Calls run(program) with the program of a plan's size and law.
  template <class Run>
  static void with_program(const SamplingPlan& plan, Run&& run) {
    constexpr bool fixed_shapes = false;
    carom::with_program<Effort::fast, fixed_shapes>(plan, run);
  }

  /// A plan has trees only if they support its shape.
  bool follows_paths() const {
    const auto* law = std::get_if<SetValuedPlan>(&host_plan.law);
    return law != nullptr && law->trees != nullptr;
  }

  /// Throws unless this build contains the kernels in a form that the device can run, and the
  /// device has room for the memory of their threads: kernels without rows are started.
  void probe() const {
    const Queue queue(follows_paths() ? 1 : 0);
    run(queue, 0, 0, {});
    CAROM_CUDA_CHECK(cudaStreamSynchronize(queue.stream.handle));
  }

  /// Makes slices for a launch of `count` rows, smaller slices if the device's memory is short;
  /// returns the rows of one slice.
  std::uint64_t reserve(std::uint64_t count) {
    const RowShape& shape = host_plan.rows;
    const std::uint64_t bytes = row_bytes(shape) + (follows_paths() ? sizeof(std::uint32_t) : 0);
    const std::uint64_t wanted =
        std::min({count, most_slice_rows, std::max(slice_bytes / bytes, least_rows)});
    if (slice_rows >= wanted) return slice_rows;
    slices.clear();
    for (slice_rows = wanted;; slice_rows /= 2) {
      try {
        while (slices.size() < slices_in_flight) {
          slices.push_back(std::make_unique<Slice>(slice_rows, shape, follows_paths()));
        }
        return slice_rows;
      } catch (const DeviceMemoryError&) {
        slices.clear();
        if (slice_rows <= least_rows) {
          slice_rows = 0;
          throw;
        }
      }
    }
  }

  /// Starts the kernels for rows of which known paths solve most; the results are those of
  /// run_trajectories_kernel.
  template <template <class, Effort> class Solution>
  void follow_paths(const Queue& queue, std::uint64_t first, std::uint64_t rows,
                    const SampleView& out) const {
    const SamplingPlan& plan = device_plan.plan();
    const auto& law = std::get<SetValuedPlan>(plan.law);
    queue.empty_list();
    start_for_rows(run_known_kernel<KnownPaths>, rows, queue.stream,
                   KnownPaths{{{}, {}, law}, plan}, first, rows, out, queue.list.data(),
                   queue.listed.data());
    // A shape known at compile time costs registers here: 255 with spills instead of 221.
    using Complete = Trajectory<SetValuedLaw<Solution<TwoPlanarContacts::General, Effort::fast>>>;
    start_for_rows(run_listed_kernel<Complete>, (rows + listed_part - 1) / listed_part,
                   queue.stream, Complete{{{}, {}, law}, plan}, first, out, queue.list.data(),
                   queue.listed.data());
  }

  /// Starts the kernels for items [first, first + rows), into the first rows of `out`.
  void run(const Queue& queue, std::uint64_t first, std::uint64_t rows,
           const SampleView& out) const {
    if (!follows_paths()) {
      with_program(device_plan.plan(), [&](const auto& program) {
        start_program(program, queue.stream, first, rows, out);
      });
    } else if (std::get<SetValuedPlan>(host_plan.law).solutions == Solutions::table) {
      follow_paths<TabulatedSolution>(queue, first, rows, out);
    } else {
      follow_paths<LemkeSolution>(queue, first, rows, out);
    }
  }

  /// Starts the kernels for `slice` and its copy back.
  void start(Slice& slice, std::uint64_t first) const {
    slice.begin.record(slice.queue.stream);
    run(slice.queue, first, slice.rows, slice.device.view());
    slice.end.record(slice.queue.stream);
    for_each_array(slice.host.view(), slice.device.view(), slice.rows, host_plan.rows,
                   [&](void* to, const void* from, std::size_t bytes) {
                     CAROM_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost,
                                                      slice.queue.stream.handle));
                   });
  }

  /// Repeats the undecided rows among `rows` rows on the CPU and writes the results to their
  /// places.
  void mend(const Queue& queue, std::uint64_t first, std::uint64_t rows, const SampleView& out,
            int threads) {
    const cudaStream_t stream = queue.stream.handle;
    const RowShape& shape = host_plan.rows;
    queue.empty_list();
    start_for_rows(list_undecided_kernel, rows, queue.stream, out.status, rows, queue.list.data(),
                   queue.listed.data());
    unsigned count = 0;
    CAROM_CUDA_CHECK(
        cudaMemcpyAsync(&count, queue.listed.data(), sizeof count, cudaMemcpyDeviceToHost, stream));
    CAROM_CUDA_CHECK(cudaStreamSynchronize(stream));
    if (count == 0) return;
    repeated += count;
    std::vector<std::uint32_t> list(count);
    CAROM_CUDA_CHECK(cudaMemcpyAsync(list.data(), queue.list.data(), count * sizeof list[0],
                                     cudaMemcpyDeviceToHost, stream));
    CAROM_CUDA_CHECK(cudaStreamSynchronize(stream));
    const std::size_t most = std::min<std::size_t>(count, mended_at_a_time);
    const RowBuffers<MemoryKind::pinned_host> host(most, shape);
    const RowBuffers<MemoryKind::device> device_copy(most, shape);
    for (std::size_t done = 0; done < count; done += most) {
      const std::size_t some = std::min(most, count - done);
      repeat_listed(host_plan, first, std::span(list).subspan(done, some), host.view(), threads);
      for_each_array(
          device_copy.view(), host.view(), some, shape,
          [&](void* to, const void* from, std::size_t bytes) {
            CAROM_CUDA_CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, stream));
          });
      start_for_rows(put_rows_kernel, some, queue.stream, out, device_copy.view(),
                     queue.list.data() + done, static_cast<unsigned>(some), shape);
      CAROM_CUDA_CHECK(cudaStreamSynchronize(stream));  // `host` is written again
    }
  }

  /// Items [first, first + rows) with the bits of every backend; returns the kernels' time, s.
  double run_and_mend(const Queue& queue, std::uint64_t first, std::uint64_t rows,
                      const SampleView& out, int threads) {
    const Event start;
    const Event end;
    start.record(queue.stream);
    run(queue, first, rows, out);
    end.record(queue.stream);
    mend(queue, first, rows, out, threads);  // waits for the kernels
    const double seconds = end.seconds_since(start);
    pace.learn(rows, seconds);
    return seconds;
  }

  /// Waits for `slice` and moves its rows to `out`.
  void finish(Slice& slice, const SampleView& out) {
    if (slice.rows == 0) return;
    CAROM_CUDA_CHECK(cudaStreamSynchronize(slice.queue.stream.handle));
    pace.learn(slice.rows, slice.end.seconds_since(slice.begin));
    for_each_array(
        out.from(slice.first_row, host_plan.rows), slice.host.view(), slice.rows, host_plan.rows,
        [](void* to, const void* from, std::size_t bytes) { std::memcpy(to, from, bytes); });
    slice.rows = 0;
  }
};

CudaLauncher::CudaLauncher(int device, const SamplingPlan& plan, std::size_t problems) {
  const std::string name = open_device(device);
  state_ = std::make_unique<State>();
  state_->device = device;
  state_->name = name;
  state_->host_plan = plan;
  state_->device_plan = {
      plan, [&](SamplingPlan& its, auto& array) {
        array(its.problems, its.stride * problems);
        visit_plan(its.law, [&](auto& law) { law.for_each_array(its.shape, problems, array); });
      }};
  state_->probe();
}

CudaLauncher::~CudaLauncher() = default;

void CudaLauncher::launch(std::uint64_t first, std::uint64_t count, const SampleView& out,
                          int threads) {
  if (count == 0) return;
  CAROM_CUDA_CHECK(cudaSetDevice(state_->device));
  const std::uint64_t most = state_->reserve(count);
  auto& slices = state_->slices;
  for (const auto& slice : slices) slice->rows = 0;  // a failed launch may have left rows
  std::size_t turn = 0;
  for (std::uint64_t row = 0; row < count; ++turn) {
    Slice& slice = *slices[turn % slices.size()];
    state_->finish(slice, out);
    slice.first_row = row;
    slice.rows = std::min({most, state_->pace.rows(), count - row});
    state_->start(slice, first + row);
    row += slice.rows;
  }
  for (std::size_t s = 0; s < slices.size(); ++s) {
    state_->finish(*slices[(turn + s) % slices.size()], out);
  }
  state_->repeated += repeat_undecided(state_->host_plan, first, count, out, threads);
}

std::unique_ptr<DeviceRows> CudaLauncher::launch_resident(std::uint64_t first, std::uint64_t count,
                                                          int threads,
                                                          const LaunchObserver& observer) {
  State& state = *state_;
  CAROM_CUDA_CHECK(cudaSetDevice(state.device));
  const RowShape& shape = state.host_plan.rows;
  auto rows = std::make_unique<RowsOnDevice>(state.device, static_cast<std::size_t>(count), shape);
  const Queue queue(static_cast<std::size_t>(std::min(count, resident_slice_rows)));
  for (std::uint64_t done = 0; done < count;) {
    const std::uint64_t some = std::min({resident_slice_rows, state.pace.rows(), count - done});
    rows->kernel_seconds += state.run_and_mend(
        queue, first + done, some, rows->view.from(static_cast<std::size_t>(done), shape), threads);
    done += some;
    if (observer && !observer(done)) {
      rows->rows = static_cast<std::size_t>(done);
      break;
    }
  }
  return rows;
}

RowDigest CudaLauncher::digest(std::uint64_t first, std::uint64_t count, const DigestPlan& plan,
                               bool with_velocities, int threads) {
  CAROM_CUDA_CHECK(cudaSetDevice(state_->device));
  const RowShape& shape = state_->host_plan.rows;
  std::unique_ptr<Kept>& kept = state_->kept;
  std::uint64_t& most = state_->most_kept;
  while (std::min(count, most) > 0) {
    const std::uint64_t room = std::min(count, most);
    const std::uint64_t some = std::min(room, state_->pace.rows());
    try {
      if (!kept || kept->rows.rows < room) {
        kept.reset();  // freed before the new allocation
        kept = std::make_unique<Kept>(state_->device, room, shape);
      }
      const double seconds =
          state_->run_and_mend(kept->queue, first, some, kept->rows.view, threads);
      RowDigest digest = kept->digester.digest(kept->rows.view, first, some, plan, with_velocities,
                                               kept->queue.stream);
      digest.sampling_seconds = seconds;
      return digest;
    } catch (const DeviceMemoryError&) {
      kept.reset();
      most = room > least_rows ? room / 2 : 0;
    }
  }
  return {};
}

void CudaLauncher::take_steps(std::size_t count, const double* start, const double* script,
                              double* end, Status* status) {
  CAROM_CUDA_CHECK(cudaSetDevice(state_->device));
  const SamplingPlan& host_plan = state_->host_plan;
  if (!state_->steps) state_->steps = std::make_unique<Steps>(steps_at_a_time, host_plan);
  const Steps& steps = *state_->steps;
  const cudaStream_t stream = steps.queue.stream.handle;
  const auto state_size = static_cast<std::size_t>(host_plan.state_size);
  const auto script_size = static_cast<std::size_t>(host_plan.step_numbers);
  SamplingPlan plan = state_->device_plan.plan();
  plan.trajectories = 0;
  plan.max_steps = 1;
  plan.ends = steps.end.data();
  plan.start = steps.start.data();
  plan.script = steps.script.data();
  plan.script_steps = 1;
  const auto copy = [&](auto* to, const auto* from, std::size_t numbers, cudaMemcpyKind kind) {
    CAROM_CUDA_CHECK(cudaMemcpyAsync(to, from, numbers * sizeof *to, kind, stream));
  };
  for (std::size_t row = 0; row < count; row += steps_at_a_time) {
    const std::size_t some = std::min(steps_at_a_time, count - row);
    copy(steps.start.data(), start + row * state_size, some * state_size, cudaMemcpyHostToDevice);
    copy(steps.script.data(), script + row * script_size, some * script_size,
         cudaMemcpyHostToDevice);
    const SampleView rows = steps.rows.view();
    State::with_program(plan, [&](const auto& program) {
      start_program(program, steps.queue.stream, 0, some, rows);
    });
    copy(end + row * state_size, steps.end.data(), some * state_size, cudaMemcpyDeviceToHost);
    copy(status + row, rows.status, some, cudaMemcpyDeviceToHost);
    CAROM_CUDA_CHECK(cudaStreamSynchronize(stream));
  }
}

const std::string& CudaLauncher::device_name() const { return state_->name; }
std::uint64_t CudaLauncher::repeated_rows() const { return state_->repeated; }

}  // namespace carom
