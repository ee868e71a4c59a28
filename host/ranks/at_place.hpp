#pragma once

#include "carom/sampling_options.hpp"
#include "host/ranks/ranks.hpp"

namespace carom {

/// Options as a rank shall take them: one GPU per rank of a machine, and its share of the cores.
SamplingOptions at_place(SamplingOptions options, const Place& place);

}  // namespace carom
