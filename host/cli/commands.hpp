#pragma once

#include "host/cli/options.hpp"
#include "host/ranks/crew.hpp"

namespace carom::cli {

// Each adds a command. Those that many ranks can share get their crew; null where there is one
// process.
void add_sample_command(CommandLine& line, Crew* crew);
void add_resume_command(CommandLine& line, Crew* crew);
void add_step_command(CommandLine& line);
void add_solutions_command(CommandLine& line);
void add_describe_command(CommandLine& line);
void add_systems_command(CommandLine& line);
void add_compare_command(CommandLine& line);
void add_plot_command(CommandLine& line);
void add_dataset_command(CommandLine& line, Crew* crew);
void add_grid_command(CommandLine& line, Crew* crew);

}  // namespace carom::cli
