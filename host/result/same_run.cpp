#include "host/result/same_run.hpp"

#include <fmt/format.h>

#include <boost/crc.hpp>

#include "carom/version.hpp"

namespace carom {
namespace {

/// A scenario without what changes no bit of it.
std::string bits_of(Scenario scenario) {
  const SamplingOptions any;
  SamplingOptions& options = scenario.sampling;
  options.trajectories = any.trajectories;
  options.backend = any.backend;
  options.threads = any.threads;
  options.device = any.device;
  options.chunk = any.chunk;
  scenario.storage = {};
  return to_toml(scenario);
}

}  // namespace

bool same_run(const Scenario& one, const Scenario& other) { return bits_of(one) == bits_of(other); }

std::string run_id(const Scenario& scenario) {
  Scenario of_rows = scenario;
  of_rows.evidence = {};
  const std::string text = bits_of(of_rows) + version();
  boost::crc_32_type crc;
  crc.process_bytes(text.data(), text.size());
  return fmt::format("{:08x}", crc.checksum());
}

}  // namespace carom
