#pragma once

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "carom/problem_family.hpp"
#include "carom/roll.hpp"
#include "carom/sample_set.hpp"

namespace carom {

/// A member of a family before its sampling.
struct ReadMember {
  std::uint64_t member = 0;
  ImpactProblem problem = {};
  Outputs outputs = {};         ///< of its scenario
  std::string refusal = {};     ///< empty: `problem` is valid
  bool other_contacts = false;  ///< whether these are not the contacts of the scenario itself
};

/// The rollouts of a member.
struct RolledMember {
  std::uint64_t member = 0;
  Rollouts rollouts = {};
  std::string refusal = {};  ///< empty: `rollouts` are valid
};

/// Why the law can not take a member's problem, with the member's number and values; empty if it
/// can.
std::string law_refusal(const FamilySpec& spec, std::uint64_t number, const ImpactProblem& problem);

/// Called with rows [begin, end) of `samples`, which are trajectories `first`, ... of entry `at` of
/// the given members. Calls for different members can be concurrent; those for one member are in
/// the order of its trajectories.
using AddRows = std::function<void(std::size_t at, const SampleSet& samples, std::size_t begin,
                                   std::size_t end, std::uint64_t first)>;

/// Samples members of a family: each gives the result of a separate run.
class MemberSampler {
 public:
  /// @param spec must outlive this object
  explicit MemberSampler(const FamilySpec& spec);

  /// Members [first, first + count).
  /// @param impacts_only refuses members where no contact approaches
  /// @throws InputError if a member is refused and the specification does not allow skipping
  std::vector<ReadMember> read(std::uint64_t first, std::uint64_t count, bool impacts_only);
  /// Samples all trajectories of the members that are not refused; memory holds the rows of 2^17
  /// trajectories at a time.
  /// @param goes_on called from time to time; if it returns false, the call stops, gives `add` the
  /// rows that are sampled and returns false
  bool sample(const std::vector<ReadMember>& members, const std::function<bool()>& goes_on,
              const AddRows& add);

  /// Rolls members [first, first + count) out, each as [roll] of its scenario says.
  /// @param goes_on may be called from time to time; if it returns false, no member is returned
  /// @throws InputError as read()
  std::vector<RolledMember> roll(std::uint64_t first, std::uint64_t count,
                                 const std::function<bool()>& goes_on);

  /// Calls work(0) ... work(count - 1) on the threads of the specification.
  template <class Work>
  void in_parallel(std::size_t count, const Work& work) {
    arena_.execute([&] { oneapi::tbb::parallel_for(std::size_t{0}, count, work); });
  }

  static constexpr std::uint64_t rows_at_once = std::uint64_t{1} << 17;

 private:
  /// Samples problems of consecutive members. @param begin the place of the first one, for `add`
  bool sample(std::span<const ImpactProblem> problems, std::uint64_t member, std::size_t begin,
              const std::function<bool()>& goes_on, const AddRows& add);

  const FamilySpec& spec_;
  oneapi::tbb::task_arena arena_;
};

}  // namespace carom
