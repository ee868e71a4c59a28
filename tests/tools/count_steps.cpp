// Samples so many trajectories of a built-in system on one thread, for counting instructions:
// `count_steps SYSTEM first|table one-off|many TRAJECTORIES`. Prints the number of LCPs and of the
// instruction sets that this processor has.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>

#include "carom/carom.hpp"
#include "kernels/run_items.hpp"

int main(int argc, char** argv) {
  using namespace carom;
  if (argc != 5) return 2;
  for (const System& system : systems()) {
    if (system.name != std::string(argv[1])) continue;
    std::map<std::string, double> parameters;
    for (const SystemParameter& parameter : system.parameters) {
      parameters[parameter.name] = parameter.value;
    }
    const ImpactProblem problem = system.build(parameters);
    SamplingOptions options = system.sampling;
    options.backend = Backend::cpu;
    options.threads = 1;
    options.solutions = std::string(argv[2]) == "table" ? Solutions::table : Solutions::first;
    // Paths of pivots are remembered where this says that there will be many trajectories.
    options.trajectories = std::string(argv[3]) == "many" ? 1 << 16 : 1;
    const Sampler sampler(std::span(&problem, 1), options);
    SampleSet samples;
    sampler.sample(0, std::strtoull(argv[4], nullptr, 10), samples);
    unsigned long long lcps = 0;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      lcps += samples.lcp_count[row] + samples.final_step[row];
    }
    std::printf("%llu %zu\n", lcps, item_runners().size());
    return 0;
  }
  return 2;
}
