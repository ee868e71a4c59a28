#include "host/result/result_layout.hpp"

namespace carom::layout {

hdf5::Handle make_status_type() {
  hdf5::Handle type(H5Tenum_create(H5T_NATIVE_UINT8), "create the status type");
  for (int value = 0; value < status_count; ++value) {
    const auto status = static_cast<Status>(value);
    hdf5::check(H5Tenum_insert(type, status_name(status), &status), "fill the status type");
  }
  return type;
}

const char* name_of(Norm norm) { return norm == Norm::kinetic ? "kinetic" : "euclidean"; }

const char* name_of(Backend backend) {
  switch (backend) {
    case Backend::cpu:
      return "cpu";
    case Backend::cuda:
      return "cuda";
    case Backend::automatic:
      break;
  }
  return "auto";
}

Backend backend_named(const std::string& name) {
  for (const Backend backend : {Backend::cpu, Backend::cuda, Backend::automatic}) {
    if (name == name_of(backend)) return backend;
  }
  throw hdf5::Error("attribute backend is \"" + name + "\" (must be cpu, cuda or auto)");
}

SampleSet empty_samples(const ImpactProblem& problem) {
  SampleSet samples;
  samples.velocities = problem.velocities();
  samples.contacts = problem.contacts();
  samples.tangent_dimension = problem.tangent_dimension();
  return samples;
}

double row_bytes(const SampleSet& shape) {
  double bytes = 0.0;
  for_each_column(shape, [&](const char*, const auto& data, const hdf5::Shape& row) {
    double numbers = 1.0;
    for (const hsize_t extent : row) numbers *= static_cast<double>(extent);
    bytes += numbers * sizeof(typename std::decay_t<decltype(data)>::value_type);
  });
  return bytes;
}

hsize_t path_length(const SamplingOptions& options) {
  return static_cast<hsize_t>(options.max_steps) + 2;
}

}  // namespace carom::layout
