#include "carom/device_samples.hpp"

#include <nanobind/ndarray.h>

#include <vector>

#include "carom/error.hpp"
#include "carom/progress_bar.hpp"
#include "carom/sampler.hpp"
#include "python/bindings/columns.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

/// An array in the device's memory, which lives as long as the array does. No copy. Of the array API:
/// a bare capsule of DLPack, which JAX refuses, has no __dlpack_device__.
template <class Number>
nb::ndarray<nb::array_api, Number, nb::device::cuda> device_view(nb::handle self, Number* data,
                                                  const std::vector<std::size_t>& shape) {
  return {data,
          shape.size(),
          shape.data(),
          self,
          nullptr,
          nb::dtype<Number>(),
          nb::device::cuda::value,
          nb::cast<const DeviceSamples&>(self).device()};
}

DeviceSamples sample_on_device(nb::object problems, nb::dict options, nb::object progress) {
  const Subjects subjects = read_subjects(problems, options);
  const bool shown = shows_progress(progress);
  return long_call([&](const std::function<bool()>& stop) {
    const SamplingOptions chosen = resolved(subjects.sampling, subjects.problems);
    const Sampler sampler(subjects.problems, chosen);
    const std::uint64_t total = chosen.trajectories * subjects.problems.size();
    ProgressBar bar(0, total, shown);
    return sampler.sample_on_device(0, total, [&](std::uint64_t done, std::uint64_t) {
      bar.update(done, done);
      return !stop();
    });
  });
}

constexpr const char* device_samples_doc =
    R"(Trajectories in the memory of a CUDA device, where they were computed; one row each.

The arrays are views of that memory, without copies, for whatever speaks DLPack:
`torch.from_dlpack(samples.velocity)`, `cupy.from_dlpack(...)`, `jax.dlpack.from_dlpack(...)`. They
keep the memory alive. Shapes and units are those of SampleSet.)";

}  // namespace

void bind_device_samples(nb::module_& module) {
  nb::class_<DeviceSamples> type(module, "DeviceSamples", device_samples_doc);
  bind_columns(
      type, [](const DeviceSamples& samples) { return samples.columns(); },
      [](const DeviceSamples& samples) -> const RowShape& { return samples.shape(); },
      [](nb::handle self, auto* numbers, const auto& shape) {
        return nb::cast(device_view(self, numbers, shape));
      });
  type.def("__len__", &DeviceSamples::size)
      .def_prop_ro("first", &DeviceSamples::first, "index of the first row's trajectory")
      .def_prop_ro(
          "velocities", [](const DeviceSamples& self) { return self.shape().velocities; }, "nv")
      .def_prop_ro(
          "contacts", [](const DeviceSamples& self) { return self.shape().contacts; }, "m")
      .def_prop_ro(
          "tangent_dimension",
          [](const DeviceSamples& self) { return self.shape().tangent_dimension; }, "d")
      .def_prop_ro("device", &DeviceSamples::device, "number of the CUDA device")
      .def_prop_ro("kernel_seconds", &DeviceSamples::kernel_seconds,
                   "from the first launch to the last kernel's end, s")
      .def("to_host", &DeviceSamples::to_host, nb::call_guard<nb::gil_scoped_release>(),
           "a SampleSet with copies of all rows");
  module.def("sample_on_device", &sample_on_device, "problem"_a.none(), "options"_a, "progress"_a.none());
}

}  // namespace carom::python
