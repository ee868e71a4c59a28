#pragma once

#include <cstddef>

/// A CUDA device that the CPU plays, so that launchers and kernels run where there is no GPU. Slow,
/// and severe where a GPU would be lenient:
/// - what is put on a stream waits there until somebody waits for it;
/// - device memory is full of other bytes at first, can be touched by device work only, and ends at
///   a page that nobody may touch;
/// - the threads of a warp run one after the other between two exchanges, to which all must come.
/// What it cannot show: races between warps, what the hardware rounds or orders differently, speed.
namespace emulated {

/// How much device memory there is from now on, bytes. Returns what it was.
std::size_t limit_memory(std::size_t bytes);
/// Bytes that are allocated now.
std::size_t memory_in_use();
/// Bytes that the host has sent to devices so far.
std::size_t bytes_sent();

}  // namespace emulated
