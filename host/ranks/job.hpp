#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/ranks/ranks.hpp"

namespace carom {

/// Does one order of a job and returns the result.
using Task = std::function<Bytes(const Bytes& order)>;

/// A job that a rank is ready for.
struct StartedJob {
  Task task;
  Bytes ready;  ///< what rank 0 shall know of it
};

/// A kind of work that ranks do: how to begin it from what rank 0 says of it, once, before many
/// orders. What it throws ends the run on rank 0 (see Crew).
struct Job {
  std::string name;
  std::function<StartedJob(const Bytes& setup, const Place& place)> start;
};

using Jobs = std::vector<Job>;

}  // namespace carom
