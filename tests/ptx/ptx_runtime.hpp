#pragma once

// What the C++ that translate_ptx.py writes is made of. Types have PTX's names.

#include <cstdint>
#include <iterator>
#include <vector>

namespace ptx {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
using b8 = u8;
using b16 = u16;
using b32 = u32;
using b64 = u64;
using f32 = float;
using f64 = double;
using pred = bool;

// Of each type, what is read and written anywhere, whatever its address, and what a register holds
// before it is written. Plain C: functions for this would take the compiler twice as long.
#define PTX_TYPE(type, bits)                                     \
  typedef type type##_at __attribute__((may_alias, aligned(1))); \
  constexpr type unset_##type = __builtin_bit_cast(type, bits)
PTX_TYPE(u8, u8{0xa5});
PTX_TYPE(u16, u16{0xa5a5});
PTX_TYPE(u32, 0xa5a5a5a5u);
PTX_TYPE(u64, 0xa5a5a5a5a5a5a5a5ul);
PTX_TYPE(s8, u8{0xa5});
PTX_TYPE(s16, u16{0xa5a5});
PTX_TYPE(s32, 0xa5a5a5a5u);
PTX_TYPE(s64, 0xa5a5a5a5a5a5a5a5ul);
PTX_TYPE(b8, u8{0xa5});
PTX_TYPE(b16, u16{0xa5a5});
PTX_TYPE(b32, 0xa5a5a5a5u);
PTX_TYPE(b64, 0xa5a5a5a5a5a5a5a5ul);
PTX_TYPE(f32, 0xa5a5a5a5u);
PTX_TYPE(f64, 0xa5a5a5a5a5a5a5a5ul);
PTX_TYPE(pred, true);

/// A translated function. @param parameter addresses of its parameters; @param result where its
/// result belongs, null if there is none
using Run = void (*)(const u8* const* parameter, u8* result);

struct Kernel {
  const void* host;  ///< the function that the host's compiler made of the same kernel, or null
  const char* name;
  Run run;
  const std::size_t* parameter_bytes;
  std::size_t parameters;
};

/// Of every translated module, by the translator.
struct Kernels {
  const Kernel* kernel;
  std::size_t count;
  int slips;  ///< how many fused products can be rounded twice
};
extern const Kernels all_kernels;

/// Which of the fused products that can be rounded twice is; -1: none.
extern int slip;

// Of the thread that runs.
u32 thread_index();
u32 block_index();
u32 block_size();
u32 grid_size();
u64 shared_memory();
u32 ballot(u32 mask, bool vote);
u32 match_any(u32 mask, u64 number);
void wait_for_warp(u32 mask);
/// @param clamp as of shfl; @param inside whether the lane asked for is one of the segment's
u32 shuffle_down(u32 mask, u32 number, u32 distance, u32 clamp, bool& inside);
u32 shuffle_index(u32 mask, u32 number, u32 lane, u32 clamp, bool& inside);
u32 shuffle_xor(u32 mask, u32 number, u32 other, u32 clamp, bool& inside);

#if defined(CAROM_COUNT_PTX)
/// A function of the thread that runs.
struct Function {
  const u32* instructions = nullptr;  ///< of each straight piece of its code
  std::vector<u64> pieces;            ///< how often each ran since the warp met last
  std::vector<u32> touched;           ///< those that ran

  void count(u32 piece) {
    if (pieces[piece]++ == 0) touched.push_back(piece);
  }
};
Function& function_of_lane(int function, const u32* instructions, std::size_t pieces);
/// @param site number of the access among all of its function
void touch(int function, int site, u64 address, u32 bytes, bool writes);
#define PTX_COUNTS(function, ...)                      \
  static constexpr u32 instructions[] = {__VA_ARGS__}; \
  Function& mine = function_of_lane(function, instructions, std::size(instructions))
#define PTX_PIECE(number) mine.count(number)
#define PTX_TOUCH(function, site, address, bytes, writes) \
  touch(function, site, address, bytes, writes)
#else
#define PTX_COUNTS(function, ...) static_cast<void>(0)
#define PTX_PIECE(number) static_cast<void>(0)
#define PTX_TOUCH(function, site, address, bytes, writes) static_cast<void>(0)
#endif

// Inlined even where nothing is optimised.
#define PTX_INLINE [[gnu::always_inline]] static inline

/// +0 is more than -0, and a number more than none.
template <class T>
PTX_INLINE T greater(T a, T b) {
  if (a != a) return b;
  if (a == b) return __builtin_signbit(a) ? b : a;
  return b > a ? b : a;
}
template <class T>
PTX_INLINE T lesser(T a, T b) {
  if (a != a) return b;
  if (a == b) return __builtin_signbit(a) ? a : b;
  return b < a ? b : a;
}
/// The integer part, or the nearest integer that T has; 0 of what is no number.
template <class T>
PTX_INLINE T cut(f64 number) {
  constexpr bool is_signed = T(-1) < T(0);
  constexpr int bits = static_cast<int>(8 * sizeof(T)) - (is_signed ? 1 : 0);
  constexpr T most = static_cast<T>(~u64{0} >> (64 - bits));
  const f64 beyond = __builtin_ldexp(1.0, bits);
  if (number != number) return 0;
  if (number >= beyond) return most;
  if (number <= (is_signed ? -beyond : 0.0)) return is_signed ? static_cast<T>(-most - 1) : T{0};
  return static_cast<T>(number);
}
/// `count` bits of a at `place` of b.
template <class T>
PTX_INLINE T put_bits(T a, T b, u32 place, u32 count) {
  constexpr u32 bits = 8 * sizeof(T);
  place &= 0xff;
  count &= 0xff;
  if (count == 0 || place >= bits) return b;
  const T mask = static_cast<T>((count >= bits ? ~T{0} : (T{1} << count) - 1) << place);
  return static_cast<T>((b & ~mask) | ((a << place) & mask));
}
template <class T>
PTX_INLINE T reverse_bits(T a) {
  T reversed = 0;
  for (u32 i = 0; i < 8 * sizeof(T); ++i) reversed = static_cast<T>(reversed << 1 | (a >> i & 1));
  return reversed;
}
/// Bytes of b and a, as four digits of `selection` say; a digit of 8 or more spreads its sign bit.
PTX_INLINE u32 permute_bytes(u32 a, u32 b, u32 selection) {
  const u64 all = u64{b} << 32 | a;
  u32 chosen = 0;
  for (int i = 0; i < 4; ++i) {
    const u32 digit = selection >> (4 * i) & 15;
    u32 byte = static_cast<u32>(all >> (8 * (digit & 7))) & 255;
    if (digit > 7) byte = byte > 127 ? 255 : 0;
    chosen |= byte << (8 * i);
  }
  return chosen;
}

}  // namespace ptx
