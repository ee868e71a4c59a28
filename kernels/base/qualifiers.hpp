#pragma once

// Functions that run per trajectory are compiled for the host and, by nvcc, for the device.
// CAROM_VIEW_FUNCTION: the small members of the plain views that all of the program shares. They
// are inlined always, for the reason below.
// CAROM_HOT: what vectors pass through in the innermost loop, which on a CPU calls nothing.
// CAROM_OUT_OF_LINE: what happens rarely, and on a device is called.
// CAROM_INLINE_LAMBDA: after the parameters of a lambda inside a view function.
#if defined(__CUDACC__)
#define CAROM_HOST_DEVICE __host__ __device__
#define CAROM_VIEW_FUNCTION __host__ __device__ __forceinline__
#define CAROM_HOT
#define CAROM_OUT_OF_LINE __noinline__
#define CAROM_INLINE_LAMBDA
#else
#define CAROM_HOST_DEVICE
#define CAROM_VIEW_FUNCTION [[gnu::always_inline]]
#define CAROM_HOT [[gnu::always_inline]]
#define CAROM_OUT_OF_LINE
#define CAROM_INLINE_LAMBDA __attribute__((always_inline))
#endif

// The CPU backend is compiled once per instruction set (see CMakeLists.txt). Everything inline in
// kernels/ lives in an inline namespace of that set's name, so that the linker never takes the
// AVX-512 copy of a function for the one that an older processor calls.
#if !defined(CAROM_ISA)
#define CAROM_ISA portable
#endif
