#include "carom/impact_law.hpp"

#include <fmt/format.h>
#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "host/caps_plan.hpp"
#include "host/field_error.hpp"
#include "host/sampling_plan.hpp"
#include "host/scenario/default_sampling.hpp"
#include "host/solutions/mode_table.hpp"
#include "host/step_lcp.hpp"
#include "kernels/launch.hpp"
#include "kernels/run_items.hpp"

namespace carom {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

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

/// Where the problem of one index is in a batch's arrays.
template <class Matrix = RowMajor>
Eigen::Map<const Matrix> part(const double* array, std::size_t index, int rows, int columns) {
  return {array + index * static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns), rows,
          columns};
}

/// The error of the problem of least index, whichever thread finds it.
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

/// One call of the law: every problem is read, laid out and sampled by itself, so that problems may
/// differ in their active contacts.
class Update {
 public:
  Update(const ImpactLawOptions& options, std::uint64_t step, const ImpactBatch& batch,
         std::uint64_t first)
      : batch_(batch),
        first_(first),
        options_(sampling_options(options)),
        states_epsilon_(options.epsilon.has_value()),
        plan_(plan_options(options_)) {
    plan_.trajectories = 1;
    plan_.first_trajectory = step;
    // The plan of the caps depends on the number of contacts alone.
    const int least = batch.active == nullptr ? batch.contacts : 1;
    const bool weighted = options_.set_valued().caps.uses(CapsKind::weighted);
    for (int m = least; m <= batch.contacts; ++m) {
      if (!weighted || m == batch.contacts) {
        caps_.emplace(m, plan_caps(options_.set_valued().caps, m, options_.max_steps));
      }
    }
  }

  void run(std::size_t begin, std::size_t end, SampleSet& out) {
    const SampleView rows = view_of(out);
    const auto use = [&](const auto& range) {
      Room room;
      for (std::size_t i = range.begin(); i < range.end(); ++i) {
        try {
          run_one(i, room, out, rows);
        } catch (const InputError& error) {
          errors_.add(i, error.what());
        }
      }
    };
    oneapi::tbb::task_arena arena(usable_threads(options_.threads));
    constexpr std::size_t grain = 16;  // problems: some 0.1 ms
    arena.execute([&] {
      oneapi::tbb::parallel_for(oneapi::tbb::blocked_range<std::size_t>(begin, end, grain), use);
    });
    errors_.rethrow(first_);
  }

 private:
  /// What a thread needs for one problem after the other.
  struct Room {
    ImpactProblem problem;
    std::vector<int> contacts;    ///< the active ones
    std::vector<double> impulse;  ///< of these
  };

  void read(std::size_t index, Room& room) const {
    const int m = batch_.contacts;
    const int nv = batch_.velocities;
    const int d = batch_.tangent_dimension;
    room.contacts.clear();
    for (int i = 0; i < m; ++i) {
      if (is_active(index, i)) room.contacts.push_back(i);
    }
    const auto active = static_cast<int>(room.contacts.size());
    ImpactProblem& problem = room.problem;
    problem.mass_matrix = part(batch_.mass_matrix, index, nv, nv);
    problem.pre_impact_velocity = part(batch_.pre_impact_velocity, index, nv, 1);
    problem.normal_jacobian.resize(active, nv);
    problem.tangent_jacobian.resize(active * d, nv);
    problem.friction.resize(active);
    problem.friction_directions = batch_.friction_directions;
    problem.contact_names.clear();
    const auto normals = part(batch_.normal_jacobian, index, m, nv);
    const auto tangents = part(batch_.tangent_jacobian, index, m * d, nv);
    const auto friction = part(batch_.friction, index, m, 1);
    for (int row = 0; row < active; ++row) {
      const int contact = room.contacts[static_cast<std::size_t>(row)];
      problem.normal_jacobian.row(row) = normals.row(contact);
      problem.tangent_jacobian.middleRows(row * d, d) = tangents.middleRows(contact * d, d);
      problem.friction(row) = friction(contact, 0);
      problem.contact_names.push_back(std::to_string(contact));
    }
  }

  /// What validate() asks of the parts that a problem without contacts has.
  static void check_free(const ImpactProblem& problem) {
    if (!problem.mass_matrix.allFinite()) {
      throw InputError("mass_matrix has an entry that is no number (must be finite)");
    }
    if (!problem.pre_impact_velocity.allFinite()) {
      throw InputError("pre_impact_velocity has an entry that is no number (must be finite)");
    }
  }

  bool is_active(std::size_t index, int contact) const {
    return batch_.active == nullptr ||
           batch_.active[index * static_cast<std::size_t>(batch_.contacts) +
                         static_cast<std::size_t>(contact)] != 0;
  }

  double impulse_step(std::size_t index, const ImpactProblem& problem) const {
    if (batch_.impulse_step.empty()) return default_impulse_step(problem);
    return batch_.impulse_step[batch_.impulse_step.size() == 1 ? 0 : index];
  }

  void run_one(std::size_t index, Room& room, SampleSet& out, const SampleView& rows) const {
    read(index, room);
    SampleView row = rows.from(index, out);
    if (room.contacts.empty()) {
      check_free(room.problem);
      leave(index, room.problem, row);
      return;
    }
    ImpactProblem& problem = room.problem;
    const ContactDynamics dynamics = validated_dynamics(problem);
    SamplingOptions options = options_;
    options.impulse_step = impulse_step(index, problem);
    if (!states_epsilon_) options.epsilon = default_epsilon(options);
    validate(options);
    const std::vector<double> flat = lay_out(problem, dynamics, options);
    SamplingPlan plan = plan_;
    plan.problems = flat.data();
    plan.stride = flat.size();
    plan.shape = shape_of(problem);
    plan.first_problem += static_cast<std::uint32_t>(first_ + index);
    SetValuedPlan law;
    law.solutions = options_.set_valued().solutions;
    CapsPlan weights;
    if (plan.shape.contacts < batch_.contacts &&
        options_.set_valued().caps.uses(CapsKind::weighted)) {
      weights = plan_caps(caps_of(room.contacts), plan.shape.contacts, options_.max_steps);
      law.caps = weights.view();
    } else {
      law.caps = caps_.at(plan.shape.contacts).view();
    }
    std::optional<ModeTable> modes;
    ModeTableView view;
    if (law.solutions == Solutions::all) {
      constexpr bool capped = true;
      view = modes.emplace(problem, capped).view();
      law.modes = &view;
    }
    plan.law = law;
    const bool all_active = plan.shape.contacts == batch_.contacts;
    if (!all_active) {
      room.impulse.resize(static_cast<std::size_t>(plan.shape.impulses()));
      row.impulse = room.impulse.data();
    }
    item_runner().items(plan, 0, 1, row);
    if (!all_active) spread(index, room, out);
  }

  /// A problem without an active contact: nothing happens.
  static void leave(std::size_t, const ImpactProblem& problem, const SampleView& row) {
    std::ranges::copy(problem.pre_impact_velocity, row.velocity);
    *row.energy = kinetic_energy(problem, problem.pre_impact_velocity);
  }

  /// `weighted` has a factor per contact of the batch.
  CapsDistribution caps_of(const std::vector<int>& contacts) const {
    CapsDistribution caps = options_.set_valued().caps;
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

  void spread(std::size_t index, const Room& room, SampleSet& out) const {
    const auto width = static_cast<std::size_t>(1 + batch_.tangent_dimension);
    double* const row =
        out.impulse.data() + index * static_cast<std::size_t>(batch_.contacts) * width;
    for (std::size_t i = 0; i < room.contacts.size(); ++i) {
      std::copy_n(&room.impulse[i * width], width,
                  row + static_cast<std::size_t>(room.contacts[i]) * width);
    }
  }

  const ImpactBatch& batch_;
  std::uint64_t first_;
  SamplingOptions options_;
  bool states_epsilon_;
  SamplingPlan plan_;
  std::map<int, CapsPlan> caps_;
  FirstError errors_;
};

}  // namespace

ImpactLaw::ImpactLaw(const ImpactLawOptions& options) : options_(options) {
  if (options.epsilon && !(*options.epsilon > 0.0 && std::isfinite(*options.epsilon))) {
    throw InputError(fmt::format("epsilon is {} (must be > 0 and < impulse_step of each problem)",
                                 *options.epsilon));
  }
  SamplingOptions checked = sampling_options(options);
  if (options.epsilon) checked.impulse_step = std::numeric_limits<double>::max();  // each its own
  validate(checked);
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
  SampleSet out;
  out.first = first;
  const ProblemShape shape{batch.contacts, batch.velocities, batch.tangent_dimension,
                           batch.friction_directions};
  static_cast<RowShape&>(out) = rows_of(shape, sampling_options(options_));
  out.resize(batch.size);
  Update update(options_, step, batch, first);
  constexpr std::size_t part_size = 4096;  // some 10 ms, so that an interrupt is answered soon
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
