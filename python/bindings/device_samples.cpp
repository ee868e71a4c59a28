#include "carom/device_samples.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <optional>
#include <type_traits>

#include "carom/error.hpp"
#include "carom/sampler.hpp"
#include "host/progress.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

/// An array in the device's memory, which lives as long as the array does. No copy.
template <class Number>
nb::ndarray<Number, nb::device::cuda> device_view(nb::handle self, Number* data,
                                                  std::initializer_list<std::size_t> shape) {
  return {data,
          shape,
          self,
          {},
          nb::dtype<Number>(),
          nb::device::cuda::value,
          nb::cast<const DeviceSamples&>(self).device()};
}

template <auto member>
auto column_of(nb::handle self) {
  const auto& samples = nb::cast<const DeviceSamples&>(self);
  return device_view(self, (samples.*member)(), {samples.size()});
}

auto status_of(nb::handle self) {
  const auto& samples = nb::cast<const DeviceSamples&>(self);
  return device_view(self, reinterpret_cast<std::uint8_t*>(samples.status()), {samples.size()});
}

auto velocity_of(nb::handle self) {
  const auto& samples = nb::cast<const DeviceSamples&>(self);
  return device_view(self, samples.velocity(),
                     {samples.size(), static_cast<std::size_t>(samples.velocities())});
}

auto impulse_of(nb::handle self) {
  const auto& samples = nb::cast<const DeviceSamples&>(self);
  return device_view(self, samples.impulse(),
                     {samples.size(), static_cast<std::size_t>(samples.contacts()),
                      static_cast<std::size_t>(1 + samples.tangent_dimension())});
}

auto solution_count_of(nb::handle self) {
  const auto& samples = nb::cast<const DeviceSamples&>(self);
  std::optional<nb::ndarray<std::uint16_t, nb::device::cuda>> counts;
  if (samples.solution_count() != nullptr) {
    counts = device_view(self, samples.solution_count(),
                         {samples.size(), static_cast<std::size_t>(solution_bins)});
  }
  return counts;
}

DeviceSamples sample_on_device(nb::object problems, nb::dict options, nb::object progress) {
  const Subjects subjects = read_subjects(problems, options);
  const bool shown = shows_progress(progress);
  return long_call([&](const std::function<bool()>& stop) {
    const Sampler sampler(subjects.problems, subjects.sampling);
    const std::uint64_t total = subjects.sampling.trajectories * subjects.problems.size();
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
  nb::class_<DeviceSamples>(module, "DeviceSamples", device_samples_doc)
      .def("__len__", &DeviceSamples::size)
      .def_prop_ro("first", &DeviceSamples::first, "index of the first row's trajectory")
      .def_prop_ro("velocities", &DeviceSamples::velocities, "nv")
      .def_prop_ro("contacts", &DeviceSamples::contacts, "m")
      .def_prop_ro("tangent_dimension", &DeviceSamples::tangent_dimension, "d")
      .def_prop_ro("device", &DeviceSamples::device, "number of the CUDA device")
      .def_prop_ro("kernel_seconds", &DeviceSamples::kernel_seconds,
                   "from the first launch to the last kernel's end, s")
      .def_prop_ro("velocity", &velocity_of, "(rows, nv)")
      .def_prop_ro("status", &status_of, "(rows,)")
      .def_prop_ro("impulse", &impulse_of, "(rows, m, 1 + d), N·s")
      .def_prop_ro("energy", &column_of<&DeviceSamples::energy>, "(rows,), J")
      .def_prop_ro("lcp_count", &column_of<&DeviceSamples::lcp_count>, "(rows,)")
      .def_prop_ro("final_step", &column_of<&DeviceSamples::final_step>, "(rows,)")
      .def_prop_ro("pivot_count", &column_of<&DeviceSamples::pivot_count>, "(rows,)")
      .def_prop_ro("retry_count", &column_of<&DeviceSamples::retry_count>, "(rows,)")
      .def_prop_ro("table_count", &column_of<&DeviceSamples::table_count>, "(rows,)")
      .def_prop_ro("solution_count", &solution_count_of, "(rows, 10), or None")
      .def("to_host", &DeviceSamples::to_host, nb::call_guard<nb::gil_scoped_release>(),
           "a SampleSet with copies of all rows");
  module.def("sample_on_device", &sample_on_device, "problem"_a, "options"_a,
             "progress"_a.none());
}

}  // namespace carom::python
