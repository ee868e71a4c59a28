#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "carom/dataset.hpp"
#include "carom/epsilon_net.hpp"
#include "carom/error.hpp"
#include "carom/outcome_modes.hpp"
#include "carom/sampler.hpp"
#include "host/families/dataset/shard_layout.hpp"
#include "host/files/hdf5_tools.hpp"
#include "tests/support/dataset_files.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using namespace test;

class Dataset : public DatasetFolders {};

TEST_F(Dataset, HoldsTheFirstOutcomesOfEveryProblem) {
  const DatasetSpec spec = read(small_dataset);
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  EXPECT_TRUE(summary.complete);
  EXPECT_EQ(summary.shards, 4);
  EXPECT_EQ(summary.problems, 10);
  EXPECT_EQ(summary.train + summary.validation + summary.test, 10);
  EXPECT_EQ(summary.outcomes, 80);

  for (std::uint64_t member = 0; member < 10; ++member) {
    const Shard shard(at("set"), member / 3);
    const std::size_t row = member % 3;
    const ImpactProblem problem = spec.family.scenario(member).problem;
    SamplingOptions options = spec.sampling;
    options.problem_id += static_cast<std::uint32_t>(member);
    const SampleSet samples = sample(problem, options);
    const OutcomeModes modes(problem);
    std::size_t outcome = shard.get<std::uint64_t>("problems/first_outcome")[row];
    const auto velocity = shard.get<double>("outcomes/velocity");
    const auto energy = shard.get<double>("outcomes/energy");
    const auto mode = shard.get<std::uint8_t>("outcomes/modes");
    std::size_t found = 0;
    for (std::size_t t = 0; t < samples.size() && found < 8; ++t) {
      if (samples.status[t] != Status::separated) continue;
      for (std::size_t v = 0; v < 4; ++v) {
        EXPECT_EQ(velocity[outcome * 4 + v], samples.velocity[t * 4 + v]);
      }
      EXPECT_EQ(shard.get<std::uint64_t>("outcomes/trajectory")[outcome], t);
      EXPECT_EQ(shard.get<std::uint64_t>("outcomes/member")[outcome], member);
      EXPECT_EQ(energy[outcome], samples.energy[t]);
      EXPECT_EQ(mode[outcome * 2 + 1],
                static_cast<std::uint8_t>(modes.classify(&samples.velocity[t * 4])[1]));
      ++found;
      ++outcome;
    }
    EXPECT_EQ(found, 8);
    const auto values = shard.get<double>("problems/values");
    EXPECT_EQ(values[row * 2], spec.family.values(member)[0]);
    const auto mass = shard.get<double>("problems/mass_matrix");
    EXPECT_EQ(mass[row * 16 + 1], problem.mass_matrix(0, 1));
    const auto before = shard.get<double>("problems/pre_impact_velocity");
    EXPECT_EQ(before[row * 4 + 3], problem.pre_impact_velocity(3));
  }
}

TEST_F(Dataset, IsTheSameWhateverTheThreadsAndTheSizeOfShards) {
  DatasetSpec spec = read(small_dataset);
  generate_dataset(spec, at("one"));
  spec.sampling.threads = 1;
  spec.sampling.chunk = 7;
  generate_dataset(spec, at("two"));
  EXPECT_EQ(bytes_of(at("one")), bytes_of(at("two")));
  spec.shard_problems = 10;
  generate_dataset(spec, at("three"));
  std::vector<double> joined;
  for (std::uint64_t number = 0; number < 4; ++number) {
    const auto part = Shard(at("one"), number).get<double>("outcomes/velocity");
    joined.insert(joined.end(), part.begin(), part.end());
  }
  EXPECT_EQ(joined, Shard(at("three"), 0).get<double>("outcomes/velocity"));
}

TEST_F(Dataset, GoesOnWhereItWasStopped) {
  const DatasetSpec spec = read(small_dataset);
  generate_dataset(spec, at("whole"));
  const DatasetSummary stopped = generate_dataset(
      spec, at("parts"), [](const DatasetProgress& progress) { return progress.shards < 2; });
  EXPECT_FALSE(stopped.complete);
  EXPECT_EQ(stopped.shards, 2);
  EXPECT_FALSE(fs::exists(at("parts") / "index.json"));
  const DatasetSummary resumed = generate_dataset(spec, at("parts"));
  EXPECT_EQ(resumed.found, 2);
  EXPECT_EQ(bytes_of(at("parts")), bytes_of(at("whole")));
}

TEST_F(Dataset, MakesADamagedShardAnew) {
  const DatasetSpec spec = read(small_dataset);
  generate_dataset(spec, at("set"));
  const auto whole = bytes_of(at("set"));
  for (const std::streamoff byte : {std::streamoff{3}, std::streamoff{3000}}) {
    std::fstream(at("set") / shard_name(1), std::ios::in | std::ios::out).seekp(byte).put('\x7f');
    EXPECT_FALSE(find_shard(spec, 1, at("set")));
    EXPECT_EQ(generate_dataset(spec, at("set")).found, 3);
    EXPECT_EQ(bytes_of(at("set")), whole);
  }
  fs::resize_file(at("set") / shard_name(2), 1000);
  EXPECT_EQ(generate_dataset(spec, at("set")).found, 3);
  EXPECT_EQ(bytes_of(at("set")), whole);
}

TEST_F(Dataset, CanBeMadeShardByShardInAnyOrder) {
  const DatasetSpec spec = read(small_dataset);
  generate_dataset(spec, at("whole"));
  prepare_dataset(spec, at("parts"));
  for (const std::uint64_t number : {2, 0, 3, 1}) write_shard(spec, number, at("parts"));
  finish_dataset(spec, at("parts"));
  EXPECT_EQ(bytes_of(at("parts")), bytes_of(at("whole")));
  fs::remove(at("parts") / shard_name(3));
  EXPECT_THROW(finish_dataset(spec, at("parts")), RunError);
}

TEST_F(Dataset, RefusesAFolderOfAnotherSpecificationAndNamesTheDifference) {
  DatasetSpec spec = read(small_dataset);
  generate_dataset(spec, at("set"));
  const auto refusal = [&] {
    try {
      generate_dataset(spec, at("set"));
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  EXPECT_EQ(refusal(), "none");
  spec.content.outcomes = 7;
  EXPECT_THAT(refusal(), HasSubstr("outcomes.per_problem is 7 (was 8)"));
  spec = read(replaced(small_dataset, "max = 80.0", "max = 81.0"));
  EXPECT_THAT(refusal(), HasSubstr("family.axes.0.max is 81.0 (was 80.0)"));
  spec = read(replaced(small_dataset, "seed = 3", "seed = 4"));
  EXPECT_THAT(refusal(), HasSubstr("seed is 4 (was 3)"));
  EXPECT_EQ(generate_dataset(read(small_dataset), at("set")).found, 4);
  std::ofstream(at("set2")) << "a file";
  EXPECT_THROW(generate_dataset(spec, at("set2")), InputError);
  fs::create_directory(at("other"));
  std::ofstream(at("other") / "thesis.txt") << "not to be touched";
  EXPECT_THROW(generate_dataset(spec, at("other")), InputError);
}

/// What a scenario says of searches is nothing to a data set.
TEST_F(Dataset, GoesOnWhereOnlyTheScenariosExplorationChanges) {
  const auto read_with_budget = [&](const std::string& budget) {
    std::ofstream(at("base.toml")) << "system = \"compass_gait\"\n[sampling]\nmax_steps = 50\n"
                                      "[explore]\nbudget = "
                                   << budget << "\n";
    return read(
        "scenario = \"base.toml\"\n[axes]\nleg_angle_deg = {values = [75, 80]}\n"
        "[sampling]\nepsilon = 0.01\n[outcomes]\nper_problem = 4\n");
  };
  generate_dataset(read_with_budget("20000"), at("set"));
  EXPECT_EQ(generate_dataset(read_with_budget("30000"), at("set")).found, 1);
}

TEST_F(Dataset, RefusesASecondProcessInTheFolder) {
  const DatasetSpec spec = read(small_dataset);
  std::string refusal;
  generate_dataset(spec, at("set"), [&](const DatasetProgress& progress) {
    if (progress.shards == 1 && refusal.empty()) {
      try {
        generate_dataset(spec, at("set"));
      } catch (const InputError& error) {
        refusal = error.what();
      }
    }
    return true;
  });
  EXPECT_THAT(refusal, HasSubstr("another process is making a data set there"));
}

TEST_F(Dataset, RefusedAtItsFirstProblemLeavesTheFolderToTheNext) {
  const std::string upside_down =
      replaced(small_dataset, "min = 20.0, max = 80.0", "min = 100.0, max = 110.0");
  EXPECT_THROW(generate_dataset(read(upside_down), at("set")), InputError);
  EXPECT_TRUE(fs::is_empty(at("set")));
  EXPECT_TRUE(generate_dataset(read(small_dataset), at("set")).complete);
}

TEST_F(Dataset, SkipsInvalidMembersOnlyWhereItMay) {
  const std::string text = replaced(small_dataset, "max = 80.0", "max = 110.0");
  try {
    generate_dataset(read(text), at("error"));
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("(must be > 0 and < 90)"));
    EXPECT_THAT(error.what(), HasSubstr("member "));
    EXPECT_THAT(error.what(), HasSubstr("invalid = \"skip\""));
  }
  const DatasetSpec spec = read("invalid = \"skip\"\n" + text);
  const DatasetSummary summary = generate_dataset(spec, at("skip"));
  EXPECT_GT(summary.skipped, 0);
  EXPECT_EQ(summary.problems + summary.skipped, 10);
  std::uint64_t skipped = 0;
  for (std::uint64_t number = 0; number < 4; ++number) {
    const Shard shard(at("skip"), number);
    for (const std::uint64_t member : shard.get<std::uint64_t>("skipped/member")) {
      EXPECT_GE(spec.family.values(member)[0], 90.0);
      ++skipped;
    }
    // What is left out shifts no other problem's random numbers.
    const auto members = shard.get<std::uint64_t>("problems/member");
    for (std::size_t row = 0; row < members.size(); ++row) {
      SamplingOptions options = spec.sampling;
      options.problem_id += static_cast<std::uint32_t>(members[row]);
      const SampleSet samples = sample(spec.family.scenario(members[row]).problem, options);
      const std::size_t first = shard.get<std::uint64_t>("problems/first_outcome")[row];
      const std::size_t trajectory = shard.get<std::uint64_t>("outcomes/trajectory")[first];
      EXPECT_EQ(shard.get<double>("outcomes/velocity")[first * 4 + 1],
                samples.velocity[trajectory * 4 + 1]);
    }
  }
  EXPECT_EQ(skipped, summary.skipped);
  EXPECT_THAT(text_of(at("skip") / "datasheet.json"), HasSubstr("must be > 0 and < 90"));
}

TEST_F(Dataset, MarksProblemsWithFewerOutcomes) {
  const DatasetSpec spec = read(replaced(small_dataset, "max_steps = 20", "max_steps = 1"));
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  std::uint64_t few = 0;
  std::uint64_t total = 0;
  for (std::uint64_t number = 0; number < 4; ++number) {
    const Shard shard(at("set"), number);
    const auto status = shard.get<std::uint32_t>("problems/status_counts");
    const auto counts = shard.get<std::uint32_t>("problems/outcome_count");
    for (std::size_t row = 0; row < counts.size(); ++row) {
      EXPECT_EQ(counts[row], std::min(status[row * 5], 8U));
      few += counts[row] < 8 ? 1 : 0;
      total += counts[row];
    }
  }
  EXPECT_GT(few, 0);
  EXPECT_EQ(summary.short_problems, few);
  EXPECT_EQ(summary.outcomes, total);
}

TEST_F(Dataset, ChoosesMembersOfTheNetOrFarthestOutcomes) {
  const DatasetSpec net = read(replaced(small_dataset, "choice = \"iid\"", "choice = \"net\""));
  EXPECT_EQ(net.sampling.trajectories, 16u);
  generate_dataset(net, at("net"));
  const DatasetSpec farthest =
      read(replaced(small_dataset, "choice = \"iid\"", "choice = \"farthest\""));
  generate_dataset(farthest, at("farthest"));
  for (std::uint64_t member = 0; member < 10; ++member) {
    const ImpactProblem problem = net.family.scenario(member).problem;
    SamplingOptions options = net.sampling;
    options.problem_id += static_cast<std::uint32_t>(member);
    const std::size_t row = member % 3;
    EpsilonNet direct(4, *options.epsilon);
    direct.add(sample(problem, options));
    const Shard shard(at("net"), member / 3);
    EXPECT_EQ(shard.get<std::uint64_t>("problems/net_members")[row], direct.size());
    const std::size_t count = shard.get<std::uint32_t>("problems/outcome_count")[row];
    EXPECT_EQ(count, std::min<std::size_t>(direct.size(), 8));
    const std::size_t first = shard.get<std::uint64_t>("problems/first_outcome")[row];
    const auto kept = shard.get<std::uint64_t>("outcomes/trajectory");
    EXPECT_EQ(kept[first], direct.index().front());
    EpsilonNet cover(4, 1e-12);
    for (std::size_t k = 0; k < count; ++k) {
      const auto place = std::ranges::find(direct.index(), kept[first + k]);
      ASSERT_NE(place, direct.index().end()) << "no member of the net";
      const auto its = direct.velocity().begin() + 4 * (place - direct.index().begin());
      cover.add({k}, {its, its + 4}, 1);
    }
    double farthest_member = 0.0;
    for (Eigen::Index k = 0; k < direct.velocity_rows().rows(); ++k) {
      const Eigen::VectorXd its = direct.velocity_rows().row(k);
      farthest_member = std::max(farthest_member, cover.distance(its.data()));
    }
    const double stated = shard.get<double>("problems/cover")[row];
    EXPECT_NEAR(stated, farthest_member, 1e-12);
    if (direct.size() <= 8) {
      EXPECT_EQ(stated, 0.0);
    }
    const Shard far(at("farthest"), member / 3);
    const std::size_t chosen = far.get<std::uint32_t>("problems/outcome_count")[row];
    const NetSelection selection = farthest_points(problem, options, chosen);
    const std::size_t start = far.get<std::uint64_t>("problems/first_outcome")[row];
    for (std::size_t k = 0; k < chosen; ++k) {
      EXPECT_EQ(far.get<std::uint64_t>("outcomes/trajectory")[start + k], selection.index[k]);
    }
    EXPECT_EQ(far.get<double>("problems/cover")[row], selection.epsilon);
  }
}

TEST_F(Dataset, KeepsImpulsesAndOtherLawsIfAsked) {
  const DatasetSpec spec =
      read(replaced(small_dataset, "modes = true", "impulses = true\ncomparison = true"));
  generate_dataset(spec, at("set"));
  const Shard shard(at("set"), 0);
  const auto impulse = shard.get<double>("outcomes/impulse");
  const auto velocity = shard.get<double>("outcomes/velocity");
  ASSERT_EQ(impulse.size(), 3 * 8 * 2 * 2);
  const ImpactProblem problem = spec.family.scenario(0).problem;
  // M (v' - v) = J' impulse.
  for (std::size_t row = 0; row < 8; ++row) {
    Eigen::VectorXd change = -problem.pre_impact_velocity;
    for (int i = 0; i < 4; ++i) change(i) += velocity[row * 4 + static_cast<std::size_t>(i)];
    Eigen::VectorXd force = Eigen::VectorXd::Zero(4);
    for (int contact = 0; contact < 2; ++contact) {
      const double* its = &impulse[row * 4 + static_cast<std::size_t>(contact) * 2];
      force += its[0] * problem.normal_jacobian.row(contact).transpose() +
               its[1] * problem.tangent_jacobian.row(contact).transpose();
    }
    EXPECT_LT((problem.mass_matrix * change - force).norm(), 1e-8);
  }
  EXPECT_GT(shard.get<double>("comparison/velocity").size(), 0);
}

/// The laws that they would be compared with have none.
TEST_F(Dataset, ComparesNoProblemsWithRestitution) {
  const DatasetSpec spec =
      read(replaced(replaced(small_dataset, "modes = true", "comparison = true"), "[axes]",
                    "[axes]\nrestitution = {values = [0.0, 0.5]}"));
  const DatasetSummary summary = generate_dataset(spec, at("set"));
  const Shard shard(at("set"), 0);
  const auto members = shard.get<std::uint64_t>("comparison/member");
  EXPECT_FALSE(members.empty());
  for (const std::uint64_t member : members) {
    const ImpactProblem problem = spec.family.scenario(member).problem;
    EXPECT_EQ(problem.restitution, Eigen::VectorXd::Zero(problem.contacts())) << member;
  }
  const auto told = std::ranges::find(summary.notes, "no_comparison",
                                      [](const FamilyNote& its) { return its.note.code; });
  ASSERT_NE(told, summary.notes.end());
  EXPECT_EQ(told->members, spec.family.size() / 2);
}

TEST_F(Dataset, SplitsByProblemInTheSharesAskedFor) {
  const DatasetSpec spec = read(replaced(small_dataset, "problems = 10", "problems = 20000"));
  std::array<int, 3> count{};
  for (std::uint64_t member = 0; member < 20'000; ++member) {
    ++count.at(static_cast<std::size_t>(split_of(spec, member)));
  }
  // Five standard deviations of a binomial count.
  EXPECT_NEAR(count[1], 4000, 283);
  EXPECT_NEAR(count[2], 2000, 212);
}

TEST_F(Dataset, NamesLineAndRuleOfWhatIsWrong) {
  const std::string text = small_dataset;
  EXPECT_THAT(refused(replaced(text, "[outcomes]", "[outcome]")),
              HasSubstr("unknown key \"outcome\"; did you mean \"outcomes\"?"));
  EXPECT_THAT(refused(replaced(text, "per_problem", "per_problm")),
              HasSubstr("unknown key \"per_problm\" in [outcomes]; did you mean \"per_problem\"?"));
  EXPECT_THAT(refused(replaced(text, "\"iid\"", "\"idd\"")), HasSubstr("did you mean \"iid\"?"));
  EXPECT_THAT(refused(replaced(text, "per_problem = 8", "per_problem = 17")),
              HasSubstr("per_problem is 17 (must be from 1 to 16"));
  EXPECT_THAT(refused(replaced(text, "validation = 0.2", "validation = 0.95")),
              HasSubstr("together (must be below 1)"));
  EXPECT_THAT(refused(replaced(text, "problems = 3", "problems = 0")),
              HasSubstr("problems is 0 (must be >= 1)"));
  EXPECT_THAT(refused(replaced(text, "test = 0.1", "test = -0.1")), HasSubstr("spec.toml:"));
}

}  // namespace
}  // namespace carom
