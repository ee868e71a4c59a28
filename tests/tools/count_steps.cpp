// Samples so many trajectories of a built-in system on one thread, for counting instructions:
// `count_steps SYSTEM first|cover|table TRAJECTORIES`. Prints the number of LCPs and of the
// instruction sets that this processor has.
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <string>

#include "carom/carom.hpp"
#include "kernels/cpu/run_items.hpp"

int main(int argc, char** argv) {
  using namespace carom;
  if (argc != 4) return 2;
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
    const std::string solutions = argv[2];
    options.set_valued().solutions = solutions == "table"   ? Solutions::table
                                     : solutions == "cover" ? Solutions::cover
                                                            : Solutions::first;
    options.trajectories = 1 << 16;  // paths are remembered as in a run of so many
    const Sampler sampler(std::span(&problem, 1), options);
    SampleSet samples;
    sampler.sample(0, std::strtoull(argv[3], nullptr, 10), samples);
    unsigned long long lcps = 0;
    for (std::size_t row = 0; row < samples.size(); ++row) {
      lcps += samples.lcp_count[row] + samples.final_step[row];
    }
    std::printf("%llu %zu\n", lcps, item_runners().size());
    return 0;
  }
  return 2;
}
