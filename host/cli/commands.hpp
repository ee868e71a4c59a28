#pragma once

#include "host/cli/options.hpp"
#include "host/ranks/crew.hpp"

namespace carom::cli {

// Each function adds a command. Commands that can run on many ranks receive the crew, which is null
// for a single process.
void add_sample_command(CommandLine& line, Crew* crew);
void add_resume_command(CommandLine& line, Crew* crew);
void add_step_command(CommandLine& line);
void add_solutions_command(CommandLine& line);
void add_describe_command(CommandLine& line);
void add_bound_command(CommandLine& line);
void add_laws_command(CommandLine& line);
void add_outcomes_command(CommandLine& line);
void add_derivative_command(CommandLine& line);
void add_roll_command(CommandLine& line, Crew* crew);
void add_systems_command(CommandLine& line);
void add_compare_command(CommandLine& line);
void add_replay_command(CommandLine& line);
void add_plot_command(CommandLine& line);
void add_dataset_command(CommandLine& line, Crew* crew);
void add_grid_command(CommandLine& line, Crew* crew);

}  // namespace carom::cli
