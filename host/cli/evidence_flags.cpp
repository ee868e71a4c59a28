#include "host/cli/evidence_flags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "carom/error.hpp"
#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"

namespace carom::cli {
namespace {

constexpr auto any_count = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t any_int = std::numeric_limits<int>::max();

/// "evidence.hold_out" -> "hold-out"; empty for a field whose flag was not given.
std::string given_flag(const EvidenceFlags& flags, const std::string& field) {
  const std::pair<const char*, const EvidenceFlags::Text*> known[] = {
      {"hold-out", &flags.hold_out},
      {"confidence", &flags.confidence},
      {"miss", &flags.miss},
      {"max-trajectories", &flags.max_trajectories},
      {"max-seconds", &flags.max_seconds},
      {"net-size", &flags.net_size},
      {"seek-extremes", &flags.seek_extremes}};
  std::string name = field.substr(field.rfind('.') + 1);
  std::replace(name.begin(), name.end(), '_', '-');
  for (const auto& [flag, text] : known) {
    if (flag == name && *text) return name;
  }
  return "";
}

/// The library's rules, told in terms of the flag where one was given.
void check(const EvidenceFlags& flags, const EvidenceOptions& options) {
  try {
    validate(options);
  } catch (const FieldError& error) {
    const std::string flag = given_flag(flags, error.path());
    if (flag.empty()) throw;
    const std::string message =
        error.what();  // begins with the field's name, as long as the flag's
    throw InputError("--" + flag + message.substr(flag.size()));
  }
  if (options.miss > 0.0) return;
  const char* stray = flags.max_trajectories ? "--max-trajectories"
                      : flags.max_seconds    ? "--max-seconds"
                                             : nullptr;
  if (stray == nullptr) return;
  throw InputError(
      fmt::format("{} is given (must be with --miss: it ends a run that grows)", stray));
}

}  // namespace

void add_evidence_flags(Command& command, EvidenceFlags& flags) {
  command.group("What is found out about the net");
  const auto add = [&](const char* name, EvidenceFlags::Text& text, const char* type,
                       const char* help) { command.option(name, text, type, help); };
  add("--hold-out", flags.hold_out, "K",
      "fresh trajectories that test the net; 0 = no certificate");
  add("--confidence", flags.confidence, "P", "confidence of the certificate, 0.5 <= P < 1");
  add("--miss", flags.miss, "P",
      "grow the run until at most this share of new trajectories misses the net; 0 = do not");
  add("--max-trajectories", flags.max_trajectories, "M",
      "budget of a run that grows: its trajectories and those of its tests; 0 = 2^26");
  add("--max-seconds", flags.max_seconds, "S", "budget of a run that grows; 0 = none");
  add("--net-size", flags.net_size, "K",
      "choose K outcomes, each the farthest from those before; 0 = none");
  add("--seek-extremes", flags.seek_extremes, "K|none",
      "search the set's ends along every contact's axes and K random directions");
  command.flag("--verify-net", flags.verify_net, "compare every outcome with the net once more");
  command.flag("--no-comparison", flags.no_comparison,
               "leave the simultaneous and the sequential law out");
}

void apply(const EvidenceFlags& flags, Scenario& scenario) {
  EvidenceOptions& options = scenario.evidence;
  const auto count = [](const char* flag, const EvidenceFlags::Text& text, std::uint64_t& target) {
    if (text) target = parse_integer(flag, *text, 0, any_count);
  };
  const auto real = [](const char* flag, const EvidenceFlags::Text& text, double& target) {
    if (text) target = parse_real(flag, *text);
  };
  count("--hold-out", flags.hold_out, options.hold_out);
  real("--confidence", flags.confidence, options.confidence);
  real("--miss", flags.miss, options.miss);
  count("--max-trajectories", flags.max_trajectories, options.max_trajectories);
  real("--max-seconds", flags.max_seconds, options.max_seconds);
  count("--net-size", flags.net_size, options.net_size);
  if (flags.seek_extremes) {
    const std::string& text = *flags.seek_extremes;
    options.seek_extremes =
        text == "none" ? -1 : static_cast<int>(parse_integer("--seek-extremes", text, 0, any_int));
  }
  if (flags.verify_net) options.verify_net = true;
  if (flags.no_comparison) options.comparison = false;
  check(flags, options);
  validate(scenario.sampling.law, options);
}

}  // namespace carom::cli
