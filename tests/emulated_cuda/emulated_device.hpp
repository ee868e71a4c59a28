#pragma once

#include <cstddef>
#include <functional>
#include <span>

/// A CUDA device that the CPU plays, so that launchers and kernels run where there is no GPU. Slow,
/// and severe where a GPU would be lenient:
/// - what is put on a stream waits there until somebody waits for it;
/// - device memory is full of other bytes at first, can be touched by device work only, and ends at
///   a page that nobody may touch;
/// - the threads of a warp run one after the other between two exchanges, to which all must come.
/// What it cannot show: races between warps, what the hardware rounds or orders differently, speed.
namespace emulated {

/// What another compiler made of a kernel; takes the addresses of the kernel's parameters.
using Translation = std::function<void(const unsigned char* const* parameter)>;
/// @param kernel the function that the host's compiler made of it
/// @param bytes sizes of its parameters
using FindTranslation = Translation (*)(const void* kernel, std::span<const std::size_t> bytes);
/// Kernels run as `find` says from now on; null: as the host's compiler made them.
void take_translations(FindTranslation find);

/// How much device memory there is from now on, bytes. Returns what it was.
std::size_t limit_memory(std::size_t bytes);
/// Bytes that are allocated now.
std::size_t memory_in_use();
/// Bytes that the host has sent to devices so far.
std::size_t bytes_sent();

}  // namespace emulated
