#pragma once

// Functions that run per trajectory are compiled for the host and, by nvcc, for the device.
// CAROM_VIEW_FUNCTION: small members of the plain views that the whole program shares. They are
// always inlined, for the reason given below. CAROM_HOT: functions that pass vectors in the
// innermost loop; a CPU inlines them. CAROM_ONE_COPY: large functions with several callers, of
// which a CPU has one copy for the compiler's sake. CAROM_OUT_OF_LINE: the same on a device, also
// for rare cases: inlined, they would add their registers to a kernel and minutes to its
// compilation. CAROM_INLINE_LAMBDA: after the parameters of a lambda inside a view function.
// CAROM_UNROLL: before a loop whose arrays a device keeps in registers.
#if defined(__CUDACC__)
#define CAROM_HOST_DEVICE __host__ __device__
#define CAROM_VIEW_FUNCTION __host__ __device__ __forceinline__
#define CAROM_HOT
#define CAROM_ONE_COPY
#define CAROM_OUT_OF_LINE __noinline__
#define CAROM_INLINE_LAMBDA
#else
#define CAROM_HOST_DEVICE
#define CAROM_VIEW_FUNCTION [[gnu::always_inline]]
#define CAROM_HOT [[gnu::always_inline]]
#define CAROM_ONE_COPY [[gnu::noinline, gnu::noclone]]
#define CAROM_OUT_OF_LINE
#define CAROM_INLINE_LAMBDA __attribute__((always_inline))
#endif
#if defined(__CUDA_ARCH__)
#define CAROM_UNROLL _Pragma("unroll")
#else
#define CAROM_UNROLL
#endif

// The CPU backend is compiled once per instruction set (see CMakeLists.txt). Every inline function
// of kernels/ is in an inline namespace named after the instruction set, so that the linker never
// uses an AVX-512 copy of a function on an older processor.
#if !defined(CAROM_ISA)
#define CAROM_ISA portable
#endif
