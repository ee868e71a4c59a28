#include <carom/carom.hpp>
#include <iostream>

int main() {
  const carom::Scenario scenario = carom::parse_scenario("system = \"rocking_block\"");
  const carom::SampleSet samples = carom::sample(scenario.problem, {.trajectories = 100});
  std::cout << samples.size() << " trajectories, carom " << carom::version() << '\n';
}
