#include "carom/caps_distribution.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "tests/host/command_line_fixture.hpp"

namespace carom {
namespace {

using ::testing::HasSubstr;

template <class Function>
std::string refusal(Function&& function) {
  try {
    function();
  } catch (const InputError& error) {
    return error.what();
  }
  return "nothing was refused";
}

std::string parse_refusal(const std::string& text) {
  return refusal([&] { parse_caps(text); });
}

TEST(CapsDistribution, GoesByContactsUnlessSaidOtherwise) {
  EXPECT_EQ(to_text(CapsDistribution{}), "uniform");
  EXPECT_EQ(to_text(default_caps(1)), "uniform");  // one contact has no order
  EXPECT_EQ(to_text(default_caps(2)), "early_corners:8");
  EXPECT_EQ(to_text(default_caps(12)), "early_corners:48");
  EXPECT_EQ(to_text(default_caps(20)), "early_corners:64");
}

TEST(CapsDistribution, ReadsAMixtureWithParametersAndSpaces) {
  const CapsDistribution caps =
      parse_caps(" 0.5 * corners : 16+weighted: 1 , 2.5e-1,1e-3 + 1e+1*simplex+ sobol + corners ");
  ASSERT_EQ(caps.components.size(), 5u);
  EXPECT_EQ(caps.components[0].kind, CapsKind::corners);
  EXPECT_EQ(caps.components[0].weight, 0.5);
  EXPECT_EQ(caps.components[0].power, 16);
  EXPECT_EQ(caps.components[1].kind, CapsKind::weighted);
  EXPECT_EQ(caps.components[1].weight, 1.0);
  EXPECT_EQ(caps.components[1].scale, (std::vector<double>{1.0, 0.25, 1e-3}));
  EXPECT_EQ(caps.components[2].kind, CapsKind::simplex);
  EXPECT_EQ(caps.components[2].weight, 10.0);
  EXPECT_EQ(caps.components[3].kind, CapsKind::sobol);
  EXPECT_EQ(caps.components[4].power, 8) << "the default power";
  EXPECT_TRUE(caps.uses(CapsKind::sobol));
  EXPECT_FALSE(caps.uses(CapsKind::uniform));
}

TEST(CapsDistribution, ItsTextReadsBackAsItself) {
  for (const char* text :
       {"uniform", "simplex", "corners:8", "weighted:1,0.2", "sobol", "0.7*uniform + 0.3*corners:4",
        "1e+300*sobol + 3e-320*weighted:0.1,1,5e-324",
        "0.1*uniform + 0.30000000000000004*uniform"}) {
    EXPECT_EQ(to_text(parse_caps(text)), text);
  }
}

TEST(CapsDistribution, RefusesWhatItDoesNotKnowAndSaysWhatIsNear) {
  EXPECT_THAT(
      parse_refusal("unifrom"),
      HasSubstr(R"(caps part "unifrom" has the name "unifrom" (must be one of uniform, )"
                R"(simplex, corners, early_corners, weighted, sobol); did you mean "uniform"?)"));
  EXPECT_THAT(parse_refusal("uniform + 2*corner:3"), HasSubstr(R"(did you mean "corners"?)"));
  EXPECT_THAT(parse_refusal("uniform + "), HasSubstr("caps is \"uniform + \" (must be"));
  EXPECT_THAT(parse_refusal(""), HasSubstr("caps is \"\" (must be"));
  EXPECT_THAT(parse_refusal("0.1,0.2"), HasSubstr("must be one of"));
  EXPECT_THAT(parse_refusal("uniform:3"), HasSubstr("uniform takes none"));
  EXPECT_THAT(parse_refusal("sobol:"), HasSubstr("sobol takes none"));
  EXPECT_THAT(
      parse_refusal("uniform+uniform+uniform+uniform+uniform+uniform+uniform+uniform+sobol"),
      HasSubstr("caps has 9 parts (must have 1 to 8)"));
}

TEST(CapsDistribution, RefusesNumbersOutsideTheirRules) {
  for (const char* weight : {"0", "-1", "nan", "inf", "1e999", "x", ""}) {
    const std::string text = std::string(weight) + "*uniform";
    EXPECT_THAT(parse_refusal(text), HasSubstr("part \"" + text + "\" has weight")) << text;
  }
  for (const char* power : {"0", "-2", "65", "2.5", "99999999999", ""}) {
    const std::string text = std::string("corners:") + power;
    EXPECT_THAT(parse_refusal(text), HasSubstr("from 1 to 64")) << text;
  }
  for (const char* factor : {"0", "-1", "1.5", "nan", "x", "", "0.5,"}) {
    const std::string text = std::string("weighted:") + factor;
    EXPECT_THAT(parse_refusal(text), HasSubstr("has factor")) << text;
  }
  EXPECT_THAT(parse_refusal("weighted"), HasSubstr("has no factors"));
}

TEST(CapsDistribution, ChecksWhatWasPutTogetherByHand) {
  CapsDistribution caps = parse_caps("uniform + weighted:1,0.5");
  EXPECT_NO_THROW(validate(caps, 2));
  EXPECT_THAT(refusal([&] { validate(caps, 3); }),
              HasSubstr("caps part 2 (weighted) has 2 factors (must have one per contact, 3)"));
  caps.components[0].weight = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(refusal([&] { validate(caps, 2); }), HasSubstr("part 1 (uniform) has weight nan"));
  caps.components.clear();
  EXPECT_THAT(refusal([&] { validate(caps, 2); }), HasSubstr("caps has 0 parts"));
  caps.components.resize(max_caps_components + 1);
  EXPECT_THAT(refusal([&] { validate(caps, 2); }), HasSubstr("caps has 9 parts"));
}

TEST(CapsPlan, SharesEndAtOneHoweverLargeOrSmallTheWeights) {
  for (const char* text : {"0.1*uniform + 0.2*simplex + 0.3*sobol", "3*uniform + uniform",
                           "1e308*uniform + 1e308*simplex", "1e-320*uniform + 1e308*simplex"}) {
    const CapsView view = plan_caps(parse_caps(text), 2, 5).view();
    EXPECT_EQ(view.cumulative_weight[view.components - 1], 1.0) << text;
  }
  const CapsPlan plan = plan_caps(parse_caps("uniform + 3*weighted:0.5,0.25"), 2, 5);
  EXPECT_EQ(plan.view().cumulative_weight[0], 0.25);
  EXPECT_EQ(plan.scale, (std::vector<double>{1.0, 1.0, 0.5, 0.25}));
  EXPECT_EQ(plan.view().sobol, nullptr);
}

TEST(CapsPlan, ACopyDoesNotPointIntoTheOriginal) {
  const CapsPlan original = plan_caps(parse_caps("weighted:0.5,1 + sobol"), 2, 5);
  const CapsPlan copy = original;  // NOLINT(performance-unnecessary-copy-initialization)
  EXPECT_EQ(copy.view().scale, copy.scale.data());
  EXPECT_EQ(copy.view().sobol, copy.sobol.data());
  EXPECT_NE(copy.view().sobol, original.view().sobol);
}

TEST(CapsInScenarios, AreReadWrittenAndUniformWithAllSolutionsInAPapersSystem) {
  const std::string system = "system = \"rocking_block\"\n";
  const Scenario plain = parse_scenario(system);
  EXPECT_EQ(to_text(plain.sampling.set_valued().caps), "uniform");
  EXPECT_FALSE(plain.sampling.set_valued().solutions.has_value());

  const Scenario stated = parse_scenario(
      system + "[sampling]\ncaps = \"0.25*sobol + 0.75*weighted:1,0.1\"\nsolutions = \"all\"\n");
  const Scenario again = parse_scenario(to_toml(stated));
  EXPECT_EQ(to_text(again.sampling.set_valued().caps), "0.25*sobol + 0.75*weighted:1,0.1");
  EXPECT_EQ(again.sampling.set_valued().solutions, Solutions::all);
  EXPECT_EQ(to_toml(again), to_toml(stated));
}

TEST(CapsInScenarios, ErrorsNameTheLineAndTheRule) {
  const std::string start = "system = \"rocking_block\"\n[sampling]\n";
  const auto scenario_refusal = [&](const std::string& line) {
    return refusal([&] { parse_scenario(start + line); });
  };
  EXPECT_THAT(scenario_refusal("caps = \"sobl\""),
              ::testing::AllOf(HasSubstr("scenario:3: caps part \"sobl\""), HasSubstr("sobol")));
  EXPECT_THAT(scenario_refusal("caps = \"weighted:1,1,1\""),
              HasSubstr("scenario:3: caps part 1 (weighted) has 3 factors"));
  EXPECT_THAT(scenario_refusal("caps = 3"), HasSubstr("scenario:3: caps is 3"));
  EXPECT_THAT(scenario_refusal("solutions = \"al\""), HasSubstr("did you mean \"all\"?"));
}

using CapsFlags = CommandLine;

TEST_F(CapsFlags, OverrideTheScenarioAndNameThemselvesInErrors) {
  const std::string file = write("mass.toml", falling_mass);
  expect_bad_input(run({"sample", file, "--caps", "unifrm"}), "--caps part \"unifrm\"");
  expect_bad_input(run({"sample", file, "--caps", "weighted:1,0.5"}),
                   "--caps part 1 (weighted) has 2 factors (must have one per contact, 1)");
  expect_bad_input(run({"sample", file, "--solutions", "some"}),
                   "--solutions is \"some\" (must be auto, first, cover, all or table)");
  // One contact under `simplex` has the cap h at every step: h = 1 N·s of the 2 N·s that stop it.
  const auto report = run_json({"sample", file, "--caps", "simplex"});
  EXPECT_EQ(report.at("lcps").at("mean"), 2.0);
}

}  // namespace
}  // namespace carom
