#include "host/families/member_sampler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "carom/error.hpp"
#include "carom/roll_io.hpp"
#include "carom/sampler.hpp"
#include "host/laws/law_list.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/launch/launch.hpp"

namespace carom {
namespace {

std::string shape_text(const ImpactProblem& p) {
  return fmt::format("{} contacts in {} dimensions, {} velocities, {} friction directions",
                     p.contacts(), p.tangent_dimension() + 1, p.velocities(),
                     p.friction_directions);
}

ReadMember read_member(const FamilySpec& spec, std::uint64_t number, bool impacts_only) {
  const ProblemFamily& family = spec.family;
  FamilyMember found = family.member(number, impacts_only);
  ReadMember member{.member = number, .refusal = std::move(found.refusal)};
  if (!found.scenario) return member;
  if (!has_impact(*found.scenario)) {
    member.refusal = found.scenario->no_impact;
    return member;
  }
  member.problem = std::move(found.scenario->problem);
  member.outputs = std::move(found.scenario->evidence.outputs);
  const std::string shape = shape_text(member.problem);
  const std::string wanted = shape_text(family.base().problem);
  if (shape != wanted) {
    member.refusal = fmt::format("{}: has {} (must have {}, as the scenario itself)",
                                 family.description(number), shape, wanted);
    return member;
  }
  member.refusal = law_refusal(spec, number, member.problem);
  member.other_contacts = member.problem.contact_names != family.base().problem.contact_names;
  return member;
}

/// @param alone whether no other member is rolled at the time
RolledMember roll_member(const FamilySpec& spec, std::uint64_t number, bool alone,
                         const SampleObserver& observer) {
  FamilyMember found = spec.family.member(number, false);
  RolledMember member{.member = number, .refusal = std::move(found.refusal)};
  if (!found.scenario) return member;
  Scenario& scenario = *found.scenario;
  scenario.sampling = spec.sampling;
  scenario.sampling.problem_id += static_cast<std::uint32_t>(number);
  if (!alone) {
    scenario.sampling.threads = 1;
    // Too few for a device.
    if (scenario.sampling.backend == Backend::automatic) scenario.sampling.backend = Backend::cpu;
  }
  try {
    member.rollouts = roll(scenario, *scenario.roll, observer);
  } catch (const InputError& error) {
    member.refusal = fmt::format("{}: {}", spec.family.description(number), error.what());
  }
  return member;
}

/// @throws InputError if a member is refused and the specification does not allow skipping
template <class Member>
void allow_refusals(const FamilySpec& spec, const std::vector<Member>& members) {
  for (const Member& member : members) {
    if (member.refusal.empty() || spec.family.options().invalid == InvalidMembers::skip) continue;
    throw InputError(fmt::format("{}: {}; invalid = \"skip\" leaves such members out",
                                 spec.family.source(), member.refusal));
  }
}

}  // namespace

std::string law_refusal(const FamilySpec& spec, std::uint64_t number,
                        const ImpactProblem& problem) {
  try {
    validate(spec.sampling.law, problem);
    return "";
  } catch (const InputError& error) {
    return fmt::format("{}: {}", spec.family.description(number), error.what());
  }
}

MemberSampler::MemberSampler(const FamilySpec& spec)
    : spec_(spec), arena_(usable_threads(spec.sampling.threads)) {}

std::vector<ReadMember> MemberSampler::read(std::uint64_t first, std::uint64_t count,
                                            bool impacts_only) {
  std::vector<ReadMember> members(count);
  in_parallel(count,
              [&](std::size_t i) { members[i] = read_member(spec_, first + i, impacts_only); });
  allow_refusals(spec_, members);
  return members;
}

std::vector<RolledMember> MemberSampler::roll(std::uint64_t first, std::uint64_t count,
                                              const std::function<bool()>& goes_on) {
  std::vector<RolledMember> members(count);
  const bool alone = count == 1;
  const SampleObserver observer = [&](std::uint64_t, std::uint64_t) {
    return !alone || !goes_on || goes_on();
  };
  in_parallel(count,
              [&](std::size_t i) { members[i] = roll_member(spec_, first + i, alone, observer); });
  for (const RolledMember& member : members) {
    if (!member.rollouts.complete) return {};
  }
  if (goes_on && !goes_on()) return {};
  allow_refusals(spec_, members);
  return members;
}

bool MemberSampler::sample(const std::vector<ReadMember>& members,
                           const std::function<bool()>& goes_on, const AddRows& add) {
  // The problems of a launch have consecutive numbers: a skipped member ends the launch.
  for (std::size_t begin = 0; begin < members.size();) {
    std::vector<ImpactProblem> problems;
    for (std::size_t i = begin; i < members.size() && members[i].refusal.empty(); ++i) {
      problems.push_back(members[i].problem);
    }
    std::span<const ImpactProblem> left = problems;
    while (!left.empty()) {
      const std::size_t count = count_alike(left, spec_.sampling.law);
      if (!sample(left.first(count), members[begin].member, begin, goes_on, add)) return false;
      left = left.subspan(count);
      begin += count;
    }
    ++begin;
  }
  return true;
}

bool MemberSampler::sample(std::span<const ImpactProblem> problems, std::uint64_t member,
                           std::size_t begin, const std::function<bool()>& goes_on,
                           const AddRows& add) {
  SamplingOptions options = spec_.sampling;
  options.problem_id += static_cast<std::uint32_t>(member);
  const Sampler sampler(problems, options);
  const std::uint64_t trajectories = options.trajectories;
  const std::uint64_t all = trajectories * problems.size();
  bool stopped = false;
  const auto observer = [&](std::uint64_t, std::uint64_t) {
    stopped = stopped || (goes_on && !goes_on());
    return !stopped;
  };
  SampleSet samples;
  for (std::uint64_t first = 0; first < all; first += samples.size()) {
    sampler.sample(first, std::min(rows_at_once, all - first), samples, observer);
    const std::uint64_t last = first + samples.size();
    const std::uint64_t problem = first / trajectories;
    in_parallel((last - 1) / trajectories - problem + 1, [&](std::size_t i) {
      const std::uint64_t start = (problem + i) * trajectories;
      const std::uint64_t from = std::max(start, first);
      const std::uint64_t to = std::min(start + trajectories, last);
      add(begin + problem + i, samples, from - first, to - first, from - start);
    });
    if (stopped) return false;
  }
  return true;
}

}  // namespace carom
