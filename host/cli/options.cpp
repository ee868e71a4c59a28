#include "host/cli/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "carom/error.hpp"
#include "host/base/field_error.hpp"
#include "host/laws/law_list.hpp"

namespace carom::cli {
namespace {

constexpr auto any_count = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t any_word = std::numeric_limits<std::uint32_t>::max();
constexpr std::uint64_t any_int = std::numeric_limits<int>::max();

/// "max_steps" -> "max-steps"
std::string flag_name(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return key;
}
std::string option_of(std::string flag) {
  std::replace(flag.begin(), flag.end(), '-', '_');
  return flag;
}

Law parse_law(const std::string& name) {
  try {
    return law_named(name);
  } catch (const InputError& error) {  // "law is ..."
    throw InputError(std::string("--") + error.what());
  }
}

std::uint64_t parse_samples(const std::string& text) {
  if (text == "all") return any_count;
  if (text == "none") return 0;
  const bool likely_number = !text.empty() && text.find_first_not_of("0123456789.e+-") == text.npos;
  if (likely_number) return parse_integer("--samples", text, 0, any_count);
  throw InputError(fmt::format("--samples is \"{}\" (must be all, none or an integer)", text));
}

/// "sampling.max_steps" -> "max-steps"; empty for another field.
std::string flag_of(const std::string& field) {
  const std::string table = "sampling.";
  if (field.rfind(table, 0) != 0) return "";
  return flag_name(field.substr(table.size()));
}

bool was_given(const SamplingFlags& flags, const std::string& flag) {
  return (flag == "trajectories" && flags.trajectories) ||
         (flag == "max-steps" && flags.max_steps) ||
         (flag == "impulse-step" && flags.impulse_step) || (flag == "epsilon" && flags.epsilon) ||
         (flag == "termination-tolerance" && flags.termination_tolerance) ||
         flags.law_option(option_of(flag)) || (flag == "threads" && flags.threads) ||
         (flag == "device" && flags.device) || (flag == "chunk" && flags.chunk);
}

/// The library's rules, told in terms of the flag where one was given.
void check(const SamplingFlags& flags, const Scenario& scenario) {
  const SamplingOptions& options = scenario.sampling;
  if (flags.impulse_step && !flags.epsilon && options.impulse_step > 0.0 &&
      options.epsilon >= options.impulse_step) {
    throw InputError(fmt::format("--impulse-step is {} (must be above epsilon = {})",
                                 options.impulse_step, options.epsilon));
  }
  try {
    validate(options);
    validate(options.law, scenario.problem.contacts());
  } catch (const FieldError& error) {
    const std::string flag = flag_of(error.path());
    if (!was_given(flags, flag)) throw;
    std::string message = error.what();
    const std::string key = error.path().substr(error.path().rfind('.') + 1);
    if (message.rfind(key, 0) == 0) message.erase(0, key.size());
    throw InputError("--" + flag + message);
  }
}

}  // namespace

void add_scenario_argument(Command& command, std::string& scenario) {
  command.argument("SCENARIO", scenario,
                   "scenario file (.toml), or the name of a built-in system (carom systems)");
}

void add_json_flag(Command& command, bool& json) {
  command.flag("--json", json, "print one JSON document on standard output");
}

void add_output_flags(Command& command, OutputFlags& flags) {
  add_json_flag(command, flags.json);
  command.flag("-q,--quiet", flags.quiet, "print warnings, notes and errors only");
  command.flag("--verbose", flags.verbose, "print every count and option");
  command.exclude("--verbose", "--quiet");
}

void add_sampling_flags(Command& command, SamplingFlags& flags) {
  command.group("What is sampled");
  const auto add = [&](const char* name, SamplingFlags::Text& text, const char* type,
                       const char* help) { command.option(name, text, type, help); };
  add("--trajectories", flags.trajectories, "M", "number of trajectories");
  add("--max-steps", flags.max_steps, "N", "LCPs per trajectory at most");
  add("--impulse-step", flags.impulse_step, "h", "largest cap on a normal impulse, in N·s");
  add("--epsilon", flags.epsilon, "EPS", "resolution of the net, 0 < EPS < h");
  add("--norm", flags.norm, "NORM", "norm of the net: euclidean or kinetic");
  add("--termination-tolerance", flags.termination_tolerance, "TOL",
      "a contact that approaches slower is separated, in m/s");
  std::string names;
  for (const Law& law : all_laws())
    names += (names.empty() ? "" : "|") + std::string(law_name(law));
  add("--law", flags.law, names.c_str(), "impact law");
  for (const Law& law : all_laws()) {
    for_each_law_option(law, [&](const OptionInfo& info, const auto&) {
      add(("--" + flag_name(info.name)).c_str(), flags.law_options[info.name], info.argument,
          info.help);
    });
  }
  add("--seed", flags.seed, "SEED", "seed, 32 bits");
  add("--problem-id", flags.problem_id, "ID", "random stream of the problem, 32 bits");
  add("--samples", flags.samples, "all|none|K", "trajectories whose rows the file keeps");
  add("--paths", flags.paths, "K", "trajectories whose velocities on the way the file keeps");
  add("--shard-rows", flags.shard_rows, "K",
      "keep the rows in files of K trajectories in the folder FILE.rows; 0 = in FILE");
}

void add_machine_flags(Command& command, SamplingFlags& flags) {
  command.group("How it runs (changes no bit of an outcome)");
  const auto add = [&](const char* name, SamplingFlags::Text& text, const char* type,
                       const char* help) { command.option(name, text, type, help); };
  add("--backend", flags.backend, "auto|cpu|cuda", "processor; auto takes a GPU if there is one");
  add("--threads", flags.threads, "T", "CPU threads; 0 = all");
  add("--device", flags.device, "D", "CUDA device");
  add("--chunk", flags.chunk, "C", "trajectories per launch; 0 = chosen for the backend");
}

void apply(const SamplingFlags& flags, Scenario& scenario) {
  SamplingOptions& options = scenario.sampling;
  const auto integer = [](const char* flag, const SamplingFlags::Text& text, auto& target,
                          std::uint64_t least, std::uint64_t greatest) {
    if (!text) return;
    target =
        static_cast<std::decay_t<decltype(target)>>(parse_integer(flag, *text, least, greatest));
  };
  integer("--trajectories", flags.trajectories, options.trajectories, 1, any_count);
  integer("--max-steps", flags.max_steps, options.max_steps, 1, any_int);
  integer("--seed", flags.seed, options.seed, 0, any_word);
  integer("--problem-id", flags.problem_id, options.problem_id, 0, any_word);
  integer("--threads", flags.threads, options.threads, 0, any_int);
  integer("--device", flags.device, options.device, 0, any_int);
  integer("--chunk", flags.chunk, options.chunk, 0, any_count);
  integer("--paths", flags.paths, scenario.storage.paths, 0, any_count);
  integer("--shard-rows", flags.shard_rows, scenario.storage.shard_rows, 0, INT64_MAX);
  if (flags.samples) scenario.storage.samples = parse_samples(*flags.samples);
  if (flags.backend) options.backend = parse_backend(*flags.backend, "--backend");
  if (flags.norm) options.norm = parse_norm(*flags.norm, "--norm");
  if (flags.law && *flags.law != law_name(options.law)) options.law = parse_law(*flags.law);
  for (const auto& [name, text] : flags.law_options) {
    if (text) set_law_option(options.law, name, *text, "--" + flag_name(name));
  }
  if (flags.impulse_step) {
    options.impulse_step = parse_real("--impulse-step", *flags.impulse_step);
  }
  if (flags.epsilon) options.epsilon = parse_real("--epsilon", *flags.epsilon);
  if (flags.termination_tolerance) {
    options.termination_tolerance =
        parse_real("--termination-tolerance", *flags.termination_tolerance);
  }
  check(flags, scenario);
}

void apply(const SamplingFlags& flags, FamilySpec& spec) {
  Scenario scenario = spec.family.base();
  scenario.sampling = spec.sampling;
  apply(flags, scenario);
  spec.sampling = scenario.sampling;
}

}  // namespace carom::cli
