#pragma once

#include "carom/error.hpp"
#include "carom/impact_problem.hpp"
#include "carom/post_impact_set.hpp"
#include "carom/result_io.hpp"
#include "carom/sample_set.hpp"
#include "carom/sampler.hpp"
#include "carom/sampling_options.hpp"
#include "carom/scenario.hpp"
#include "carom/status.hpp"
#include "carom/step.hpp"
#include "carom/version.hpp"
