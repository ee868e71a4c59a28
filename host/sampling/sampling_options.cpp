#include "carom/sampling_options.hpp"

#include <fmt/format.h>

#include "host/base/field_error.hpp"
#include "host/options/option_list.hpp"
#include "host/options/option_text.hpp"

namespace carom {
void validate(const SamplingOptions& options) {
  for_each_option(
      [](const OptionInfo& info, const auto& value) { check_range("sampling", info, value); },
      options);
}

}  // namespace carom
