#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <deque>
#include <thread>
#include <utility>
#include <vector>

#include "host/ranks/ranks.hpp"
#include "host/ranks/worker.hpp"

namespace carom {
namespace {

constexpr int tag = 1;
// A message is its size and then pieces of at most this size: MPI counts bytes in an int.
constexpr std::size_t piece_bytes = std::size_t{1} << 30;

/// Splits what the ranks of one machine may run on: a core that k of them may use counts 1/k.
int share_of_cores(MPI_Comm machine) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
  std::vector<int> users(CPU_SETSIZE, 0);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    users[static_cast<std::size_t>(core)] = CPU_ISSET(core, &allowed) ? 1 : 0;
  }
  const std::vector<int> own = users;
  MPI_Allreduce(MPI_IN_PLACE, users.data(), CPU_SETSIZE, MPI_INT, MPI_SUM, machine);
  double share = 0.0;
  for (std::size_t core = 0; core < users.size(); ++core) {
    if (own[core] != 0) share += 1.0 / users[core];
  }
  constexpr double rounding = 1e-6;
  return std::max(1, static_cast<int>(share + rounding));
}

Place find_place() {
  Place place;
  MPI_Comm_rank(MPI_COMM_WORLD, &place.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &place.size);
  MPI_Comm machine = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, place.rank, MPI_INFO_NULL, &machine);
  MPI_Comm_rank(machine, &place.local_rank);
  place.threads = share_of_cores(machine);
  MPI_Comm_free(&machine);
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  place.host = name.data();
  return place;
}

class MpiRanks : public Ranks {
 public:
  MpiRanks() : place_(find_place()) {}

  ~MpiRanks() override {
    flush();
    MPI_Finalize();
  }

  const Place& place() const override { return place_; }

  void send(int to, Bytes message) override {
    Parcel& parcel = parcels_.emplace_back();
    parcel.size = message.size();
    parcel.bytes = std::move(message);
    start(&parcel.size, sizeof parcel.size, to, parcel);
    for (std::size_t at = 0; at < parcel.size; at += piece_bytes) {
      start(&parcel.bytes[at], std::min(piece_bytes, parcel.bytes.size() - at), to, parcel);
    }
    move_on();
  }

  void flush() override {
    while (move_on()) std::this_thread::sleep_for(poll_interval);
  }

  std::optional<Message> receive() override {
    move_on();
    int arrived = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &arrived, &status);
    if (arrived == 0) return std::nullopt;
    Message message;
    message.from = status.MPI_SOURCE;
    std::uint64_t size = 0;
    take(&size, sizeof size, message.from);
    message.bytes.resize(size);
    for (std::size_t at = 0; at < size; at += piece_bytes) {
      take(&message.bytes[at], std::min(piece_bytes, message.bytes.size() - at), message.from);
    }
    return message;
  }

 private:
  /// A message under way; a deque keeps it where it is.
  struct Parcel {
    std::uint64_t size = 0;
    Bytes bytes;
    std::vector<MPI_Request> requests;
  };

  static void start(const void* data, std::size_t size, int to, Parcel& parcel) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(data, static_cast<int>(size), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request);
    parcel.requests.push_back(request);
  }

  static void take(void* data, std::size_t size, int from) {
    MPI_Recv(data, static_cast<int>(size), MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }

  /// Lets go of the oldest messages that have left; true while some are under way.
  bool move_on() {
    while (!parcels_.empty()) {
      std::vector<MPI_Request>& requests = parcels_.front().requests;
      int left = 0;
      MPI_Testall(static_cast<int>(requests.size()), requests.data(), &left, MPI_STATUSES_IGNORE);
      if (left == 0) return true;
      parcels_.pop_front();
    }
    return false;
  }

  Place place_;
  std::deque<Parcel> parcels_;
};

/// Whether a launcher of MPI programs started this process: without one, MPI is not touched, which
/// takes a tenth of a second and may fail.
bool launched() {
  constexpr std::array<const char*, 5> marks = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK",
                                                "PMI_SIZE", "MPI_LOCALNRANKS"};
  return std::any_of(marks.begin(), marks.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace

std::unique_ptr<Ranks> start_ranks(int& argc, char**& argv) {
  if (!launched()) return nullptr;
  int granted = 0;
  // The threads of a rank compute; one of them talks to MPI.
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  auto ranks = std::make_unique<MpiRanks>();
  if (ranks->place().size == 1) return nullptr;
  return ranks;
}

}  // namespace carom
