#pragma once

#include <string>
#include <vector>

#include "carom/scenario.hpp"
#include "carom/uncertain.hpp"
#include "host/scenario/scenario_document.hpp"

namespace carom {

/// A number, {min = ..., max = ...} or {mean = ..., deviation = ...}.
Uncertain read_uncertain(const ScenarioDocument& document, const std::string& key,
                         const toml::node& node);

/// One of them, an array of them, or the name of a matrix file; none for "auto".
std::vector<Uncertain> read_uncertain_list(const ScenarioDocument& document, const std::string& key,
                                           const toml::node& node);

/// Numbers of [problem] for `size` contacts or velocities: a distribution counts as its middle, and
/// one number as `size` of them where `one_for_all`.
Eigen::VectorXd read_middles(const ScenarioDocument& document, const std::string& key,
                             const toml::node& node, Eigen::Index size, bool one_for_all);

/// Gives the distributions of [problem] to the law, and the problem what the law's options say of
/// it. @throws InputError if the law draws nothing
void share_draws(const ScenarioDocument& document, Scenario& scenario);

}  // namespace carom
