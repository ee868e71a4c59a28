#include "carom/impact_law.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/enumerable_thread_specific.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "host/base/field_error.hpp"
#include "host/laws/set_valued/caps_plan.hpp"
#include "host/laws/set_valued/solution_method.hpp"
#include "host/modes/mode_table.hpp"
#include "host/sampling/active_contacts.hpp"
#include "host/sampling/default_sampling.hpp"
#include "host/sampling/sampling_plan.hpp"
#include "kernels/cpu/run_items.hpp"
#include "kernels/launch/launch.hpp"
#include "kernels/problem/friction_directions.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"

namespace carom {
namespace {

SamplingOptions sampling_options(const ImpactLawOptions& options) {
  SamplingOptions result;
  result.trajectories = 1;
  result.max_steps = options.max_steps;
  if (options.epsilon) result.epsilon = *options.epsilon;
  result.norm = options.norm;
  result.termination_tolerance = options.termination_tolerance;
  result.law = law::SetValued{options.caps, options.solutions};
  result.seed = options.seed;
  result.problem_id = options.problem_id;
  result.threads = options.threads;
  return result;
}

/// Where epsilon is not stated: it only sets the cap of the final step, and a pilot for each
/// problem would cost more than its trajectory.
double default_epsilon(double impulse_step) {
  constexpr double usual = 0.01;
  constexpr double part_of_step = 0.1;
  return usual < impulse_step ? usual : part_of_step * impulse_step;
}

/// The error of the problem of least index among all threads.
class FirstError {
 public:
  void add(std::size_t index, const char* message) {
    const std::lock_guard lock(mutex_);
    if (!message_.empty() && index > index_) return;
    index_ = index;
    message_ = message;
  }
  /// @param first index of the first problem
  void rethrow(std::uint64_t first) const {
    if (!message_.empty())
      throw InputError(fmt::format("problem {}: {}", first + index_, message_));
  }

 private:
  std::mutex mutex_;
  std::size_t index_ = 0;
  std::string message_;
};

/// Work space of a thread, reused for its problems.
struct Workspace {
  explicit Workspace(const SamplingOptions& with) : options(with) {}

  SamplingOptions options;  ///< with the problem's own steps
  ActiveContacts active;
  std::vector<double> impulse;  ///< of these
  std::vector<double> flat;
};

/// One call of the law: every problem is converted and sampled separately, so that problems may
/// differ in their active contacts.
class Update {
 public:
  Update(const ImpactLawOptions& options, std::uint64_t step, const ImpactBatch& batch,
         std::uint64_t first)
      : batch_(batch),
        first_(first),
        strict_(options.strict),
        options_(sampling_options(options)),
        plan_(plan_options(options_)),
        workspaces_(options_) {
    plan_.trajectories = 1;
    plan_.first_trajectory = step;
    const ProblemShape shape = shape_of(batch.contacts);
    const bool suit = directions_suit(shape.tangent_dimension, shape.friction_directions);
    if (suit) {
      directions_.resize(static_cast<std::size_t>(shape.friction_directions) *
                         static_cast<std::size_t>(shape.tangent_dimension));
      write_friction_directions(shape.tangent_dimension, shape.friction_directions,
                                directions_.data());
    }
    // What no problem of the batch can keep is a mistake of the caller, not a diverged world.
    strict_ = strict_ || !suit || (batch.active == nullptr && !fits_capacity(shape));
    // The plan of the caps depends on the number of contacts only.
    const int least = batch.active == nullptr ? batch.contacts : 1;
    const bool weighted = options_.set_valued().caps->uses(CapsKind::weighted);
    for (int m = least; m <= batch.contacts; ++m) {
      if (!weighted || m == batch.contacts) {
        caps_.emplace(m, plan_caps(*options_.set_valued().caps, m, options_.max_steps));
      }
    }
  }

  void run(std::size_t begin, std::size_t end, SampleSet& out) {
    const SampleView rows = view_of(out);
    const auto use = [&](const auto& range) {
      Workspace& workspace = workspaces_.local();
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        try {
          if (!run_one(i, workspace, out, rows)) refuse(i, rows.from(i, out));
        } catch (const InputError& error) {
          if (strict_) {
            errors_.add(i, error.what());
          } else {
            refuse(i, rows.from(i, out));
          }
        }
      }
    };
    const oneapi::tbb::blocked_range<std::size_t> all(begin, end, grain);
    const int threads = usable_threads(options_.threads);
    if (threads == 1 || !all.is_divisible()) {
      use(all);
    } else {
      oneapi::tbb::task_arena arena(threads);
      arena.execute([&] { oneapi::tbb::parallel_for(all, use); });
    }
    errors_.rethrow(first_);
  }

 private:
  static constexpr std::size_t grain = 16;  // problems: about 50 us

  ProblemShape shape_of(int contacts) const {
    return {contacts, batch_.velocities, batch_.tangent_dimension, batch_.friction_directions};
  }

  /// Whether a contact approaches, as the first test of a trajectory finds it. What is no number
  /// does, so that the assembly sees it.
  bool approaches(const ProblemShape& shape, const ProblemArrays& problem) const {
    for (int i = 0; i < shape.contacts; ++i) {
      double speed = 0.0;
      for (int k = 0; k < shape.velocities; ++k) {
        speed = std::fma(problem.normal_jacobian[i * shape.velocities + k],
                         problem.pre_impact_velocity[k], speed);
      }
      if (!(speed >= -options_.termination_tolerance)) return true;
    }
    return false;
  }

  void require_finite(const ProblemArrays& problem) const {
    const int nv = batch_.velocities;
    const auto require = [](const char* name, const double* array, int count) {
      if (std::all_of(array, array + count, [](double x) { return std::isfinite(x); })) return;
      throw InputError(fmt::format("{} has an entry that is no number (must be finite)", name));
    };
    require("mass_matrix", problem.mass_matrix, nv * nv);
    require("pre_impact_velocity", problem.pre_impact_velocity, nv);
  }

  /// A problem in which nothing approaches: the velocity does not change.
  /// @return whether it has an energy
  bool leave(const ProblemArrays& problem, Workspace& own, const SampleView& row) const {
    const int nv = batch_.velocities;
    if (strict_) require_finite(problem);
    own.flat.resize(static_cast<std::size_t>(nv) * static_cast<std::size_t>(nv));
    for (int i = 0; i < nv; ++i) {
      for (int j = 0; j < nv; ++j) {
        own.flat[static_cast<std::size_t>(i * nv + j)] =
            between(problem.mass_matrix[i * nv + j], problem.mass_matrix[j * nv + i]);
      }
    }
    std::copy_n(problem.pre_impact_velocity, nv, row.velocity);
    *row.energy = kinetic_energy(nv, own.flat.data(), row.velocity);
    return strict_ || (0.0 <= *row.energy && *row.energy < INFINITY);
  }

  /// A problem that breaks a rule: the velocity comes back as it was.
  void refuse(std::size_t index, const SampleView& row) const {
    const int nv = batch_.velocities;
    const std::size_t begin = index * static_cast<std::size_t>(nv);
    std::copy_n(batch_.pre_impact_velocity + begin, nv, row.velocity);
    *row.status = Status::bad_input;
    *row.energy = std::numeric_limits<double>::quiet_NaN();
  }

  void set_options(std::size_t index, const AssemblyReport& report,
                   SamplingOptions& options) const {
    const auto& given = batch_.impulse_step;
    options.impulse_step = given.empty() ? default_impulse_step(report.stopping_impulse)
                                         : given[given.size() == 1 ? 0 : index];
    options.epsilon = options_.epsilon.value_or(default_epsilon(options.impulse_step));
    validate(options);
  }

  /// @return false if the problem breaks a rule; strict, it throws then
  bool run_one(std::size_t index, Workspace& own, SampleSet& out, const SampleView& rows) const {
    const ProblemArrays problem = active_arrays(batch_, index, directions_.data(), own.active);
    const ProblemShape shape = shape_of(static_cast<int>(own.active.contacts.size()));
    SampleView row = rows.from(index, out);
    // Strict, problems in which nothing approaches are checked, too.
    if (shape.contacts == 0 || (!strict_ && !approaches(shape, problem))) {
      return leave(problem, own, row);
    }
    AssemblyReport report;
    if (!directions_.empty() && fits_capacity(shape)) {
      own.flat.resize(static_cast<std::size_t>(StepLcpView{shape, nullptr}.data_size()));
      report =
          item_runner().assemble(shape, problem, options_.norm == Norm::kinetic, own.flat.data());
    }
    if (report.status != AssemblyStatus::usable) {
      if (!strict_) return false;
      validated(impact_problem(shape, problem, own.active));  // throws with the broken rule
    }
    set_options(index, report, own.options);
    place_steps(shape, report, own.options, own.flat.data());
    SamplingPlan plan = plan_;
    plan.problems = own.flat.data();
    plan.stride = own.flat.size();
    plan.shape = shape;
    plan.rows = row_shape(shape, false);
    plan.first_problem += static_cast<std::uint32_t>(first_ + index);
    SetValuedPlan law;
    law.solutions = options_.set_valued().solutions;
    CapsPlan weights;
    if (shape.contacts < batch_.contacts && options_.set_valued().caps->uses(CapsKind::weighted)) {
      weights = plan_caps(caps_of(own.active.contacts), shape.contacts, options_.max_steps);
      law.caps = weights.view();
    } else {
      law.caps = caps_.at(shape.contacts).view();
    }
    std::optional<ModeTable> modes;
    ModeTableView view;
    if (law.solutions == Solutions::all) {
      const ImpactProblem its = impact_problem(shape, problem, own.active);
      law.method = choose_solution_method(std::span(&its, 1));
      if (law.method == SolutionMethod::modes) {
        constexpr bool capped = true;
        view = modes.emplace(its, capped).view();
        law.modes = &view;
      }
    }
    plan.law = law;
    const bool all_active = shape.contacts == batch_.contacts;
    if (!all_active) {
      own.impulse.resize(static_cast<std::size_t>(shape.impulses()));
      row.impulse = own.impulse.data();
    }
    item_runner().items(plan, 0, 1, row);
    if (!all_active) spread(index, own, out);
    return true;
  }

  /// `weighted` has a factor per contact of the batch.
  CapsDistribution caps_of(const std::vector<int>& contacts) const {
    CapsDistribution caps = *options_.set_valued().caps;
    for (CapsComponent& component : caps.components) {
      if (component.kind != CapsKind::weighted) continue;
      std::vector<double> scale;
      for (const int contact : contacts) {
        scale.push_back(component.scale[static_cast<std::size_t>(contact)]);
      }
      component.scale = std::move(scale);
    }
    return caps;
  }

  void spread(std::size_t index, const Workspace& own, SampleSet& out) const {
    const auto width = static_cast<std::size_t>(1 + batch_.tangent_dimension);
    double* const row =
        out.impulse.data() + index * static_cast<std::size_t>(batch_.contacts) * width;
    for (std::size_t i = 0; i < own.active.contacts.size(); ++i) {
      std::copy_n(&own.impulse[i * width], width,
                  row + static_cast<std::size_t>(own.active.contacts[i]) * width);
    }
  }

  const ImpactBatch& batch_;
  std::uint64_t first_;
  bool strict_;
  SamplingOptions options_;
  SamplingPlan plan_;
  std::vector<double> directions_;  ///< empty if the batch's shape is not valid
  std::map<int, CapsPlan> caps_;
  oneapi::tbb::enumerable_thread_specific<Workspace> workspaces_;
  FirstError errors_;
};

}  // namespace

ImpactLaw::ImpactLaw(const ImpactLawOptions& options) : options_(options) {
  validate(sampling_options(options));
  if (options.solutions == Solutions::table) {
    throw InputError(
        "solutions is \"table\" (must be first, cover or all: a table takes a pilot run of each "
        "problem)");
  }
}

SampleSet ImpactLaw::operator()(std::uint64_t step, const ImpactBatch& batch, std::uint64_t first,
                                const SampleObserver& observer) const {
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  if (first > most - options_.problem_id || batch.size > most - options_.problem_id - first) {
    throw InputError(
        fmt::format("first is {} (with problem_id and the number of problems it must "
                    "stay within 32 bits)",
                    first));
  }
  const std::size_t steps = batch.impulse_step.size();
  if (steps > 1 && steps != batch.size) {
    throw InputError(fmt::format(
        "impulse_step has {} entries (must have one, or {}: one per problem)", steps, batch.size));
  }
  SamplingOptions with_step = sampling_options(options_);
  for (std::size_t i = 0; i < steps; ++i) {
    const double h = batch.impulse_step[i];
    if (0.0 < h && h < INFINITY) continue;
    with_step.impulse_step = h;
    try {
      validate(with_step);
    } catch (const InputError& error) {
      throw InputError(fmt::format("problem {}: {}", first + i, error.what()));
    }
  }
  SampleSet out;
  out.first = first;
  const ProblemShape shape{batch.contacts, batch.velocities, batch.tangent_dimension,
                           batch.friction_directions};
  out.resize(rows_of(shape, sampling_options(options_)), batch.size);
  Update update(options_, step, batch, first);
  constexpr std::size_t part_size = 4096;  // about 10 ms, so that an interrupt takes effect soon
  for (std::size_t done = 0; done < batch.size;) {
    const std::size_t end = std::min(batch.size, done + part_size);
    update.run(done, end, out);
    done = end;
    if (observer && !observer(done, batch.size) && done < batch.size) {
      out.resize(done);
      break;
    }
  }
  return out;
}

}  // namespace carom
