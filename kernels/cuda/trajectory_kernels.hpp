#pragma once

#include <cstdint>

#include "kernels/cuda/warp.hpp"
#include "kernels/step/step_outcome.hpp"
#include "kernels/trajectory/sample_view.hpp"

namespace carom {

/// The trajectories of a grid's rows. Each warp has rows of its own, and a lane whose trajectory
/// has ended takes the next of them, so that no lane idles while another has several steps left.
/// @param row_of row_of(i): the row of index i < count
/// @param written called with each row
/// @param advance advance(run, moves), which all lanes call together: takes the next step of a
/// trajectory that has one; whether it was solved
template <class Program, class RowOf, class Written, class Advance>
__device__ void run_in_turns(const Program& program, std::uint64_t first, std::uint64_t count,
                             const SampleView& out, const RowOf& row_of, const Written& written,
                             const Advance& advance) {
  const unsigned lane = threadIdx.x % lanes_per_warp;
  const std::uint64_t threads = std::uint64_t{gridDim.x} * blockDim.x;
  const std::uint64_t first_of_warp = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x - lane;
  typename Program::Run run;
  std::uint64_t row = 0;
  std::uint64_t taken = 0;  // of the warp's rows
  bool moves = false;
  for (;;) {
    bool holds = moves;  // a trajectory
    if (const unsigned free = __ballot_sync(all_lanes, !moves); free != 0) {
      const std::uint64_t mine = taken + __popc(free & ((1u << lane) - 1));
      const std::uint64_t index =
          mine / lanes_per_warp * threads + first_of_warp + mine % lanes_per_warp;
      taken += __popc(free);
      if (!moves && index < count) {
        row = row_of(index);
        const SampleView its_row = out.from(row, program.plan.rows);
        run = program.begin(first + row, &its_row);
        holds = true;
        moves = program.has_step(run);
      }
      if (__ballot_sync(all_lanes, holds) == 0) return;
    }
    moves = advance(run, moves) && program.has_step(run);
    if (holds && !moves) {
      program.write(run, out.from(row, program.plan.rows));
      program.write_state(run, first + row);
      written(row);
    }
  }
}

/// The same, where each lane takes its trajectory's steps on its own.
template <class Program, class RowOf, class Written>
__device__ void run_in_turns(const Program& program, std::uint64_t first, std::uint64_t count,
                             const SampleView& out, const RowOf& row_of, const Written& written) {
  run_in_turns(
      program, first, count, out, row_of, written,
      [&](typename Program::Run& run, bool moves) { return moves && program.advance(run); });
}

template <class Program>
__global__ void run_trajectories_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                        SampleView out) {
  run_in_turns(
      program, first, count, out, [](std::uint64_t i) { return i; }, [](std::uint64_t) {});
}

/// The same with known paths; `list` receives the rows without a known path, in any order, and
/// `listed` their number.
template <class Program>
__global__ void run_known_kernel(Program program, std::uint64_t first, std::uint64_t count,
                                 SampleView out, std::uint32_t* list, unsigned* listed) {
  run_in_turns(
      program, first, count, out, [](std::uint64_t i) { return i; },
      [&](std::uint64_t row) {
        if (out.status[row] == undecided) {
          list[atomicAdd(listed, 1u)] = static_cast<std::uint32_t>(row);
        }
      });
}

/// The rows that run_known_kernel left.
template <class Program>
__global__ void run_listed_kernel(Program program, std::uint64_t first, SampleView out,
                                  const std::uint32_t* list, const unsigned* listed) {
  run_in_turns(
      program, first, *listed, out, [&](std::uint64_t i) { return list[i]; }, [](std::uint64_t) {});
}

/// The rows that double precision could not decide, in any order.
__global__ void list_undecided_kernel(const Status* status, std::uint64_t count,
                                      std::uint32_t* list, unsigned* listed) {
  const std::uint64_t stride = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t row = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; row < count;
       row += stride) {
    if (status[row] == undecided) list[atomicAdd(listed, 1u)] = static_cast<std::uint32_t>(row);
  }
}

/// Copies one row.
__device__ inline void copy_row(const SampleView& to, const SampleView& from,
                                const RowShape& shape) {
  for_each_column(
      [&](const ColumnInfo& info, auto* target, const auto* source) {
        for (std::size_t i = 0; i < shape.numbers(info.shape); ++i) target[i] = source[i];
      },
      to, from);
}

/// Moves row i of `from` to row list[i] of `to`.
__global__ void put_rows_kernel(SampleView to, SampleView from, const std::uint32_t* list,
                                unsigned count, RowShape shape) {
  const unsigned stride = gridDim.x * blockDim.x;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    copy_row(to.from(list[i], shape), from.from(i, shape), shape);
  }
}

}  // namespace carom
