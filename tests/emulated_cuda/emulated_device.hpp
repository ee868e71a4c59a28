#pragma once

#include <cstddef>
#include <functional>
#include <span>

/// A CUDA device that the CPU plays, so that launchers and kernels run where there is no GPU. Slow,
/// and severe where a GPU would be lenient:
/// - what is put on a stream waits there until somebody waits for it;
/// - device memory is full of other bytes at first, can be touched by device work only, and ends at
///   a page that nobody may touch;
/// - the threads of a warp run one after the other between two exchanges, to which all must come,
///   from the first to the last and the other way in turn;
/// - a block's shared memory is full of other bytes at first, and none beyond it may be written.
/// What it cannot show: races between warps, what the hardware rounds or orders differently, speed.
namespace emulated {

/// What another compiler made of a kernel; takes the addresses of the kernel's parameters.
using Translation = std::function<void(const unsigned char* const* parameter)>;
/// @param kernel the function that the host's compiler made of it
/// @param bytes sizes of its parameters
using FindTranslation = Translation (*)(const void* kernel, std::span<const std::size_t> bytes);
/// Kernels run as `find` says from now on; null: as the host's compiler made them.
void take_translations(FindTranslation find);

/// The most shared memory of a block: what compute capability 9.0 has.
inline constexpr std::size_t shared_bytes = std::size_t{227} << 10;

/// How much of it a kernel can have from now on. Returns what it was.
std::size_t limit_shared_memory(std::size_t bytes);
std::size_t most_shared_bytes();
/// Of the block that runs.
std::size_t shared_bytes_of_block();
/// Calls met() whenever the threads of a warp exchange, from now on.
void when_a_warp_meets(void (*met)());

/// Of the stack of a thread: a rollout whose code is not optimised needs the most.
inline constexpr std::size_t stack_bytes = std::size_t{1} << 21;

/// How much device memory there is from now on, bytes. Returns what it was.
std::size_t limit_memory(std::size_t bytes);
/// Bytes that are allocated now.
std::size_t memory_in_use();
/// Bytes that the host has sent to devices so far.
std::size_t bytes_sent();

}  // namespace emulated
