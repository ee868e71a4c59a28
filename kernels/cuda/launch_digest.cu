#include "kernels/launch/launch_digest.hpp"

#include <algorithm>

#include "kernels/cuda/device_stream.hpp"
#include "kernels/cuda/digest_kernels.hpp"
#include "kernels/cuda/start_kernel.hpp"
#include "kernels/launch/launch_digest_words.hpp"

namespace carom {

namespace {

constexpr int block_threads = 256;
/// Provides memory for `count` entries; the old entries are lost.
template <class T>
void make_room(DeviceBuffer<T>& buffer, std::size_t count) {
  if (buffer.count() >= count) return;
  buffer = {};  // freed before the new allocation
  buffer = DeviceBuffer<T>(count);
}

template <class T>
void upload(DeviceBuffer<T>& to, const T* from, std::size_t count, const Stream& stream) {
  make_room(to, count);
  if (count == 0) return;
  CAROM_CUDA_CHECK(
      cudaMemcpyAsync(to.data(), from, count * sizeof(T), cudaMemcpyHostToDevice, stream.handle));
}

template <class T>
void download(T* to, const T* from, std::size_t count, const Stream& stream) {
  if (count == 0) return;
  CAROM_CUDA_CHECK(
      cudaMemcpyAsync(to, from, count * sizeof(T), cudaMemcpyDeviceToHost, stream.handle));
}

void wait_for(const Stream& stream) { CAROM_CUDA_CHECK(cudaStreamSynchronize(stream.handle)); }

}  // namespace

struct DeviceDigester::State {
  DeviceBuffer<double> contact_rows;
  DeviceBuffer<double> metric;
  DeviceBuffer<double> members;
  std::uint64_t members_version = 0;  ///< of metric and members; 0: none
  DeviceBuffer<std::uint64_t> words;
  DeviceBuffer<std::uint64_t> listed{1};  ///< rows on the list
  DeviceBuffer<ModeCount> modes;
  DeviceBuffer<std::uint32_t> list;
  DeviceBuffer<double> gathered;
  unsigned most_blocks = 0;
  Event start;
  Event end;

  explicit State(std::size_t rows) : list(rows) {
    // Load the kernels now: later there may be no memory for them.
    cudaFuncAttributes attributes;
    CAROM_CUDA_CHECK(cudaFuncGetAttributes(&attributes, digest_kernel));
    CAROM_CUDA_CHECK(cudaFuncGetAttributes(&attributes, list_open_kernel));
    CAROM_CUDA_CHECK(cudaFuncGetAttributes(&attributes, gather_kernel));
    int device = 0;
    int processors = 0;
    CAROM_CUDA_CHECK(cudaGetDevice(&device));
    CAROM_CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    constexpr unsigned blocks_per_processor = 8;  // of 256 threads: the most that fit
    most_blocks = static_cast<unsigned>(processors) * blocks_per_processor;
  }

  unsigned blocks(std::uint64_t threads) const {
    const std::uint64_t wanted = (threads + block_threads - 1) / block_threads;
    return static_cast<unsigned>(std::min<std::uint64_t>(wanted, most_blocks));
  }

  /// The plan with pointers to its arrays on the device.
  DigestPlan on_device(const DigestPlan& plan, const Stream& stream) {
    const auto nv = static_cast<std::size_t>(plan.shape.velocities);
    DigestPlan copy = plan;
    upload(contact_rows, plan.contact_rows, static_cast<std::size_t>(plan.shape.impulses()) * nv,
           stream);
    copy.contact_rows = contact_rows.data();
    send_members(plan.members, nv, stream);
    if (plan.members.metric != nullptr) copy.members.metric = metric.data();
    copy.members.point = members.data();
    return copy;
  }

  /// The net is often that of the previous slice, which is on the device already.
  void send_members(const NetMembers& wanted, std::size_t nv, const Stream& stream) {
    if (wanted.version != 0 && wanted.version == members_version) return;
    members_version = 0;  // until all arrays are sent
    upload(metric, wanted.metric, wanted.metric == nullptr ? 0 : nv * nv, stream);
    upload(members, wanted.point, wanted.size * nv, stream);
    members_version = wanted.version;
  }

  /// Counts and lists rows; computes the whole digest except the velocities.
  RowDigest count(const SampleView& rows, std::uint64_t first, std::uint64_t count,
                  const DigestPlan& plan, const Stream& stream) {
    const DigestPlan device_plan = on_device(plan, stream);
    DigestWords here(plan);
    upload(words, here.words().data(), here.words().size(), stream);
    upload(modes, here.modes().data(), here.modes().size(), stream);
    CAROM_CUDA_CHECK(cudaMemsetAsync(listed.data(), 0, listed.bytes(), stream.handle));

    start.record(stream);
    start_kernel(digest_kernel, {blocks(count), block_threads}, stream, device_plan, rows, first,
                 count, here.totals(words.data(), modes.data()));
    start_kernel(list_open_kernel, {blocks(count), block_threads}, stream, device_plan, rows, count,
                 list.data(), listed.data());
    end.record(stream);
    download(here.words().data(), words.data(), here.words().size(), stream);
    download(here.modes().data(), modes.data(), here.modes().size(), stream);
    std::uint64_t open = 0;
    download(&open, listed.data(), 1, stream);
    wait_for(stream);
    RowDigest result = here.read();
    result.open = open;
    result.rows = count;
    result.digest_seconds = end.seconds_since(start);
    return result;
  }

  /// Fetches the listed rows, their velocities and the velocity of each mode's first row.
  void fetch_rows(const SampleView& rows, std::size_t nv, RowDigest& result, const Stream& stream) {
    std::vector<std::uint32_t> wanted(result.open);
    download(wanted.data(), list.data(), wanted.size(), stream);
    wait_for(stream);
    std::sort(wanted.begin(), wanted.end());  // the order of the list differs from run to run
    result.open_row.assign(wanted.begin(), wanted.end());
    for (const RowDigest::Mode& mode : result.modes) {
      wanted.push_back(static_cast<std::uint32_t>(mode.first_row));
    }
    result.open_velocity = gather(rows.velocity, nv, wanted, stream);
    const auto of_modes =
        result.open_velocity.begin() + static_cast<std::ptrdiff_t>(result.open * nv);
    result.mode_velocity.assign(of_modes, result.open_velocity.end());
    result.open_velocity.erase(of_modes, result.open_velocity.end());
  }

  /// Velocities of rows, in their order.
  std::vector<double> gather(const double* velocity, std::size_t nv,
                             const std::vector<std::uint32_t>& wanted, const Stream& stream) {
    std::vector<double> found(wanted.size() * nv);
    if (wanted.empty()) return found;
    upload(list, wanted.data(), wanted.size(), stream);
    make_room(gathered, found.size());
    start_kernel(gather_kernel, {blocks(found.size()), block_threads}, stream, velocity,
                 static_cast<int>(nv), list.data(), wanted.size(), gathered.data());
    download(found.data(), gathered.data(), found.size(), stream);
    wait_for(stream);
    return found;
  }
};

DeviceDigester::DeviceDigester(std::size_t rows) : state_(std::make_unique<State>(rows)) {}
DeviceDigester::~DeviceDigester() = default;

RowDigest DeviceDigester::digest(const SampleView& rows, std::uint64_t first, std::uint64_t count,
                                 const DigestPlan& plan, bool with_velocities,
                                 const Stream& stream) {
  RowDigest result = state_->count(rows, first, count, plan, stream);
  if (with_velocities && result.whole) {
    state_->fetch_rows(rows, static_cast<std::size_t>(plan.shape.velocities), result, stream);
  }
  return result;
}

}  // namespace carom
