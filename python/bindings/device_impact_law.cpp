#include "carom/device_impact_law.hpp"

#include <fmt/format.h>

#include <limits>

#include "carom/error.hpp"
#include "python/bindings/device_arrays.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;

/// The law, and the device that its arrays lie on.
struct Law {
  DeviceImpactLaw law;
  ArraysOfADevice arrays;
};

/// The rows of an earlier call, to be written again.
nb::object taken_again(const DeviceImpactLaw& law, nb::handle out, const ImpactBatch& batch,
                       std::uint64_t first) {
  const auto& rows = nb::cast<const DeviceSamples&>(out);
  if (rows.size() != batch.size || rows.shape() != law.shape(batch) || rows.first() != first) {
    throw InputError(
        fmt::format("out has the rows of another call (must be of {} problems of this shape, the "
                    "first of them {})",
                    batch.size, first));
  }
  return nb::borrow(out);
}

/// A cudaStream_t as the number that torch and CuPy tell.
void* read_stream(nb::handle stream) {
  if (stream.is_none()) return nullptr;
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(
      read_integer("stream", stream, 0, std::numeric_limits<std::uintptr_t>::max())));
}

nb::object update(Law& self, nb::object step, nb::object mass_matrix, nb::object normal_jacobian,
                  nb::object tangent_jacobian, nb::object friction, nb::object velocity,
                  nb::object restitution, nb::object active, nb::object impulse_step,
                  nb::object friction_directions, nb::object first, nb::object out,
                  nb::object stream, bool waits) {
  constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t step_number = read_integer("step", step, 0, any_count);
  const std::uint64_t first_index = read_integer("first", first, 0, any_count);
  void* const its_stream = read_stream(stream);
  const BatchArguments in =
      read_batch(self.arrays, mass_matrix, normal_jacobian, tangent_jacobian, friction, velocity,
                 restitution, active, impulse_step, friction_directions);
  RowPointers pointers;
  nb::object result = nb::none();
  if (out.is_none()) {
    result = nb::cast(self.law.rows(in.batch, first_index));
  } else if (nb::isinstance<DeviceSamples>(out)) {
    result = taken_again(self.law, out, in.batch, first_index);
  } else {
    const ArrayArgument<double> target = self.arrays.target("out", out);
    if (target.shape != in.velocity.shape) {
      throw InputError(fmt::format("out is {} (must be {}, as pre_impact_velocity)",
                                   shape_text(target.shape), shape_text(in.velocity.shape)));
    }
    pointers.velocity = const_cast<double*>(target.data);
  }
  if (!result.is_none()) pointers = nb::cast<const DeviceSamples&>(result).columns();
  const nb::gil_scoped_release others_run;
  self.law(step_number, in.batch, pointers, first_index, its_stream, waits);
  return result;
}

}  // namespace

void bind_device_impact_law(nb::module_& module) {
  nb::class_<Law>(module, "DeviceImpactLaw", "See carom.DeviceImpactLaw.")
      .def(
          "__init__",
          [](Law* self, nb::dict options, nb::object device) {
            const int number = static_cast<int>(
                read_integer("device", device, 0, std::numeric_limits<int>::max()));
            new (self) Law{DeviceImpactLaw(impact_law_options(std::move(options)), number),
                           ArraysOfADevice(number)};
          },
          "options"_a, "device"_a)
      .def("__call__", &update, "step"_a, "mass_matrix"_a, "normal_jacobian"_a,
           "tangent_jacobian"_a, "friction"_a, "pre_impact_velocity"_a, "restitution"_a.none(),
           "active"_a.none(), "impulse_step"_a.none(), "friction_directions"_a.none(), "first"_a,
           "out"_a.none(), "stream"_a.none(), "waits"_a);
}

}  // namespace carom::python
