#include <mpi.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>
#include <vector>

#include "host/base/interrupt.hpp"
#include "host/ranks/ranks.hpp"

namespace carom {
namespace {

/// Divides the cores of a machine among its ranks: a core that k ranks may use counts 1/k for each.
int share_of_cores(MPI_Comm machine) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(0, sizeof allowed, &allowed);  // on failure: no cores, but all ranks continue
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
  return place;
}

/// Waits until `done` returns true, with few wake-ups and a delay well below a slice's time.
template <class Done>
void wait_until(const Done& done) {
  while (!done()) std::this_thread::sleep_for(std::chrono::microseconds(100));
}

bool is_done(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

/// MPI counts with an int, so messages are counted in pieces of this many bytes.
constexpr std::size_t piece_bytes = 64;

int pieces(std::size_t bytes) { return static_cast<int>((bytes + piece_bytes - 1) / piece_bytes); }

/// A gathering in progress: first of sizes, then of bytes.
class Gathering {
 public:
  Gathering(Bytes bytes, const Place& place, MPI_Datatype piece)
      : place_(place), piece_(piece), size_(bytes.size()), bytes_(std::move(bytes)) {
    bytes_.resize(static_cast<std::size_t>(pieces(size_)) * piece_bytes);
    sizes_.resize(static_cast<std::size_t>(place.size));
    MPI_Igather(&size_, 1, MPI_UINT64_T, sizes_.data(), 1, MPI_UINT64_T, 0, MPI_COMM_WORLD,
                &request_);
  }

  bool is_done() {
    if (!carom::is_done(request_)) return false;
    if (!std::exchange(sized_, true)) start_bytes();
    return carom::is_done(request_);
  }

  /// The bytes of each rank, on rank 0.
  std::vector<Bytes> results() const {
    std::vector<Bytes> results;
    for (std::size_t rank = 0; place_.rank == 0 && rank < sizes_.size(); ++rank) {
      const std::byte* const first =
          all_.data() + piece_bytes * static_cast<std::size_t>(at_[rank]);
      results.emplace_back(first, first + sizes_[rank]);
    }
    return results;
  }

 private:
  void start_bytes() {
    int end = 0;
    for (std::size_t rank = 0; place_.rank == 0 && rank < sizes_.size(); ++rank) {
      at_.push_back(end);
      counts_.push_back(pieces(sizes_[rank]));
      end += counts_.back();
    }
    all_.resize(static_cast<std::size_t>(end) * piece_bytes);
    MPI_Igatherv(bytes_.data(), pieces(size_), piece_, all_.data(), counts_.data(), at_.data(),
                 piece_, 0, MPI_COMM_WORLD, &request_);
  }

  const Place& place_;
  MPI_Datatype piece_;
  std::uint64_t size_;
  Bytes bytes_;
  std::vector<std::uint64_t> sizes_;
  bool sized_ = false;
  std::vector<int> counts_, at_;  // in pieces
  Bytes all_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

class MpiRanks : public Ranks {
 public:
  MpiRanks() : place_(find_place()) {
    MPI_Type_contiguous(piece_bytes, MPI_BYTE, &piece_);
    MPI_Type_commit(&piece_);
  }

  ~MpiRanks() override {
    MPI_Type_free(&piece_);
    MPI_Finalize();
  }

  const Place& place() const override { return place_; }

  void broadcast(Bytes& bytes) override {
    finish_gathering();
    std::uint64_t size = bytes.size();
    broadcast(&size, 1, MPI_UINT64_T);
    bytes.resize(static_cast<std::size_t>(pieces(size)) * piece_bytes);
    broadcast(bytes.data(), pieces(size), piece_);
    bytes.resize(size);
  }

  std::optional<std::vector<Bytes>> gather(Bytes bytes) override {
    gathering_ = std::make_unique<Gathering>(std::move(bytes), place_, piece_);
    wait_until([&] { return gathering_->is_done() || (place_.rank == 0 && interrupted()); });
    if (!gathering_->is_done()) return std::nullopt;
    return std::exchange(gathering_, nullptr)->results();
  }

 private:
  static void broadcast(void* data, int count, MPI_Datatype type) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(data, count, type, 0, MPI_COMM_WORLD, &request);
    wait_until([&] { return is_done(request); });
  }

  /// Receives and drops the late answers of a gathering that rank 0 abandoned.
  void finish_gathering() {
    if (gathering_) wait_until([&] { return gathering_->is_done(); });
    gathering_ = nullptr;
  }

  Place place_;
  MPI_Datatype piece_ = MPI_DATATYPE_NULL;
  std::unique_ptr<Gathering> gathering_;
};

/// Whether a launcher of MPI programs started this process: without a launcher, MPI is not
/// initialised, since that takes a tenth of a second and may fail.
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
  // The threads of a rank compute; only one of them calls MPI.
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &granted);
  auto ranks = std::make_unique<MpiRanks>();
  if (ranks->place().size == 1) return nullptr;
  return ranks;
}

}  // namespace carom
