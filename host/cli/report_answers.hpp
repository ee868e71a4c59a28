#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "carom/questions.hpp"
#include "carom/scenario.hpp"

namespace carom::cli {

/// A table of questions and what is known of them. @param bound nullptr: none
std::string answers_text(const Scenario& scenario, const std::vector<Answer>& answers,
                         const OuterBound* bound);

/// [{"question", "answer", "found", "bound", "tolerance"}].
nlohmann::ordered_json answers_json(const std::vector<Answer>& answers);

}  // namespace carom::cli
