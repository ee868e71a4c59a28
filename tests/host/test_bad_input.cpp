#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "tests/support/refusal.hpp"

namespace carom {
namespace {

// Line numbers below count from `system`.
const std::string two_contacts = R"(system = "matrices"
[problem]
mass_matrix = [
  [2.0, 0.5],
  [0.5, 1.0],
]
normal_jacobian = [[0.0, 1.0], [1.0, 0.0]]
tangent_jacobian = [[1.0, 0.0], [0.0, 1.0]]
friction = [
  0.5,
  0.25,
]
pre_impact_velocity = [0.3, -1.0]
contact_names = ["A", "B"]
friction_directions = 2
[sampling]
impulse_step = 0.3
epsilon = 0.01
)";

/// The message after replacing one piece of a valid scenario.
std::string changed(const std::string& from, const std::string& to,
                    std::string text = two_contacts) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return "no such text: " + from;
  return test::text_refusal(text.replace(at, from.size(), to));
}

TEST(BadInput, TheUnchangedScenarioIsFine) { EXPECT_EQ(test::text_refusal(two_contacts), ""); }

TEST(BadInput, NamesFileLineValueRuleAndContact) {
  EXPECT_EQ(changed("0.25,", "-0.2,"),
            "s.toml:11: friction is -0.2 (must be >= 0) for contact \"B\"");
  EXPECT_EQ(changed("0.5,\n  0.25", "nan,\n  0.25"),
            "s.toml:10: friction is nan (must be finite) for contact \"A\"");
  EXPECT_EQ(changed("0.25,", "1e9,"),
            "s.toml:11: friction is 1000000000 (must be <= 100000000) for contact \"B\"");
}

TEST(BadInput, ContactsHaveOneOfTwoUnits) {
  const auto units = [](const char* stated) {
    return changed("friction_directions = 2", std::string("speed_units = ") + stated);
  };
  EXPECT_EQ(units("[\"m/s\", \"rad/s\"]"), "");
  EXPECT_EQ(units("[\"m/s\", \"mm/s\"]"),
            "s.toml:15: speed_units has \"mm/s\" (must be m/s or rad/s)");
  EXPECT_EQ(units("[\"m/s\"]"),
            "s.toml:15: speed_units has 1 entries (must have 2: one per contact)");
}

TEST(BadInput, NamesTheNearestKeyForAMisspeltOne) {
  EXPECT_EQ(changed("friction = [", "frictoin = ["),
            "s.toml:9: unknown key \"frictoin\" in [problem]; did you mean \"friction\"?");
  EXPECT_EQ(changed("impulse_step", "impulse_stpe"),
            "s.toml:17: unknown key \"impulse_stpe\" in [sampling]; did you mean "
            "\"impulse_step\"?");
  EXPECT_EQ(changed("[sampling]", "[sampleing]"),
            "s.toml:16: unknown key \"sampleing\"; did you mean \"sampling\"?");
  EXPECT_EQ(changed("contact_names = [", "colour = ["),
            "s.toml:14: unknown key \"colour\" in [problem] (must be one of mass_matrix, "
            "normal_jacobian, tangent_jacobian, friction, pre_impact_velocity, contact_names, "
            "speed_units, friction_directions, restitution, merged_contacts)");
  EXPECT_EQ(changed("friction_directions = 2", "trajectories = 2"),
            "s.toml:15: unknown key \"trajectories\" in [problem]; it belongs in [sampling]");
  EXPECT_EQ(test::text_refusal("system = \"rocking_block\"\n[parameters]\nwidht = 1.0\n"),
            "s.toml:3: unknown key \"widht\" in [parameters]; did you mean \"width\"?");
}

TEST(BadInput, NamesTheNearestSystemForAMisspeltOne) {
  EXPECT_EQ(
      test::text_refusal("system = \"rocking_blok\""),
      "s.toml:1: system is \"rocking_blok\" (must be one of matrices, mujoco, planar, spatial, "
      "rocking_block, compass_gait, box_wall, ramone, disk_stack, billiards, trex, springs, plate, "
      "piecewise_affine, biped); did you mean \"rocking_block\"?");
}

TEST(BadInput, SaysOfWhichSystemAFileSeemsToBe) {
  const std::string missing =
      "s.toml: system is missing (must be one of matrices, mujoco, planar, spatial, rocking_block, "
      "compass_gait, box_wall, ramone, disk_stack, billiards, trex, springs, plate, "
      "piecewise_affine, biped)";
  EXPECT_EQ(test::text_refusal(""), missing);
  EXPECT_EQ(test::text_refusal("[roll]\n"), missing);
  const auto of = [&](const char* system) {
    return missing + "; these tables are of system = \"" + system + "\"";
  };
  EXPECT_EQ(test::text_refusal("[problem]\nmass_matrix = [[1.0]]\n"), of("matrices"));
  EXPECT_EQ(test::text_refusal("[problem]\nmass_matrix = [[1.0]]\ncontact_stiffness = [1.0]\n"),
            of("springs"));
  EXPECT_EQ(test::text_refusal("[mujoco]\nmodel = \"a.xml\"\n"), of("mujoco"));
  EXPECT_EQ(test::text_refusal("[[body]]\nposition = [0.0, 1.0, 0.1]\nradius = 1.0\n"),
            of("planar"));
  EXPECT_EQ(test::text_refusal("[[body]]\nposition = [0, 1, 2]\nsize = [1, 1, 1]\n"),
            of("spatial"));
  for (const char* size : {"[-0.4, -0.2]", "[0.4, 0]", "[nan, 0.2]"}) {
    EXPECT_THAT(
        test::text_refusal(std::string("system = \"planar\"\n[[body]]\nsize = ") + size + "\n"),
        testing::ContainsRegex("3: size contains .* \\(must be > 0 and finite\\)"));
  }
  EXPECT_EQ(test::text_refusal("body = 3\nproblem = 4\n"), missing);
  const std::string disc = "[[body]]\nradius = 0.1\nposition = [0, 1]\n";
  EXPECT_EQ(test::text_refusal("system = \"planar\"\n" + disc),
            "s.toml:2: mass is missing in [[body]] (must be stated, in kg)");
  const std::string no_friction = "friction is missing in [world] (must be stated: of bodies that";
  const auto refusal_of = [&](const std::string& rest) {
    return test::text_refusal("system = \"planar\"\n" + disc + "mass = 1\n" + rest);
  };
  EXPECT_THAT(refusal_of("[[floor]]\n"), testing::HasSubstr(no_friction));
  EXPECT_THAT(refusal_of(disc + "mass = 1\n[[floor]]\nfriction = 0.1\n[world]\ngravity = 1.0\n"),
              testing::HasSubstr("s.toml:12: " + no_friction));
  EXPECT_EQ(refusal_of("[[floor]]\nfriction = 0.1\n"), "");
}

TEST(BadInput, PlacesSyntaxErrorsByLineAndColumn) {
  EXPECT_EQ(test::text_refusal("system = \"ramone\"\n[sampling\n").substr(0, 9), "s.toml:2:");
  EXPECT_EQ(test::text_refusal("seed == 1").substr(0, 9), "s.toml:1:");
  EXPECT_EQ(test::text_refusal("system = 1\nsystem = 2\n").substr(0, 9), "s.toml:2:");
  std::string deep;
  for (int i = 0; i < 200000; ++i) deep += "a.";
  EXPECT_EQ(test::text_refusal("\n" + deep + "a = 1"),
            "s.toml:2: key has too many parts (must be at most 64)");
  EXPECT_EQ(test::text_refusal("[=").substr(0, 9), "s.toml:1:");
  EXPECT_EQ(test::text_refusal("\xC3\xA9 = 1"),
            "s.toml:1: character outside ASCII (only strings and comments may have one)");
  EXPECT_EQ(test::text_refusal("# \xC3\xA9\nsystem = \"\xC3\xA9\" \xC3\xA9"),
            "s.toml:2: character outside ASCII (only strings and comments may have one)");
  EXPECT_EQ(test::text_refusal("system = \"\"\"\nramone\"\"\""),
            "s.toml:1: multi-line strings are not supported (use a one-line string)");
}

TEST(BadInput, NamesTheWantedTypeForAWrongOne) {
  EXPECT_EQ(test::text_refusal("system = 5"),
            "s.toml:1: system is 5, an integer (must be a string)");
  EXPECT_EQ(test::text_refusal("system = \"ramone\"\nsampling = 3\n"),
            "s.toml:2: sampling is 3, an integer (must be a table)");
  EXPECT_EQ(changed("impulse_step = 0.3", "impulse_step = \"big\""),
            "s.toml:17: impulse_step is \"big\", a string (must be a number)");
  EXPECT_EQ(changed("epsilon = 0.01", "seed = 1.5"),
            "s.toml:18: seed is 1.5, a float (must be an integer)");
  EXPECT_EQ(changed("epsilon = 0.01", "norm = \"kinetik\""),
            "s.toml:18: norm is \"kinetik\" (must be \"euclidean\" or \"kinetic\"); did you mean "
            "\"kinetic\"?");
  EXPECT_EQ(changed("epsilon = 0.01", "backend = \"gpu\""),
            "s.toml:18: backend is \"gpu\" (must be \"auto\" or \"cpu\" or \"cuda\"); did you mean "
            "\"cpu\"?");
  EXPECT_EQ(changed("epsilon = 0.01", "samples = true"),
            "s.toml:18: samples is true, a boolean (must be \"all\", \"none\" or an integer)");
  EXPECT_EQ(changed("[0.3, -1.0]", "[0.3, \"x\"]"),
            "s.toml:13: an entry of pre_impact_velocity is \"x\", a string (must be a number)");
  EXPECT_EQ(changed("[[0.0, 1.0], [1.0, 0.0]]", "[0.0, 1.0]"),
            "s.toml:7: an entry of normal_jacobian is 0, a float (must be a row, an array of "
            "numbers)");
  EXPECT_EQ(changed("[\"A\", \"B\"]", "[\"A\", 1979-05-27]"),
            "s.toml:14: an entry of contact_names is a date or time (must be a string)");
  EXPECT_EQ(test::text_refusal("system = \"rocking_block\"\n[parameters]\nwidth = \"1 m\"\n"),
            "s.toml:3: [parameters] width is \"1 m\", a string (must be a number)");
}

TEST(BadInput, StatesFoundAndWantedShape) {
  EXPECT_EQ(changed("  [0.5, 1.0],\n", ""),
            "s.toml:3: mass_matrix is 1 x 2 (must be square: nv velocities)");
  EXPECT_EQ(changed("  [0.5, 1.0],\n", "  [0.5],\n"),
            "s.toml:5: mass_matrix has 1 entries in row 2 (must have 2 as in row 1)");
  EXPECT_EQ(changed("[[0.0, 1.0], [1.0, 0.0]]", "[[0.0, 1.0, 0.0]]"),
            "s.toml:7: normal_jacobian is 1 x 3 (must have 2 columns, one per velocity, and a row "
            "per contact)");
  EXPECT_EQ(changed("[[0.0, 1.0], [1.0, 0.0]]", "[]"),
            "s.toml:7: normal_jacobian is empty (must have a row per contact)");
  EXPECT_EQ(changed("[[1.0, 0.0], [0.0, 1.0]]", "[[1.0, 0.0]]"),
            "s.toml:8: tangent_jacobian is 1 x 2 (must be 2 x 2 in the plane, one row per contact, "
            "or 4 x 2 in space, two rows per contact)");
  EXPECT_EQ(changed("  0.25,\n", ""),
            "s.toml:9: friction has 1 entries (must have 2: one per contact)");
  EXPECT_EQ(changed("[0.3, -1.0]", "[0.3, -1.0, 0.0]"),
            "s.toml:13: pre_impact_velocity has 3 entries (must have 2: one per velocity)");
  EXPECT_EQ(changed("[\"A\", \"B\"]", "[\"A\"]"),
            "s.toml:14: contact_names has 1 entries (must have 2: one per contact)");
}

TEST(BadInput, WantsDifferentPrintableContactNames) {
  EXPECT_EQ(changed("[\"A\", \"B\"]", "[\"A\", \"A\"]"),
            "s.toml:14: contact_names has \"A\" twice (must be unique)");
  EXPECT_EQ(changed("[\"A\", \"B\"]", "[\"A\", \"A,A\"]"),
            "s.toml:14: contact_names has \"A,A\" (must have no comma: lists of contacts do)");
  EXPECT_EQ(changed("[\"A\", \"B\"]", "[\"A\", \"\"]"),
            "s.toml:14: contact_names has an empty or unprintable name for contact 2 (must be "
            "printable text)");
}

TEST(BadInput, WantsFiniteNumbers) {
  EXPECT_EQ(changed("[0.3, -1.0]", "[0.3, inf]"),
            "s.toml:13: pre_impact_velocity has inf in entry 2 (must be finite)");
  EXPECT_EQ(changed("[2.0, 0.5]", "[2.0, nan]"),
            "s.toml:4: mass_matrix has nan in row 1, column 2 (must be finite)");
  EXPECT_EQ(changed("[1.0, 0.0]]\nt", "[-inf, 0.0]]\nt"),
            "s.toml:7: normal_jacobian has -inf in row 2, column 1 (must be finite)");
  EXPECT_EQ(changed("[[1.0, 0.0]", "[[inf, 0.0]"),
            "s.toml:8: tangent_jacobian has inf in row 1, column 1 (must be finite)");
}

TEST(BadInput, WantsASymmetricPositiveDefiniteMassMatrix) {
  EXPECT_EQ(changed("[0.5, 1.0]", "[0.4, 1.0]"),
            "s.toml:5: mass_matrix is not symmetric (must be symmetric positive definite): 0.4 in "
            "row 2, column 1, but 0.5 opposite, further apart than 1e-06 sqrt(M_ii M_jj)");
  EXPECT_EQ(changed("[2.0, 0.5]", "[0.25, 0.5]"),
            "s.toml:3: mass_matrix is not positive definite (must be symmetric positive definite): "
            "its Cholesky factorisation fails");
  EXPECT_EQ(changed("[0.5, 1.0]", "[0.5, -1.0]"),
            "s.toml:5: mass_matrix is not positive definite (must be symmetric positive definite): "
            "its diagonal has -1 in row 2");
}

TEST(BadInput, RefusesAZeroNormal) {
  EXPECT_EQ(changed("[1.0, 0.0]]\nt", "[0.0, -0.0]]\nt"),
            "s.toml:7: normal_jacobian has a zero row (a normal must not be zero) for contact "
            "\"B\"");
  EXPECT_EQ(changed("[1.0, 0.0]]\nt", "[1e-17, 0.0]]\nt"),
            "s.toml:7: normal_jacobian has a row of rounding errors (bodies must be able to move "
            "along a normal, by more than 1e-12 of what they do along others) for contact \"B\"");
}

TEST(BadInput, WantsFrictionDirectionsThatSpanTheCone) {
  EXPECT_EQ(changed("directions = 2", "directions = 4"),
            "s.toml:15: friction_directions is 4 (must be 2 in the plane)");
  const std::string spatial = R"(system = "matrices"
[problem]
mass_matrix = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
normal_jacobian = [[0, 0, 1]]
tangent_jacobian = [[1, 0, 0], [0, 1, 0]]
friction = 0.5
pre_impact_velocity = [0, 0, -1]
friction_directions = 4
)";
  EXPECT_EQ(test::text_refusal(spatial), "");
  EXPECT_EQ(changed("directions = 4", "directions = 5", spatial),
            "s.toml:8: friction_directions is 5 (must be even and >= 4 in space)");
  EXPECT_EQ(changed("directions = 4", "directions = 2", spatial),
            "s.toml:8: friction_directions is 2 (must be even and >= 4 in space)");
  EXPECT_EQ(test::text_refusal("system = \"box_wall\"\n[problem]\nfriction_directions = 4\n"),
            "s.toml:3: friction_directions is 4 (must be 2 in the plane)");
}

TEST(BadInput, SaysHowToRaiseTheCompiledCapacity) {
  std::string text = "system = \"matrices\"\n[problem]\nmass_matrix = [[1]]\nfriction = 1\n";
  std::string rows;
  for (int i = 0; i < 100; ++i) rows += "[1],";
  text += "normal_jacobian = [" + rows + "]\ntangent_jacobian = [" + rows + "]\n";
  const std::string message = test::text_refusal(text + "pre_impact_velocity = [-1]\n");
  EXPECT_EQ(message.substr(0, 42), "s.toml:5: the problem has 500 LCP unknowns");
  EXPECT_NE(message.find("the compiled capacity: leave contacts"), std::string::npos);
}

TEST(BadInput, WantsScalesThatDoublesCanHold) {
  EXPECT_NE(changed("[0.3, -1.0]", "[0.3, -1e200]").find("out of scale"), std::string::npos);
  EXPECT_NE(changed("[[0.0, 1.0]", "[[0.0, 1e-200]").find("rounding errors"), std::string::npos);
}

TEST(BadInput, ChecksTheSamplingOptions) {
  EXPECT_EQ(changed("epsilon = 0.01", "epsilon = 0"),
            "s.toml:18: epsilon is 0 (must be > 0 and finite)");
  EXPECT_EQ(changed("epsilon = 0.01", "epsilon = nan"),
            "s.toml:18: epsilon is nan (must be > 0 and finite)");
  EXPECT_EQ(changed("impulse_step = 0.3", "impulse_step = -1"),
            "s.toml:17: impulse_step is -1 (must be > 0 and finite, in N·s)");
  EXPECT_EQ(changed("impulse_step = 0.3", "impulse_step = inf"),
            "s.toml:17: impulse_step is inf (must be > 0 and finite, in N·s)");
  EXPECT_EQ(changed("epsilon = 0.01", "trajectories = 0"),
            "s.toml:18: trajectories is 0 (must be >= 1)");
  EXPECT_EQ(changed("epsilon = 0.01", "max_steps = 0"),
            "s.toml:18: max_steps is 0 (must be >= 1 and <= 131072)");
  EXPECT_EQ(changed("epsilon = 0.01", "max_steps = 131073"),
            "s.toml:18: max_steps is 131073 (must be >= 1 and <= 131072)");
  EXPECT_EQ(changed("epsilon = 0.01", "termination_tolerance = -1e-9"),
            "s.toml:18: termination_tolerance is -1e-09 (must be >= 0 and finite, in m/s)");
  EXPECT_EQ(changed("epsilon = 0.01", "seed = 4294967296"),
            "s.toml:18: seed is 4294967296 (must be from 0 to 4294967295)");
  EXPECT_EQ(changed("epsilon = 0.01", "problem_id = -1"),
            "s.toml:18: problem_id is -1 (must be from 0 to 4294967295)");
  EXPECT_EQ(changed("epsilon = 0.01", "threads = -1"), "s.toml:18: threads is -1 (must be >= 0)");
  EXPECT_EQ(changed("epsilon = 0.01", "samples = -1"), "s.toml:18: samples is -1 (must be >= 0)");
}

TEST(BadInput, NamesTheSelections) {
  EXPECT_EQ(
      changed("epsilon = 0.01", "solutions = \"tabel\""),
      "s.toml:18: solutions is \"tabel\" (must be auto, first, cover, all or table); did you mean "
      "\"table\"?");
}

TEST(BadInput, ChecksOptionsWithoutAFileToo) {
  SamplingOptions options;
  options.epsilon = -0.5;
  try {
    validate(options);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "epsilon is -0.5 (must be > 0 and finite)");
  }
}

TEST(BadInput, PlacesParametersThatBreakTheirRule) {
  EXPECT_EQ(test::text_refusal("system = \"rocking_block\"\n[parameters]\nheight = 1\nwidth = 0\n"),
            "s.toml:4: [parameters] width is 0 (must be > 0)");
}

TEST(BadInput, KeepsMatricesAndParametersApart) {
  EXPECT_EQ(test::text_refusal("system = \"ramone\"\n[problem]\nmass_matrix = [[1]]\n"),
            "s.toml:3: mass_matrix is only for system \"matrices\" (system \"ramone\" derives it "
            "from [parameters])");
  EXPECT_EQ(test::text_refusal(two_contacts + "[parameters]\nwidth = 1\n"),
            "s.toml:19: [parameters] is not for system \"matrices\"");
  EXPECT_EQ(test::text_refusal("system = \"matrices\"\n"),
            "s.toml: [problem] is missing (system \"matrices\" needs it)");
  EXPECT_EQ(changed("pre_impact_velocity = [0.3, -1.0]\n", ""),
            "s.toml:2: pre_impact_velocity is missing in [problem] (system \"matrices\" needs it)");
}

TEST(BadInput, TangentsAreMissingOnlyWhereThereIsFriction) {
  const std::string ball =
      "system = \"matrices\"\n[problem]\nmass_matrix = [[1]]\nnormal_jacobian = [[1]]\n"
      "pre_impact_velocity = [-1]\n";
  for (const char* friction : {"", "friction = 0\n", "friction = [0.0]\n"}) {
    const ImpactProblem problem = parse_scenario(ball + friction).problem;
    EXPECT_EQ(problem.friction, Eigen::VectorXd::Zero(1));
    EXPECT_EQ(problem.tangent_jacobian, Eigen::MatrixXd::Zero(1, 1));
  }
  EXPECT_EQ(test::text_refusal(ball + "friction = 0.1\n"),
            "s.toml:2: tangent_jacobian is missing in [problem] (system \"matrices\" needs it)");
  EXPECT_EQ(test::text_refusal(ball + "tangent_jacobian = [[0]]\n"),
            "s.toml:2: friction is missing in [problem] (system \"matrices\" needs it)");
}

TEST(BadInput, NamesMatrixFilesThatCannotBeRead) {
  EXPECT_EQ(changed("[0.3, -1.0]", "\"nowhere.npy\""),
            "s.toml:13: pre_impact_velocity: nowhere.npy: does not exist");
  EXPECT_EQ(changed("[0.3, -1.0]", "\"velocity.txt\""),
            "s.toml:13: pre_impact_velocity is \"velocity.txt\", a string (must be numbers, or the "
            "name of a matrix file: file.npy or file.h5:/dataset)");
}

TEST(BadInput, NamesAScenarioFileThatCannotBeRead) {
  for (const std::string& file : {std::string("no/such/file.toml"), testing::TempDir()}) {
    try {
      read_scenario(file);
      FAIL();
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind(file, 0), 0u) << error.what();
    }
  }
}

}  // namespace
}  // namespace carom
