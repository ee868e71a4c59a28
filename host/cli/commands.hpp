#pragma once

#include "host/cli/options.hpp"
#include "host/ranks/crew.hpp"

namespace carom::cli {

// Each adds a subcommand to `app`; parsing it puts what it does into `selected`.
// Those that many ranks can share get their crew; null where there is one process.
void add_sample_command(CLI::App& app, Command& selected, Crew* crew);
void add_resume_command(CLI::App& app, Command& selected, Crew* crew);
void add_step_command(CLI::App& app, Command& selected);
void add_solutions_command(CLI::App& app, Command& selected);
void add_describe_command(CLI::App& app, Command& selected);
void add_systems_command(CLI::App& app, Command& selected);
void add_compare_command(CLI::App& app, Command& selected);
void add_plot_command(CLI::App& app, Command& selected);
void add_dataset_command(CLI::App& app, Command& selected, Crew* crew);
void add_grid_command(CLI::App& app, Command& selected, Crew* crew);

}  // namespace carom::cli
