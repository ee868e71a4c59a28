#include <cuda_runtime_api.h>
#include <ucontext.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <vector>

#include "tests/emulated_cuda/device_memory.hpp"
#include "tests/emulated_cuda/emulated_device.hpp"

dim3 threadIdx;
dim3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace carom {
alignas(128) double shared_memory[emulated::shared_bytes / sizeof(double)];
}  // namespace carom

namespace emulated {
namespace {

Memory& memory() {
  static Memory all;
  return all;
}

std::set<std::pair<const unsigned char*, const unsigned char*>>& pinned() {
  static std::set<std::pair<const unsigned char*, const unsigned char*>> ranges;
  return ranges;
}

bool is_pinned(const void* address) {
  for (const auto& [begin, end] : pinned()) {
    if (address >= begin && address < end) return true;
  }
  return false;
}

/// The threads of one warp, each on a stack of its own.
class Warp {
 public:
  static constexpr unsigned lanes = 32;

  void run(unsigned first_thread, unsigned threads, const std::function<void()>& body) {
    body_ = &body;
    first_thread_ = first_thread;
    threads_ = threads;
    for (unsigned i = 0; i < threads; ++i) start(i);
    for (backward_ = false; std::count(ended_, ended_ + threads, false) > 0;
         backward_ = !backward_) {
      for (position_ = 0; position_ < threads_; ++position_) run_lane();
      if (std::count(ended_, ended_ + threads, true) == threads) break;
      check_exchange();
      if (when_met_ != nullptr) when_met_();
    }
  }

  const std::array<std::uint64_t, lanes>& exchange(const char* kind, unsigned mask,
                                                   std::uint64_t number) {
    if (mask != 0xffffffffu) fail("an exchange is not of the whole warp");
    const std::size_t turn = turn_[lane_]++ % 2;  // nobody is more than one exchange ahead
    given_[turn][lane_] = number;
    kind_[lane_] = kind;
    if (__builtin_setjmp(place_[lane_]) == 0) leave();
    return given_[turn];
  }

  unsigned lane() const { return lane_; }

  void (*when_met_)() = nullptr;

 private:
  /// Where a context was left. To go back there takes no system call, as swapcontext does, and a
  /// tenth of longjmp's time.
  using Place = void* [5];

  static void enter();
  /// Apart, since a function may not jump to a place of its own.
  [[gnu::noinline, noreturn]] static void go(Place& place) { __builtin_longjmp(place, 1); }

  /// The lane at position_ until it exchanges or ends, and those after it that have begun.
  [[gnu::noinline]] void run_lane() {
    if (!take_lane()) return;
    if (__builtin_setjmp(scheduler_place_) != 0) return;
    if (has_begun_[lane_]) go(place_[lane_]);
    has_begun_[lane_] = true;
    setcontext(&context_[lane_]);
  }
  /// False if the lane at position_ has ended.
  bool take_lane() {
    lane_ = backward_ ? threads_ - 1 - position_ : position_;
    threadIdx.x = first_thread_ + lane_;
    return !ended_[lane_];
  }
  /// From a lane to the next one.
  [[gnu::noinline, noreturn]] void leave() {
    if (position_ + 1 < threads_) {
      ++position_;
      if (take_lane() && has_begun_[lane_]) go(place_[lane_]);
      --position_;  // the scheduler starts it
    }
    go(scheduler_place_);
  }
  void start(unsigned lane) {
    has_begun_[lane] = false;
    ended_[lane] = false;
    turn_[lane] = 0;
    kind_[lane] = nullptr;
    getcontext(&context_[lane]);
    context_[lane].uc_stack.ss_sp = stacks_.get() + lane * stack_bytes;
    context_[lane].uc_stack.ss_size = stack_bytes;
    makecontext(&context_[lane], &Warp::enter, 0);
  }
  void check_exchange() const {
    if (threads_ != lanes) fail("a warp that is not whole exchanges");
    for (unsigned i = 0; i < lanes; ++i) {
      if (ended_[i]) fail("a lane has ended while others exchange");
      if (kind_[i] != kind_[0] || turn_[i] != turn_[0])
        fail("lanes of a warp exchange differently");
    }
  }

  const std::function<void()>* body_ = nullptr;
  unsigned first_thread_ = 0;
  unsigned threads_ = 0;
  unsigned lane_ = 0;
  bool has_begun_[lanes] = {};
  bool ended_[lanes] = {};
  std::size_t turn_[lanes] = {};
  const char* kind_[lanes] = {};
  std::array<std::uint64_t, lanes> given_[2] = {};
  bool backward_ = false;
  unsigned position_ = 0;  ///< of the lane that runs, in the order of this turn
  ucontext_t context_[lanes];
  Place scheduler_place_;
  Place place_[lanes];
  // Pages that nothing touches are none.
  std::unique_ptr<unsigned char[]> stacks_ =
      std::make_unique_for_overwrite<unsigned char[]>(lanes * stack_bytes);
};

Warp& warp() {
  static Warp only;
  return only;
}

FindTranslation find_translation = nullptr;
std::size_t shared_bytes_in_use = 0;
std::size_t most_shared = shared_bytes;

void Warp::enter() {
  Warp& self = warp();
  (*self.body_)();
  self.ended_[self.lane_] = true;
  self.leave();
}

}  // namespace

const std::array<std::uint64_t, 32>& exchange_in_warp(const char* kind, unsigned mask,
                                                      std::uint64_t number) {
  return warp().exchange(kind, mask, number);
}
unsigned lane() { return warp().lane(); }
std::size_t limit_shared_memory(std::size_t bytes) { return std::exchange(most_shared, bytes); }
std::size_t most_shared_bytes() { return most_shared; }
std::size_t shared_bytes_of_block() { return shared_bytes_in_use; }
void when_a_warp_meets(void (*met)()) { warp().when_met_ = met; }

void take_translations(FindTranslation find) { find_translation = find; }
Translation translation_of(const void* kernel, std::span<const std::size_t> bytes) {
  return find_translation == nullptr ? Translation() : find_translation(kernel, bytes);
}

std::size_t limit_memory(std::size_t bytes) { return std::exchange(memory().limit_, bytes); }
std::size_t memory_in_use() { return memory().in_use_; }
std::size_t bytes_sent() { return memory().sent_; }

}  // namespace emulated

struct EmulatedEvent {
  std::chrono::steady_clock::time_point passed;
  bool has_passed = false;
};

struct EmulatedStream {
  std::deque<std::function<void()>> waiting;

  void run() {
    emulated::memory().open(true);
    while (!waiting.empty()) {
      waiting.front()();
      waiting.pop_front();
    }
    emulated::memory().open(false);
  }
};

namespace emulated {
namespace {

/// What is put on the null stream. Streams of the library do not wait for it.
EmulatedStream& null_stream() {
  static EmulatedStream stream;
  return stream;
}

std::set<EmulatedStream*>& streams() {
  static std::set<EmulatedStream*> all{&null_stream()};
  return all;
}

EmulatedStream& stream_of(cudaStream_t handle) {
  return handle == nullptr ? null_stream() : *handle;
}

void copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const void* const device_side = kind == cudaMemcpyHostToDevice ? to : from;
  const void* const host_side = kind == cudaMemcpyHostToDevice ? from : to;
  if (!memory().has(device_side, bytes)) fail("a copy leaves the device's memory");
  if (memory().has(host_side, 1)) fail("a copy's host side is on the device");
  if (kind == cudaMemcpyHostToDevice) memory().sent_ += bytes;
  std::memcpy(to, from, bytes);
}

}  // namespace

void enqueue_kernel(cudaStream_t stream, unsigned blocks, unsigned threads,
                    std::size_t its_shared_bytes, std::function<void()> thread) {
  if (blocks == 0 || threads == 0 || threads > 1024) fail("a kernel has no valid grid");
  if (its_shared_bytes > most_shared) fail("a kernel asks for too much shared memory");
  stream_of(stream).waiting.push_back([=, thread = std::move(thread)] {
    gridDim = {blocks, 1, 1};
    blockDim = {threads, 1, 1};
    shared_bytes_in_use = its_shared_bytes;
    for (unsigned block = 0; block < blocks; ++block) {
      blockIdx = {block, 0, 0};
      constexpr unsigned char garbage = 0xa5;
      auto* const shared = reinterpret_cast<unsigned char*>(carom::shared_memory);
      std::memset(shared, garbage, shared_bytes);
      for (unsigned first = 0; first < threads; first += Warp::lanes) {
        warp().run(first, std::min(threads - first, Warp::lanes), thread);
      }
      if (std::any_of(shared + its_shared_bytes, shared + shared_bytes,
                      [](unsigned char byte) { return byte != garbage; }))
        fail("a block writes beyond its shared memory");
    }
  });
}

}  // namespace emulated

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorMemoryAllocation ? "out of memory" : "invalid argument";
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return device == 0 ? cudaSuccess : cudaErrorInvalidValue; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {"emulated device", 9, 0};
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  *value = attribute == cudaDevAttrMultiProcessorCount
               ? 1
               : static_cast<int>(emulated::most_shared_bytes());
  return cudaSuccess;
}
cudaError_t cudaDeviceSynchronize() {
  for (EmulatedStream* stream : emulated::streams()) stream->run();
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** memory, std::size_t bytes) {
  *memory = emulated::memory().allocate(bytes);
  return *memory == nullptr ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaFree(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  cudaDeviceSynchronize();  // as CUDA does
  emulated::memory().free(memory);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** memory, std::size_t bytes) {
  *memory = std::malloc(bytes);
  const auto* const begin = static_cast<const unsigned char*>(*memory);
  emulated::pinned().insert({begin, begin + bytes});
  return cudaSuccess;
}
cudaError_t cudaFreeHost(void* memory) {
  if (memory == nullptr) return cudaSuccess;
  cudaDeviceSynchronize();
  for (auto range = emulated::pinned().begin(); range != emulated::pinned().end(); ++range) {
    if (range->first != memory) continue;
    emulated::pinned().erase(range);
    break;
  }
  std::free(memory);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  emulated::null_stream().run();  // waits for no other stream: ours do not block it
  emulated::memory().open(true);
  emulated::copy(to, from, bytes, kind);
  emulated::memory().open(false);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  const void* const host_side = kind == cudaMemcpyHostToDevice ? from : to;
  if (emulated::is_pinned(host_side)) {
    emulated::stream_of(stream).waiting.push_back([=] { emulated::copy(to, from, bytes, kind); });
  } else if (kind == cudaMemcpyHostToDevice) {  // CUDA has a copy of it when it returns
    const auto* const begin = static_cast<const unsigned char*>(from);
    emulated::stream_of(stream).waiting.push_back(
        [to, bytes, staged = std::vector(begin, begin + bytes)] {
          emulated::copy(to, staged.data(), bytes, cudaMemcpyHostToDevice);
        });
  } else {  // CUDA has made it when it returns
    emulated::stream_of(stream).waiting.push_back([=] { emulated::copy(to, from, bytes, kind); });
    emulated::stream_of(stream).run();
  }
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* memory, int value, std::size_t bytes, cudaStream_t stream) {
  emulated::stream_of(stream).waiting.push_back([=] {
    if (!emulated::memory().has(memory, bytes)) emulated::fail("a memset leaves its memory");
    std::memset(memory, value, bytes);
  });
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned) {
  *stream = new EmulatedStream;
  emulated::streams().insert(*stream);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  emulated::stream_of(stream).run();
  emulated::streams().erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  emulated::stream_of(stream).run();
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new EmulatedEvent;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  cudaDeviceSynchronize();  // it may be on a stream still
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  event->has_passed = false;
  emulated::stream_of(stream).waiting.push_back([event] {
    event->passed = std::chrono::steady_clock::now();
    event->has_passed = true;
  });
  return cudaSuccess;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  if (!start->has_passed || !end->has_passed) emulated::fail("an event is read before it passed");
  *milliseconds = std::chrono::duration<float, std::milli>(end->passed - start->passed).count();
  return cudaSuccess;
}
