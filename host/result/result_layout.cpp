#include "host/result/result_layout.hpp"

#include "host/problem/step_lcp.hpp"
#include "host/sampling/sampling_plan.hpp"

namespace carom::layout {

hdf5::Handle make_status_type() {
  hdf5::Handle type(H5Tenum_create(H5T_NATIVE_UINT8), "create the status type");
  for (int value = 0; value < status_count; ++value) {
    const auto status = static_cast<Status>(value);
    hdf5::check(H5Tenum_insert(type, status_name(status), &status), "fill the status type");
  }
  return type;
}

Backend backend_named(const std::string& name) {
  for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::automatic}) {
    if (name == backend_name(backend)) return backend;
  }
  throw hdf5::Error("attribute backend is \"" + name + "\" (must be cpu, cuda or auto)");
}

RowShape row_shape(const Scenario& scenario) {
  return rows_of(shape_of(scenario.problem), scenario.sampling);
}

hsize_t path_length(const SamplingOptions& options) {
  return static_cast<hsize_t>(options.max_steps) + 2;
}

}  // namespace carom::layout
