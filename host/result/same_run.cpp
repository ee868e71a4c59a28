#include "host/result/same_run.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>
#include <utility>

#include "carom/version.hpp"
#include "host/laws/law_list.hpp"
#include "host/options/option_list.hpp"

namespace carom {
namespace {

/// Values that Carom chose count as stated ones.
template <class T>
void state(T&) {}
template <class T>
void state(Choice<T>& value) {
  value = T(*value);
}

/// A scenario without the options on which results do not depend.
std::string bits_of(Scenario scenario) {
  resolve(scenario);
  const auto state_one = [](const OptionInfo&, auto& value) { state(value); };
  for_each_option(state_one, scenario.sampling);
  for_each_law_option(scenario.sampling.law, state_one);
  for_each_option(state_one, scenario.evidence);
  const SamplingOptions any;
  SamplingOptions& options = scenario.sampling;
  options.trajectories = any.trajectories;
  for_each_option(
      [](const OptionInfo& info, auto& value, const auto& default_value) {
        if (info.is_machine) value = default_value;
      },
      options, any);
  scenario.storage = {};
  if (scenario.explore) scenario.explore->budget = ExploreOptions{}.budget;
  scenario.name.clear();
  scenario.problem.speed_units.clear();
  return to_toml(scenario);
}

}  // namespace

bool same_run(const Scenario& one, const Scenario& other) {
  Scenario a = one;
  Scenario b = other;
  Choice<std::uint64_t>& its = a.evidence.hold_out;
  Choice<std::uint64_t>& others = b.evidence.hold_out;
  if (!its.is_stated() || !others.is_stated()) its = others = 0;  // chosen by the trajectories
  return bits_of(std::move(a)) == bits_of(std::move(b));
}

std::string run_id(const Scenario& scenario) {
  Scenario of_rows = scenario;
  of_rows.evidence = {};
  of_rows.evidence.hold_out = 4096;  // whatever their number would make of it
  const std::string text = bits_of(of_rows) + version();
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return fmt::format("{:08x}", crc.checksum());
}

}  // namespace carom
