#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "carom/law.hpp"
#include "host/cli/commands.hpp"
#include "host/cli/report.hpp"
#include "host/cli/report_modes.hpp"
#include "host/cli/terminal.hpp"
#include "host/options/option_text.hpp"
#include "host/result/compare_results.hpp"

namespace carom::cli {
namespace {

using nlohmann::ordered_json;

struct CompareArguments {
  std::string a;
  std::string b;
  bool json = false;
};

/// The differences, and notes about the numbers.
std::vector<std::string> compare_notes(const ResultComparison& comparison) {
  std::vector<std::string> notes = comparison.differences;
  const ordered_json sampling_a = sampling_json(comparison.a.scenario.sampling);
  const ordered_json sampling_b = sampling_json(comparison.b.scenario.sampling);
  const char* const law_a = law_name(comparison.a.scenario.sampling.law);
  const char* const law_b = law_name(comparison.b.scenario.sampling.law);
  if (std::string_view(law_a) != law_b) {
    notes.push_back(fmt::format("law is {} in A, {} in B", law_a, law_b));
  }
  for (const auto& [key, value] : sampling_a.items()) {
    const auto other = sampling_b.find(key);  // another law has other options
    if (other == sampling_b.end() || value == *other || key.ends_with(asked_suffix)) continue;
    notes.push_back(fmt::format("{} is {} in A, {} in B", key, value.dump(), other->dump()));
  }
  const auto note_file = [&](const char* name, const ComparedResult& compared) {
    if (compared.explored) {
      notes.push_back(
          fmt::format("{} is an exploration{}: it has no rows, and its outcomes no shares of modes",
                      name, compared.complete ? "" : " that was interrupted"));
    } else if (!compared.complete) {
      notes.push_back(fmt::format("{} is incomplete: {} of {} trajectories", name,
                                  compared.trajectories, compared.scenario.sampling.trajectories));
    }
    if (comparison.outcomes && compared.stored_rows < compared.trajectories) {
      notes.push_back(fmt::format("{} stores {} of its {} trajectories", name, compared.stored_rows,
                                  compared.trajectories));
    }
  };
  note_file("A", comparison.a);
  note_file("B", comparison.b);
  if (comparison.too_many_rows) {
    notes.push_back("the outcomes are too many to be compared with each other in memory (4 GiB)");
  }
  return notes;
}

std::string run_table(const ResultComparison& comparison) {
  Table table({"", "A", "B"}, false);
  const auto add = [&](const char* label, const auto& text_of) {
    table.add({label, text_of(comparison.a), text_of(comparison.b)});
  };
  add("file", [](const ComparedResult& run) { return run.file.string(); });
  add("system", [](const ComparedResult& run) { return run.scenario.system; });
  add("trajectories",
      [](const ComparedResult& run) { return fmt::format("{}", run.trajectories); });
  add("outcomes", [](const ComparedResult& run) { return fmt::format("{}", run.outcome_count); });
  add("net", [](const ComparedResult& run) {
    const EpsilonNet& net = run.net;
    return fmt::format("{} member{}{}, epsilon = {} ({} norm)", net.size(),
                       net.size() == 1 ? "" : "s",
                       run.searched > 0 ? fmt::format(", {} of the search", run.searched) : "",
                       number(net.epsilon()), norm_name(run.scenario.sampling.norm));
  });
  return table.text();
}

std::string distance_table(const ResultComparison& comparison) {
  Table table({"", "net to net", "outcomes to net", "outcomes to outcomes"});
  const auto add = [&](const char* label, const auto& value_of) {
    table.add({label, number(value_of(comparison.nets)),
               "<= " + number(value_of(comparison.outcomes_to_net)),
               comparison.outcomes ? number(value_of(*comparison.outcomes)) : "-"});
  };
  add("A to B", [](const ComparedDistances& distances) { return distances.a_to_b; });
  add("B to A", [](const ComparedDistances& distances) { return distances.b_to_a; });
  add("both", [](const ComparedDistances& distances) {
    return std::max(distances.a_to_b, distances.b_to_a);
  });
  return fmt::format(
      "Hausdorff distances ({} norm)\n{}"
      "  net to net: greatest distance of a member to the other net\n"
      "  outcomes to net: that of any outcome of the run, at most (net to net + epsilon)\n"
      "  outcomes to outcomes: of the rows that the files store, and of searches\n",
      norm_name(comparison.a.scenario.sampling.norm), table.text());
}

std::string mode_table(const ResultComparison& comparison) {
  if (comparison.modes.empty()) return "";
  const std::uint64_t outcomes_a = comparison.a.modes.outcomes();
  const std::uint64_t outcomes_b = comparison.b.modes.outcomes();
  Table table({"mode", "A", "95 % interval", "B", "95 % interval"}, false);
  const auto add = [&](const std::string& text, std::uint64_t a, std::uint64_t b) {
    table.add({text, share_with_error(a, outcomes_a), share_interval(a, outcomes_a),
               share_with_error(b, outcomes_b), share_interval(b, outcomes_b)});
  };
  const std::vector<ComparedMode>& modes = comparison.modes;
  const std::size_t shown = shown_modes(modes.size());
  ComparedMode rest;
  for (std::size_t i = 0; i < modes.size(); ++i) {
    if (i < shown) {
      add(short_mode_text(modes[i].contacts, comparison.a.problem().contact_names), modes[i].a,
          modes[i].b);
    } else {
      rest.a += modes[i].a;
      rest.b += modes[i].b;
    }
  }
  if (shown < modes.size()) {
    add(fmt::format("{} other modes (--json lists them)", modes.size() - shown), rest.a, rest.b);
  }
  return "\nContact modes of the outcomes\n" + table.text();
}

ordered_json run_json(const ComparedResult& run) {
  return {{"file", run.file.string()},
          {"system", run.scenario.system},
          {"explored", run.explored},
          {"complete", run.complete},
          {"trajectories", run.trajectories},
          {"outcomes", run.outcome_count},
          {"stored_rows", run.stored_rows},
          {"net",
           {{"size", run.net.size()},
            {"searched", run.searched},
            {"epsilon", run.net.epsilon()},
            {"norm", norm_name(run.scenario.sampling.norm)}}},
          {"mode_tolerance", run.modes.tolerance()},
          {"sampling", sampling_json(run.scenario.sampling)}};
}

/// An infinite distance, that of an empty set, becomes null.
ordered_json distances_json(const ComparedDistances& distances) {
  return {{"a_to_b", distances.a_to_b},
          {"b_to_a", distances.b_to_a},
          {"both", std::max(distances.a_to_b, distances.b_to_a)}};
}

ordered_json compare_json(const ResultComparison& comparison) {
  ordered_json modes = ordered_json::array();
  const auto one = [](std::uint64_t count, const OutcomeModes& of) {
    ordered_json side = {{"count", count}};
    side.update(share_json(count, of.outcomes()));
    return side;
  };
  for (const ComparedMode& mode : comparison.modes) {
    modes.push_back({{"text", mode_text(mode.contacts, comparison.a.problem().contact_names)},
                     {"contacts", contact_modes_json(mode.contacts)},
                     {"a", one(mode.a, comparison.a.modes)},
                     {"b", one(mode.b, comparison.b.modes)}});
  }
  ordered_json document;
  document["a"] = run_json(comparison.a);
  document["b"] = run_json(comparison.b);
  document["norm"] = norm_name(comparison.a.scenario.sampling.norm);
  document["net_to_net"] = distances_json(comparison.nets);
  document["outcomes_to_net"] = distances_json(comparison.outcomes_to_net);
  document["outcomes_to_outcomes"] =
      comparison.outcomes ? distances_json(*comparison.outcomes) : ordered_json(nullptr);
  document["modes"] = std::move(modes);
  document["notes"] = compare_notes(comparison);
  return document;
}

int run_compare(const CompareArguments& arguments) {
  const ResultComparison comparison = compare_results(arguments.a, arguments.b);
  if (arguments.json) {
    print(compare_json(comparison));
    return exit_success;
  }
  print(Ink(STDOUT_FILENO).bold("Comparison of two results") + "\n" + run_table(comparison) + "\n" +
        distance_table(comparison) + mode_table(comparison));
  for (const std::string& note : compare_notes(comparison)) print(note_line(note, STDOUT_FILENO));
  return exit_success;
}

}  // namespace

void add_compare_command(CommandLine& line) {
  auto arguments = std::make_shared<CompareArguments>();
  Command command = line.add(
      "compare", "Tell how far apart two results are: Hausdorff distances, contact modes",
      "compare rocking_block.h5 explored.h5", [arguments] { return run_compare(*arguments); });
  command.argument("A", arguments->a,
                   "result file of 'carom sample', also with --explore; its norm is used");
  command.argument("B", arguments->b, "result file of the same mechanism");
  add_json_flag(command, arguments->json);
}

}  // namespace carom::cli
