#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <random>

#include "carom/dataset.hpp"
#include "carom/error.hpp"
#include "carom/grid.hpp"
#include "host/result/compare_results.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/dataset_files.hpp"

// Files with flipped bits, missing ends and the like, seeded. Reading one ends in an error that
// names it, or in the very numbers of the whole file; it does not crash and does not hang.
// CAROM_DAMAGED_FILES=10000 reads as many (default 400); batches run in processes of their own.
namespace carom {
namespace {

namespace fs = std::filesystem;
using namespace test;

int cases() {
  const char* wanted = std::getenv("CAROM_DAMAGED_FILES");
  return wanted == nullptr ? 400 : std::atoi(wanted);
}

/// Text that differs where two readings differ.
class Reading {
 public:
  template <class T>
  Reading& add(const std::vector<T>& numbers) {
    text_ +=
        checksum_text({reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)}) +
        " ";
    return *this;
  }
  template <class T>
  requires std::is_arithmetic_v<T> Reading& add(T number) {
    text_ += fmt::format("{} ", number);
    return *this;
  }
  Reading& add(const std::string& words) {
    text_ += words + " ";
    return *this;
  }
  Reading& add(const SampleSet& rows) {
    for_each_column([&](const ColumnInfo&, const auto& column) { add(column); }, rows);
    return *this;
  }
  Reading& add(const Result& result) {
    const Summary& summary = result.set.summary;
    add(to_toml(result.scenario)).add(result.set.net.index()).add(result.set.net.velocity());
    for (const OutcomeMode& mode : result.set.modes.table()) add(mode.count).add(mode.example);
    for (const std::uint64_t count : summary.status_counts) add(count);
    return add(summary.trajectories)
        .add(summary.lcps)
        .add(summary.lcp_histogram)
        .add(summary.checksum)
        .add(summary.energy_sum)
        .add(result.set.device);
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

/// A kind of file: all its files, of which each can be damaged, and everything that reads them.
struct Kind {
  const char* name;
  std::function<void(const fs::path& folder)> make;
  std::function<std::string(const fs::path& folder)> read;
};

constexpr std::uint64_t rows = 4000;  // more than one block of the table

std::string read_as_result(const fs::path& folder, const Scenario& longer) {
  const fs::path file = folder / "result.h5";
  Reading reading;
  const Result result = read_result(file);
  reading.add(result).add(read_samples(file, 0, rows));
  const ResultComparison comparison = compare_results(file, file);
  reading.add(comparison.outcomes->a_to_b).add(comparison.nets.b_to_a);
  resume_result(file, longer, rows + 64);
  return reading.add(read_result(file)).add(read_samples(file, 0, rows + 64)).text();
}

Scenario sharded(std::uint64_t trajectories) {
  Scenario scenario = small_scenario(trajectories);
  scenario.storage.shard_rows = 1500;
  return scenario;
}

const std::string small_grid = R"(scenario = "compass_gait"
nets = true
invalid = "skip"
[axes]
trailing_rate = {min = -0.5, max = 1.0, count = 3}
problem.friction = {values = [-1.0, 1.0]}
[sampling]
trajectories = 200
max_steps = 20
)";

std::string read_as_grid(const fs::path& folder) {
  std::ofstream(folder / "spec.toml") << small_grid;
  const GridResult grid = read_grid(folder / "grid.h5", read_grid_spec(folder / "spec.toml"));
  Reading reading;
  for (const GridState& state : grid.states) {
    reading.add(state.refusal).add(state.checksum).add(state.net_diameter).add(state.net_index);
    reading.add(state.net_velocity).add(state.energy_mean).add(state.modes.size());
    for (const std::uint64_t count : state.status_counts) reading.add(count);
    for (const auto& [mode, count] : state.modes) reading.add(count);
  }
  return reading.text();
}

/// The folder that generate_dataset() leaves: what is damaged is made again.
std::string read_as_dataset(const fs::path& folder) {
  std::ofstream(folder.string() + ".toml") << small_dataset;
  generate_dataset(read_dataset_spec(folder.string() + ".toml"), folder);
  Reading reading;
  for (const auto& [name, bytes] : bytes_of(folder)) reading.add(name + checksum_text(bytes));
  return reading.text();
}

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"result",
       [](const fs::path& folder) {
         write_result(folder / "result.h5", small_scenario(rows), rows);
       },
       [](const fs::path& folder) { return read_as_result(folder, small_scenario(rows + 64)); }},
      {"sharded",
       [](const fs::path& folder) { write_result(folder / "result.h5", sharded(rows), rows); },
       [](const fs::path& folder) { return read_as_result(folder, sharded(rows + 64)); }},
      {"grid",
       [](const fs::path& folder) {
         std::ofstream(folder / "spec.toml") << small_grid;
         const GridSpec spec = read_grid_spec(folder / "spec.toml");
         write_grid(folder / "grid.h5", spec, sample_grid(spec));
         fs::remove(folder / "spec.toml");
       },
       read_as_grid},
      {"dataset", [](const fs::path& folder) { read_as_dataset(folder); }, read_as_dataset}};
  return all;
}

/// Damages a file: a few bits, a block, the end.
void damage(const fs::path& file, std::mt19937_64& random) {
  std::string bytes = text_of(file);
  const auto below = [&](std::size_t most) { return random() % std::max<std::size_t>(most, 1); };
  const std::size_t at = below(bytes.size());
  const std::size_t length = std::min(1 + below(std::size_t{1} << below(14)), bytes.size() - at);
  switch (below(7)) {
    case 0:
      for (std::size_t bits = 1 + below(8); bits > 0; --bits) {
        bytes[below(bytes.size())] ^= static_cast<char>(1 << below(8));
      }
      break;
    case 1:
      bytes.resize(at);
      break;
    case 2:
      bytes.replace(at, length, length, below(2) == 0 ? '\0' : '\xff');
      break;
    case 3:
      for (std::size_t i = 0; i < length; ++i) bytes[at + i] = static_cast<char>(random());
      break;
    case 4:
      bytes.append(length, static_cast<char>(random()));
      break;
    case 5:
      bytes.replace(at, length, bytes.substr(below(bytes.size() - length + 1), length));
      break;
    default:
      bytes.erase(at, length);
  }
  std::ofstream(file, std::ios::binary) << bytes;
}

constexpr const char* refused = "refused";
constexpr const char* the_same = "the same";

/// How a damaged copy of `whole` is read: refused by name, with the same result, or what is wrong.
std::string judge(const Kind& kind, const fs::path& whole, const std::string& expected,
                  std::uint64_t seed, const fs::path& copy) {
  fs::remove_all(copy);
  fs::copy(whole, copy, fs::copy_options::recursive);
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(copy)) {
    if (entry.path().extension() == ".h5") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::mt19937_64 random(seed);
  const fs::path damaged = files[random() % files.size()];
  damage(damaged, random);
  try {
    return kind.read(copy) == expected ? the_same : "other numbers in silence";
  } catch (const InputError& error) {
    const std::string said = error.what();
    const bool tells = said.find(damaged.string() + " is damaged or cut short: ") != said.npos ||
                       said.find(damaged.string() + " does not begin as") != said.npos ||
                       said.find(damaged.string() + " has no seal") != said.npos;
    return tells ? refused : "says: " + said;
  } catch (const std::exception& error) {
    return std::string("ends with: ") + error.what();
  }
}

class DamagedFiles : public testing::TestWithParam<int> {};

TEST_P(DamagedFiles, EndInAMessageOrTheVeryNumbersOfTheWhole) {
  const Kind& kind = kinds()[static_cast<std::size_t>(GetParam())];
  const TemporaryFolder folder;
  const fs::path whole = folder.path() / "whole";
  fs::create_directory(whole);
  constexpr unsigned most_seconds = 60;
  constexpr int batch = 100;
  int refusals = 0;
  const int all = cases() / static_cast<int>(kinds().size());
  for (int first = 0; first < all; first += batch) {
    // In children alone, from the first file on: threads do not survive a fork.
    const Ended ended = run_in_child([&] {
      if (first == 0) kind.make(whole);
      const fs::path untouched = folder.path() / "untouched";
      fs::copy(whole, untouched, fs::copy_options::recursive);
      const std::string expected = kind.read(untouched);
      fs::remove_all(untouched);
      for (int i = first; i < std::min(first + batch, all); ++i) {
        alarm(most_seconds);
        std::fprintf(stderr, "case %d", i);
        const auto seed = static_cast<std::uint64_t>(i);
        const std::string end = judge(kind, whole, expected, seed, folder.path() / "copy");
        std::fprintf(stderr, ": %s\n", end.c_str());
        if (end != refused && end != the_same) return 1;
      }
      return 0;
    });
    ASSERT_EQ(ended.exit_code, 0) << kind.name << ", "
                                  << ended.said.substr(ended.said.rfind("case"));
    for (std::size_t at = 0; (at = ended.said.find(refused, at)) != std::string::npos; ++at) {
      ++refusals;
    }
  }
  std::printf("%s: %d damaged, %d refused\n", kind.name, all, refusals);
  const bool makes_again = kind.name == std::string("dataset");
  EXPECT_EQ(refusals == 0, makes_again);
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, DamagedFiles, testing::Range(0, 4),
                         [](const auto& kind) { return kinds()[std::size_t(kind.param)].name; });

}  // namespace
}  // namespace carom
