#include "carom/impact_law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "carom/error.hpp"
#include "carom/progress_bar.hpp"
#include "python/bindings/batch_arguments.hpp"
#include "python/bindings/long_call.hpp"
#include "python/bindings/options.hpp"

namespace carom::python {
namespace {

using nb::literals::operator""_a;
/// Where the velocities go, besides the SampleSet: the caller's own array.
class Target {
 public:
  /// @throws InputError unless `out` is None or a writable array of this shape
  Target(nb::handle out, const ImpactBatch& batch) {
    if (out.is_none()) return;
    require_no_gradients("out", out);
    const std::string type = nb::cast<std::string>(nb::getattr(out.type(), "__module__"));
    if (type.starts_with("jax")) {
      throw InputError("out is an array of JAX (must be of NumPy or torch: JAX's never change)");
    }
    if (take(out, single_, batch) || take(out, double_, batch)) return;
    throw InputError(
        fmt::format("out must be a writable array of {} x {} numbers, float32 or float64, row by "
                    "row in one piece on the CPU",
                    batch.size, batch.velocities));
  }

  void write(const std::vector<double>& velocity) const {
    if (single_.is_valid()) std::copy(velocity.begin(), velocity.end(), single_.data());
    if (double_.is_valid()) std::copy(velocity.begin(), velocity.end(), double_.data());
  }

 private:
  template <class Number>
  using Array = nb::ndarray<Number, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

  template <class Number>
  static bool take(nb::handle out, Array<Number>& array, const ImpactBatch& batch) {
    constexpr bool convert = false;
    return nb::try_cast(out, array, convert) && array.shape(0) == batch.size &&
           array.shape(1) == static_cast<std::size_t>(batch.velocities);
  }

  Array<float> single_;
  Array<double> double_;
};

SampleSet update(const ImpactLaw& law, nb::object step, nb::object mass_matrix,
                 nb::object normal_jacobian, nb::object tangent_jacobian, nb::object friction,
                 nb::object velocity, nb::object restitution, nb::object active,
                 nb::object impulse_step, nb::object friction_directions, nb::object first,
                 nb::object out, nb::object progress) {
  constexpr std::uint64_t any_count = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t step_number = read_integer("step", step, 0, any_count);
  const std::uint64_t first_index = read_integer("first", first, 0, any_count);
  const BatchArguments in =
      read_batch(ArraysOfTheCpu(), mass_matrix, normal_jacobian, tangent_jacobian, friction,
                 velocity, restitution, active, impulse_step, friction_directions);
  const Target target(out, in.batch);
  const bool shown = shows_progress(progress);
  SampleSet outcomes = long_call([&](const std::function<bool()>& stop) {
    ProgressBar bar(0, in.batch.size, shown);
    return law(step_number, in.batch, first_index, [&](std::uint64_t done, std::uint64_t) {
      bar.update(done, done);
      return !stop();
    });
  });
  target.write(outcomes.velocity);
  return outcomes;
}

}  // namespace

void bind_impact_law(nb::module_& module) {
  nb::class_<ImpactLaw>(module, "ImpactLaw", "See carom.ImpactLaw.")
      .def(
          "__init__",
          [](ImpactLaw* self, nb::dict options) {
            new (self) ImpactLaw(impact_law_options(std::move(options)));
          },
          "options"_a)
      .def_prop_ro("max_steps", [](const ImpactLaw& self) { return *self.options().max_steps; })
      .def("__call__", &update, "step"_a.none(), "mass_matrix"_a.none(),
           "normal_jacobian"_a.none(), "tangent_jacobian"_a.none(), "friction"_a.none(),
           "pre_impact_velocity"_a.none(), "restitution"_a.none(),
           "active"_a.none(), "impulse_step"_a.none(), "friction_directions"_a.none(), "first"_a.none(),
           "out"_a.none(), "progress"_a.none());
}

}  // namespace carom::python
