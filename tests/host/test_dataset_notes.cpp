#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "carom/dataset.hpp"
#include "carom/error.hpp"
#include "carom/sampler.hpp"
#include "carom/summary.hpp"
#include "tests/support/dataset_files.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

using testing::HasSubstr;
using namespace test;

class DatasetNotes : public DatasetFolders {};

/// A net that is cut must not be taken for a whole one.
TEST_F(DatasetNotes, TellsOfNetsThatAreCut) {
  std::string text = replaced(small_dataset, "choice = \"iid\"", "choice = \"net\"");
  text = replaced(text, "per_problem = 8", "per_problem = 2");
  const DatasetSummary summary = generate_dataset(read(text), at("cut"));
  std::uint64_t cut = 0;
  for (std::uint64_t number = 0; number < 4; ++number) {
    for (const std::uint64_t size :
         Shard(at("cut"), number).get<std::uint64_t>("problems/net_members")) {
      cut += size > 2 ? 1 : 0;
    }
  }
  ASSERT_GT(cut, 0U);
  const auto told = std::ranges::find_if(
      summary.notes, [](const FamilyNote& its) { return its.note.code == "cut_net"; });
  ASSERT_NE(told, summary.notes.end());
  EXPECT_EQ(told->members, cut);
  EXPECT_THAT(told->note.text, HasSubstr("2 of the net's "));
}

/// What carom sample tells of a member, the data set tells, too.
TEST_F(DatasetNotes, TellsNotesOnItsMembers) {
  std::ofstream(at("tripod.toml")) << R"(system = "matrices"
[problem]
mass_matrix = [[2, 0, 0], [0, 2, 0], [0, 0, 0.05]]
normal_jacobian = [[0, 1, -0.2], [0, 1, 0], [0, 1, 0.2]]
tangent_jacobian = [[1, 0, 0.3], [1, 0, 0.3], [1, 0, 0.3]]
friction = 0.5
restitution = 1.0
pre_impact_velocity = [-0.26084, -0.461168, 2.15302]
)";
  const std::string text = R"(scenario = "tripod.toml"
[axes]
"problem.pre_impact_velocity[2]" = {values = [0.0, 1.0, 2.15302]}
[law]
name = "plus"
[sampling]
trajectories = 8
termination_tolerance = 0.01
[outcomes]
per_problem = 8
)";
  const DatasetSpec spec = read(text);
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  std::map<std::string, std::uint64_t> wanted;
  for (std::uint64_t member = 0; member < spec.family.size(); ++member) {
    const ImpactProblem problem = spec.family.scenario(member).problem;
    SamplingOptions options = spec.sampling;
    options.problem_id += static_cast<std::uint32_t>(member);
    const Summary found = summarize(problem, sample(problem, options));
    wanted["energy_gain"] += found.energy.greatest > (1.0 + 1e-9) * found.energy_before ? 1 : 0;
    for (const Note& note : notes(problem, options)) ++wanted[note.code];
  }
  EXPECT_GT(wanted["energy_gain"], 0U);
  EXPECT_GT(wanted["coarse_termination"], 0U);
  std::map<std::string, std::uint64_t> told;
  for (const FamilyNote& its : summary.notes) told[its.note.code] = its.members;
  for (const auto& [code, members] : wanted) EXPECT_EQ(told[code], members) << code;
  const Shard shard(at("set"), 0);
  EXPECT_EQ(shard.get<std::uint64_t>("notes/member").size(),
            shard.get<std::uint32_t>("notes/which").size());
  EXPECT_THAT(shard.get_strings("notes/code"), testing::Contains("coarse_termination"));
}

/// Shards that are finished are those of a run that may skip.
TEST_F(DatasetNotes, GoesOnWithSkippingAfterAnInvalidMember) {
  const std::string text =
      replaced(replaced(small_dataset, "{min = 20.0, max = 80.0}", "{values = [30, 40, 50, 95]}"),
               "problems = 10", "problems = 3");
  const DatasetSpec strict = read(text);
  EXPECT_THROW(generate_dataset(strict, at("set")), InputError);
  ASSERT_TRUE(std::filesystem::exists(at("set") / shard_name(0)));
  const DatasetSpec skips = read("invalid = \"skip\"\n" + text);
  const DatasetSummary summary = generate_dataset(skips, at("set"));
  EXPECT_GT(summary.skipped, 0U);
  generate_dataset(skips, at("whole"));
  EXPECT_EQ(bytes_of(at("set")), bytes_of(at("whole")));
  EXPECT_THAT(test::refusal([&] { generate_dataset(strict, at("set")); }),
              HasSubstr("invalid members"));
}

TEST_F(DatasetNotes, HasTheRestitutionOfEachProblem) {
  const std::string text =  // of a system whose scenario states none
      "scenario = \"compass_gait\"\n[axes]\n\"problem.restitution\" = {values = [0.0, 0.4]}\n"
      "[sampling]\ntrajectories = 4\n[outcomes]\nper_problem = 4\n";
  generate_dataset(read(text), at("bouncing"));
  EXPECT_THAT(Shard(at("bouncing"), 0).get<double>("problems/restitution"),
              testing::ElementsAre(0.0, 0.0, 0.4, 0.4));
}

}  // namespace
}  // namespace carom
