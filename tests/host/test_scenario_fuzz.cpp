#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include "carom/error.hpp"
#include "carom/scenario.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> valid_texts() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::path(CAROM_SOURCE_DIR) / "scenarios")) {
    if (entry.path().extension() == ".toml" && test::readable(entry.path())) {
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const fs::path& file : files) {
    std::ifstream stream(file);
    texts.emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    texts.push_back(to_toml(parse_scenario(texts.back(), file.string(), file.parent_path())));
  }
  return texts;
}

/// Damages texts in the ways that people and disks do.
class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : engine_(seed) {}

  void mutate(std::string& text) {
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change(text);
  }

 private:
  std::size_t below(std::size_t limit) {
    return std::uniform_int_distribution<std::size_t>(0, limit - 1)(engine_);
  }

  void change(std::string& text) {
    if (text.empty()) text = "x";
    const std::size_t at = below(text.size());
    switch (below(8)) {
      case 0:
        text[at] = static_cast<char>(below(256));
        break;
      case 1:
        text.erase(at, 1 + below(20));
        break;
      case 2:
        duplicate_line(text, at);
        break;
      case 3:
      case 4:
        swap_number(text, at);
        break;
      case 5:
        text.insert(text.find('\n', at) == std::string::npos ? 0 : text.find('\n', at) + 1,
                    pick(keys) + " = " + pick(values) + "\n");
        break;
      case 6:
        swap_value(text, at);
        break;
      default:
        text.insert(at, 1, "[]{}=\"'.,#\n\\\x00\xff-_"[below(16)]);
    }
  }

  void duplicate_line(std::string& text, std::size_t at) {
    const std::size_t start = text.rfind('\n', at) + 1;  // npos + 1 = 0
    const std::size_t end = std::min(text.find('\n', start), text.size() - 1);
    if (start <= end) text.insert(start, text.substr(start, end + 1 - start));
  }

  void swap_number(std::string& text, std::size_t at) {
    const std::size_t start = text.find_first_of("0123456789", at);
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find_first_not_of("0123456789.e", start), text.size());
    text.replace(start, end - start, pick(values));
  }

  void swap_value(std::string& text, std::size_t at) {
    const std::size_t start = text.find('=', at);
    if (start == std::string::npos) return;
    const std::size_t end = std::min(text.find('\n', start), text.size());
    text.replace(start, end - start, "= " + pick(values));
  }

  std::string pick(const std::vector<std::string>& list) { return list[below(list.size())]; }

  static const std::vector<std::string> values;
  static const std::vector<std::string> keys;
  std::mt19937_64 engine_;
};

const std::vector<std::string> Mutator::values = {"nan",
                                                  "-nan",
                                                  "inf",
                                                  "-inf",
                                                  "1e308",
                                                  "-1e308",
                                                  "1e-308",
                                                  "5e-324",
                                                  "1e150",
                                                  "1e999",
                                                  "0",
                                                  "-0.0",
                                                  "-1",
                                                  "1",
                                                  "2",
                                                  "3",
                                                  "1e5",
                                                  "65536",
                                                  "2147483647",
                                                  "-2147483648",
                                                  "4294967296",
                                                  "9223372036854775807",
                                                  "-9223372036854775808",
                                                  "99999999999999999999",
                                                  "0x7fffffff",
                                                  "true",
                                                  "[]",
                                                  "[[]]",
                                                  "[[[]]]",
                                                  "{}",
                                                  "[1, \"a\"]",
                                                  "[[1], [1, 2]]",
                                                  "\"\"",
                                                  "\"x.npy\"",
                                                  "\".npy\"",
                                                  "\"x.h5:/y\"",
                                                  "\"/.npy\"",
                                                  "1979-05-27",
                                                  "[[1e308]]",
                                                  "\"matrices\"",
                                                  "\"ramone\"",
                                                  "\"\\u0000.npy\"",
                                                  "'''\n'''",
                                                  "0.5"};

const std::vector<std::string> Mutator::keys = {"friction",
                                                "system",
                                                "[sampling]",
                                                "[problem]",
                                                "[parameters]",
                                                "[[problem]]",
                                                "mass_matrix",
                                                "width",
                                                "mass",
                                                "seed",
                                                "friction_directions",
                                                "contact_names",
                                                "epsilon",
                                                "problem.friction",
                                                "\"\"",
                                                "a.b.c",
                                                "sampling.seed",
                                                "tilt_deg",
                                                "trailing_hip_deg",
                                                "\"problem[0].x\""};

TEST(ScenarioFuzz, ReturnsAScenarioOrThrowsInputErrorWhateverTheText) {
  const std::vector<std::string> texts = valid_texts();
  int accepted = 0;
  int refused = 0;
  for (std::uint64_t seed = 0; seed < 12000; ++seed) {
    std::string text = texts[seed % texts.size()];
    Mutator(seed).mutate(text);
    try {
      const Scenario scenario = parse_scenario(text);
      ++accepted;
      // What was accepted can be written, and reads back as itself.
      const std::string written = to_toml(scenario);
      EXPECT_EQ(to_toml(parse_scenario(written)), written) << "seed " << seed;
      if (scenario.problem.contacts() == 0) continue;  // of compliant contacts, there is no impact
      EXPECT_NO_THROW(notes(scenario.problem, scenario.sampling)) << "seed " << seed;
    } catch (const InputError& error) {
      ++refused;
      EXPECT_EQ(std::string(error.what()).rfind("scenario:", 0), 0u)
          << "seed " << seed << ": " << error.what();
    } catch (const std::exception& error) {
      ADD_FAILURE() << "seed " << seed << ": " << error.what() << "\n" << text;
    }
  }
  EXPECT_GT(accepted, 300);
  EXPECT_GT(refused, 500);
}

TEST(ScenarioFuzz, SurvivesRandomBytes) {
  std::mt19937_64 engine(7);
  for (int trial = 0; trial < 2000; ++trial) {
    std::string text(engine() % 200, '\0');
    for (char& c : text) c = static_cast<char>(engine());
    EXPECT_THROW(parse_scenario(text), InputError);
  }
}

}  // namespace
}  // namespace carom
