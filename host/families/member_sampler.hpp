#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "carom/problem_family.hpp"
#include "carom/sample_set.hpp"

namespace carom {

/// A member of a family on its way to be sampled.
struct ReadMember {
  std::uint64_t member = 0;
  ImpactProblem problem = {};
  std::string refusal = {};  ///< empty: `problem` is valid
};

/// Told rows [begin, end) of `samples`, which are trajectories `first`, ... of member number `at`
/// of those that were given. Members are told of side by side, each in the order of its
/// trajectories.
using AddRows = std::function<void(std::size_t at, const SampleSet& samples, std::size_t begin,
                                   std::size_t end, std::uint64_t first)>;

/// Samples members of a family: each is what a run of its own would be.
class MemberSampler {
 public:
  /// @param spec it lives as long as this
  explicit MemberSampler(const FamilySpec& spec);

  /// Members [first, first + count).
  /// @param impacts_only refuses those where no contact approaches
  /// @throws InputError if one is refused and none may be left out
  std::vector<ReadMember> read(std::uint64_t first, std::uint64_t count, bool impacts_only);
  /// All trajectories of those that are not refused; holds the rows of 2^17 trajectories at a time.
  /// @param goes_on asked now and then; false stops, and false is returned then
  bool sample(const std::vector<ReadMember>& members, const std::function<bool()>& goes_on,
              const AddRows& add);

  /// Calls work(0) ... work(count - 1) on the threads of the specification.
  template <class Work>
  void in_parallel(std::size_t count, const Work& work) {
    arena_.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, work); });
  }

  static constexpr std::uint64_t rows_at_once = std::uint64_t{1} << 17;

 private:
  bool sample(const std::vector<ReadMember>& members, std::size_t begin, std::size_t end,
              const std::function<bool()>& goes_on, const AddRows& add);

  const FamilySpec& spec_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace carom
