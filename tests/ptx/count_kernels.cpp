// Counts what the kernels of a run do on a GPU, from nvcc's PTX: `count_kernels SYSTEM
// first|table|all ROWS`, where SYSTEM can be four_feet, a random problem of n = 28; or that of
// worlds: `count_kernels four_feet|two_planar worlds ROWS`. Prints JSON for bench/gpu_model.py;
// numbers of functions and pieces are those of functions.json.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "carom/carom.hpp"
#include "tests/ptx/count_warps.hpp"
#include "tests/support/device_batch.hpp"
#include "tests/support/impact_arrays.hpp"
#include "tests/support/random_problem.hpp"

namespace {

nlohmann::json json_of(const ptx::KernelCount& count) {
  nlohmann::json functions;
  for (const auto& [function, pieces] : count.functions) {
    functions[std::to_string(function)] = {{"lanes", pieces.lanes}, {"warps", pieces.warps}};
  }
  nlohmann::json accesses;
  for (const auto& [kind, one] : count.accesses) {
    accesses[kind] = {{"warps", one.warps},
                      {"lanes", one.lanes},
                      {"bytes", one.bytes},
                      {"sectors", one.sectors},
                      {"lines", one.lines}};
  }
  return {{"threads", count.threads},
          {"turns", count.turns},
          {"functions", functions},
          {"accesses", accesses},
          {"local_bytes_touched", 4 * count.local_words},
          {"shared_bytes", count.shared_bytes}};
}

using namespace carom;

/// Rows of as many worlds, random problems with four feet in space or two contacts in the plane.
SampleSet worlds(bool four_feet, std::uint64_t count) {
  const test::Problems problems =
      four_feet ? test::Problems(count, 4, 18, 2, 4) : test::Problems(count, 2, 4);
  const ImpactBatch batch = problems.batch(0, count);
  const ImpactLawOptions options{.law = law::SetValued{.caps = CapsDistribution{}}};
  return test::device_outcomes(options, 1, batch, DeviceImpactLaw(options).shape(batch), false);
}

/// Rows of a run of a system.
SampleSet trajectories(const std::string& of, const std::string& solutions, std::uint64_t count) {
  ImpactProblem problem;
  SamplingOptions options;
  if (of == "four_feet") {
    test::Random random(4);
    problem = test::random_problem(random, 4, 18, 0.7, 2, 4);
    options.impulse_step = 0.5;
    options.epsilon = 0.01;
    options.max_steps = 20;
  } else {
    const auto system =
        std::ranges::find_if(systems(), [&](const System& its) { return its.name == of; });
    if (system == systems().end()) std::exit(2);
    std::map<std::string, double> parameters;
    for (const SystemParameter& parameter : system->parameters) {
      parameters[parameter.name] = parameter.value;
    }
    problem = system->build(parameters);
    options = system->sampling;
  }
  options.backend = Backend::cuda;
  options.set_valued().solutions = solutions == "table" ? Solutions::table
                                   : solutions == "all" ? Solutions::all
                                                        : Solutions::first;
  options.trajectories = 1 << 16;  // paths are remembered as in a run of so many
  const Sampler sampler(std::span(&problem, 1), options);
  SampleSet samples;
  sampler.sample(0, count, samples);
  return samples;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::string of = argv[1];
  const std::string what = argv[2];
  const std::uint64_t count = std::strtoull(argv[3], nullptr, 10);
  const SampleSet samples =
      what == "worlds" ? worlds(of == "four_feet", count) : trajectories(of, what, count);
  std::uint64_t lcps = 0;
  for (std::size_t row = 0; row < samples.size(); ++row) {
    lcps += samples.lcp_count[row] + samples.final_step[row];
  }
  nlohmann::json kernels;
  for (const auto& [name, count_of] : ptx::counted_kernels()) kernels[name] = json_of(count_of);
  const nlohmann::json report = {{"rows", samples.size()}, {"lcps", lcps}, {"kernels", kernels}};
  std::printf("%s\n", report.dump().c_str());
}
