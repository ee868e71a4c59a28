#pragma once

#include <benchmark/benchmark.h>

#include <map>
#include <string>

#include "carom/carom.hpp"
#include "host/step_lcp.hpp"

namespace carom::bench {

/// A built-in system with the paper's parameters.
inline ImpactProblem build(const System& system) {
  std::map<std::string, double> parameters;
  for (const SystemParameter& parameter : system.parameters) {
    parameters[parameter.name] = parameter.value;
  }
  ImpactProblem problem = system.build(parameters);
  validate(problem);
  return problem;
}

/// What every benchmark's main does.
inline int run(int argc, char** argv, void (*register_all)()) {
  benchmark::Initialize(&argc, argv);
  register_all();
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace carom::bench
