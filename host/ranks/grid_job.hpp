#pragma once

#include "carom/grid.hpp"
#include "host/ranks/crew.hpp"

namespace carom {

/// The job of a grid's states: a unit is a block of them.
Job grid_job();

/// continue_grid() on all ranks. The observer is told whenever the states from the first one on
/// have become more; false from it, or a signal, stops the run.
/// @param file of the specification, which every rank reads
void continue_grid(Crew& crew, const std::filesystem::path& file, const GridSpec& spec,
                   GridResult& result, const GridObserver& observer);

}  // namespace carom
