#pragma once

#include <utility>
#include <vector>

#include "carom/extremes.hpp"
#include "carom/questions.hpp"
#include "python/bindings/arrays.hpp"

namespace carom::python {

/// [{"name", "direction", "found_low", "found_high"}], as in reports.
inline nb::list direction_dicts(std::vector<OutputEnds> ends) {
  nb::list list;
  for (OutputEnds& one : ends) {
    nb::dict entry;
    entry["name"] = one.name;
    const std::size_t size = one.direction.size();
    entry["direction"] = own(std::move(one.direction), {size});
    entry["found_low"] = one.found_low;
    entry["found_high"] = one.found_high;
    list.append(entry);
  }
  return list;
}

/// [{"question", "answer", "found", "bound", "tolerance"}], as in reports.
inline nb::list answer_dicts(const std::vector<Answer>& answers) {
  nb::list list;
  for (const Answer& one : answers) {
    nb::dict entry;
    entry["question"] = one.question;
    entry["answer"] = verdict_name(one.verdict);
    entry["found"] = one.found;
    entry["bound"] = one.bound;
    entry["tolerance"] = one.tolerance;
    list.append(entry);
  }
  return list;
}

/// What `answers` of samples, explorations and bounds are.
constexpr const char* answers_sig = "def answers(self) -> list[dict[str, typing.Any]]";
constexpr const char* answers_doc =
    "of each question that was asked (docs/reachability.md): question, answer (\"yes\", \"no\", "
    "\"no_within\": in so many steps as the bound is of, or \"open\"), how far outcomes reach that "
    "were found, how far they reach at most by the bound, and tolerance; NaN: not known";

}  // namespace carom::python
