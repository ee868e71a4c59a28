#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/impact/single_impact.hpp"
#include "kernels/impact/worlds_plan.hpp"
#include "kernels/laws/laws_with_solvers.hpp"
#include "kernels/laws/plus/law.hpp"
#include "kernels/laws/propagative/law.hpp"
#include "kernels/laws/propagative/write_reflections.hpp"
#include "kernels/laws/set_valued/restitution.hpp"

namespace carom::inline CAROM_ISA {

/// The impact of a world as a function of its number: see ImpactLaw. Rows without solution_count
/// count no solutions.
/// @tparam which law the plan has
/// @tparam Largest holds the worlds' velocities, and all contacts that may be active at a time
/// @tparam Single makes a world's problem flat and solves its steps
template <WorldsLaw which, class Largest, Effort effort,
          template <class, Effort> class Single = SingleImpact>
struct WorldImpact {
  WorldsPlan plan;

  CAROM_HOST_DEVICE void operator()(std::uint64_t item, std::size_t row,
                                    const SampleView& out) const {
    SampleView mine = out.from(row, plan.rows());
    if (out.solution_count == nullptr) mine.solution_count = nullptr;
    if (plan.refuses) return refuse(item, mine);
    if (exceeds(plan.batch.velocities)) return decline(item, mine);
    const Glance seen = look(item);
    if (seen.active == 0 || (!plan.checks_all && !seen.approaches)) return leave(item, mine);
    Active active;
    if (!find_active(item, active)) {
      return on_device ? decline(item, mine) : refuse(item, mine);
    }
    if (!has_coefficients(item, active)) return refuse(item, mine);
    if (normals_only && active.restitution != nullptr && active.restitution[0] != 1.0) {
      return decline(item, mine);  // its plastic outcome is found on the host
    }
    const ProblemShape shape = plan.shape_of(active.count);
    bool obeys = false;
    const auto run = [&]<class Size>(Size) { obeys = sample<Size>(item, active, mine); };
    if constexpr (on_device) {
      if (!Largest::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities)) {
        return decline(item, mine);
      }
      // Where steps carry inputs, they have other bits.
      if (solves_steps &&
          Smallest::fits(shape.lcp_size(), shape.bounded_size(), shape.velocities)) {
        run(Smallest{});
      } else {
        run(Largest{});
      }
    } else if constexpr (normals_only) {
      with_normal_capacity(shape, run);
    } else {
      with_size(shape, run);
    }
    if (!obeys) refuse(item, mine);
  }

 private:
  static constexpr bool normals_only = which == WorldsLaw::propagative;
  static constexpr bool solves_steps =
      which == WorldsLaw::set_valued || which == WorldsLaw::restitution;
  using Smallest = std::conditional_t<solves_steps, SmallestCapacity, Largest>;
  /// The host has programs for larger worlds than a device.
  static constexpr bool on_device = effort == Effort::fast;

  /// What is seen of a world's contacts before its problem becomes flat.
  struct Glance {
    int active = 0;
    bool approaches = false;
  };

  /// The active contacts of a world, and its arrays.
  struct Active {
    int count = 0;
    int contact[Largest::contacts];
    ProblemArrays arrays;
    const double* restitution;  ///< of the active contacts, or null
    double own_restitution[Largest::contacts];

    CAROM_HOST_DEVICE double friction(int its) const { return arrays.friction[contact[its]]; }
  };

  /// The propagative law of a world of some size.
  template <class Size>
  struct PropagativeNumbers {
    static constexpr int stride = PropagativePlan::stride(Size::contacts);
    double reflections[Size::contacts * stride];
    double before[stride];
    double impulses[Size::contacts];
    double restitution = 1.0;
  };

  /// What the PLUS law knows of the active contacts of a world.
  struct PlusNumbers {
    PlusNumber friction[Largest::contacts];
    PlusNumber static_friction[Largest::contacts];
    PlusNumber restitution[Largest::contacts];
    PlusNumber velocity[Largest::velocities];
  };

  /// The entries of a world in an array.
  template <class T>
  CAROM_HOST_DEVICE static const T* of_world(const T* array, std::uint64_t item, int numbers,
                                             bool shared = false) {
    return shared ? array : array + item * static_cast<std::uint64_t>(numbers);
  }

  /// Impulses of a contact in a row.
  CAROM_HOST_DEVICE int width() const { return 1 + plan.batch.tangent_dimension; }

  CAROM_HOST_DEVICE static bool exceeds(int velocities) {
    return on_device && velocities > Largest::velocities;
  }

  /// False if more contacts are active than fit.
  CAROM_HOST_DEVICE bool find_active(std::uint64_t item, Active& active) const {
    const ImpactBatch& batch = plan.batch;
    const int m = batch.contacts;
    const int nv = batch.velocities;
    const int d = batch.tangent_dimension;
    active.arrays = {of_world(batch.mass_matrix, item, nv * nv, batch.one_mass_matrix),
                     of_world(batch.normal_jacobian, item, m * nv, batch.one_normal_jacobian),
                     of_world(batch.tangent_jacobian, item, m * d * nv, batch.one_tangent_jacobian),
                     of_world(batch.friction, item, m, batch.one_friction),
                     of_world(batch.pre_impact_velocity, item, nv),
                     plan.directions};
    active.restitution = restitution_of(item);
    for (int i = 0; i < m; ++i) {
      if (!is_active(item, i)) continue;
      if (active.count == Largest::contacts ||
          plan.shape_of(active.count + 1).impulses() > Largest::impulses) {
        return false;
      }
      active.contact[active.count++] = i;
    }
    active.arrays.contact = active.contact;
    if (active.restitution != nullptr) {
      for (int a = 0; a < active.count; ++a) {
        active.own_restitution[a] = active.restitution[active.contact[a]];
      }
      active.restitution = active.own_restitution;
    }
    return true;
  }

  /// Whether what the assembly does not see obeys the rules: restitution, and tangents and friction
  /// of a law that has none.
  CAROM_HOST_DEVICE bool has_coefficients(std::uint64_t item, const Active& active) const {
    for (int a = 0; active.restitution != nullptr && a < active.count; ++a) {
      if (!(active.restitution[a] >= 0.0 && active.restitution[a] <= 1.0)) return false;
      if (normals_only && active.restitution[a] != active.restitution[0]) return false;
    }
    if constexpr (!normals_only) return true;
    const ImpactBatch& batch = plan.batch;
    const int numbers = batch.tangent_dimension * batch.velocities;  // of a contact
    const double* const tangents = of_world(batch.tangent_jacobian, item, batch.contacts * numbers,
                                            batch.one_tangent_jacobian);
    bool obeys = true;
    for (int a = 0; a < active.count; ++a) {
      obeys = obeys && active.friction(a) == 0.0;
      for (int k = 0; k < numbers; ++k) {
        obeys = obeys && std::fabs(tangents[active.contact[a] * numbers + k]) < INFINITY;
      }
    }
    return obeys;
  }

  /// Null if the worlds have none.
  CAROM_HOST_DEVICE const double* restitution_of(std::uint64_t item) const {
    const ImpactBatch& batch = plan.batch;
    if (batch.restitution == nullptr) return nullptr;
    return of_world(batch.restitution, item, batch.contacts, batch.one_restitution);
  }

  CAROM_HOST_DEVICE bool is_active(std::uint64_t item, int contact) const {
    const ImpactBatch& batch = plan.batch;
    return batch.active == nullptr || of_world(batch.active, item, batch.contacts)[contact] != 0;
  }

  /// A contact approaches as the first test of a trajectory finds it. What is no number does, so
  /// that the assembly sees it.
  CAROM_HOST_DEVICE Glance look(std::uint64_t item) const {
    const ImpactBatch& batch = plan.batch;
    const int m = batch.contacts;
    const int nv = batch.velocities;
    const double* const normals =
        of_world(batch.normal_jacobian, item, m * nv, batch.one_normal_jacobian);
    const double* const velocity = of_world(batch.pre_impact_velocity, item, nv);
    Glance seen;
    for (int i = 0; i < m; ++i) {
      if (!is_active(item, i)) continue;
      ++seen.active;
      double speed = 0.0;
      for (int k = 0; k < nv; ++k) speed = std::fma(normals[i * nv + k], velocity[k], speed);
      seen.approaches = seen.approaches || !(speed >= -plan.law.run.tolerance);
    }
    return seen;
  }

  /// Writes a row without an impulse, whose velocity is that before.
  CAROM_HOST_DEVICE void write_still(std::uint64_t item, Status status, double energy,
                                     const SampleView& mine) const {
    const int nv = plan.batch.velocities;
    const double* const velocity = of_world(plan.batch.pre_impact_velocity, item, nv);
    for (int k = 0; k < nv; ++k) mine.velocity[k] = velocity[k];
    for (int i = 0; i < plan.batch.contacts * width(); ++i) mine.impulse[i] = 0.0;
    TrajectoryEnd end;
    end.status = status;
    write_end(end, mine);
    clear_solution_count(mine);
    *mine.energy = energy;
  }

  /// A world for a program of the host.
  CAROM_HOST_DEVICE void decline(std::uint64_t item, const SampleView& mine) const {
    write_still(item, undecided, NAN, mine);
  }

  /// A world that breaks a rule.
  CAROM_HOST_DEVICE void refuse(std::uint64_t item, const SampleView& mine) const {
    write_still(item, Status::bad_input, NAN, mine);
  }

  /// A world in which nothing approaches: of its mass matrix, only the energy is looked at.
  CAROM_HOST_DEVICE void leave(std::uint64_t item, const SampleView& mine) const {
    const ImpactBatch& batch = plan.batch;
    const int nv = batch.velocities;
    const double* const given = of_world(batch.mass_matrix, item, nv * nv, batch.one_mass_matrix);
    const auto mass = [&](int i, int j) { return between(given[i * nv + j], given[j * nv + i]); };
    const double energy =
        energy_of_entries(nv, mass, of_world(batch.pre_impact_velocity, item, nv));
    if (!(0.0 <= energy && energy < INFINITY)) return refuse(item, mine);
    write_still(item, Status::separated, energy, mine);
  }

  /// h of a world, N·s; 0: what it needs.
  CAROM_HOST_DEVICE double impulse_step(std::uint64_t item) const {
    const auto& given = plan.batch.impulse_step;
    return given.empty() ? 0.0 : given.data()[given.size() == 1 ? 0 : item];
  }

  /// False if the problem breaks a rule.
  template <class Size>
  CAROM_ONE_COPY CAROM_HOST_DEVICE bool sample(std::uint64_t item, const Active& active,
                                               const SampleView& mine) const {
    using Impact = Single<Size, effort>;
    Impact one;
    typename Impact::Memory memory;
    if (!one.prepare(plan.shape_of(active.count), active.arrays, plan.law, impulse_step(item),
                     memory)) {
      return false;
    }
    SolutionMethod method = SolutionMethod::unique;
    if constexpr (solves_steps) {
      method = one.method(plan.law);
      if (!Impact::solves_by(method)) {
        decline(item, mine);
        return true;
      }
    }
    const TrajectoryKey key =
        Impact::key(plan.law, static_cast<std::uint32_t>(item), plan.trajectory);
    SampleView row = mine;
    double impulse[normals_only ? 3 * Size::contacts : Size::impulses];
    const bool all_active = active.count == plan.batch.contacts;
    if (!all_active) row.impulse = impulse;
    run(one, method, key, active, row);
    if (on_device && *mine.status == undecided) {
      for (int k = 0; k < plan.batch.velocities; ++k) {
        mine.velocity[k] =
            one.problem().pre_impact_velocity()[k];  // it may have been in this place
      }
    }
    if (!all_active) spread(active, impulse, mine.impulse);
    return true;
  }

  /// The trajectory by the program of the law.
  template <class Impact>
  CAROM_HOST_DEVICE void run(const Impact& one, SolutionMethod method, const TrajectoryKey& key,
                             const Active& active, const SampleView& row) const {
    using Size = typename Impact::Size;
    const StepLcpView problem = one.problem();
    if constexpr (which == WorldsLaw::plus) {
      using Law = PlusLaw<typename Size::General>;
      PlusNumbers numbers;
      one.program(plan.law, Law{plus_of(active, numbers)}).run(problem, key, row);
    } else if constexpr (which == WorldsLaw::simultaneous) {
      const auto law = simultaneous_law<typename Size::General, effort>(problem.shape, {});
      one.program(plan.law, law).run(problem, key, row);
    } else if constexpr (which == WorldsLaw::sequential) {
      const auto law = sequential_law<typename Size::General, effort>({});
      one.program(plan.law, law).run(problem, key, row);
    } else if constexpr (which == WorldsLaw::propagative) {
      PropagativeNumbers<Size> its;
      write_reflections(problem, its.reflections, its.before, its.impulses);
      const PropagativePlan law{.reflections = its.reflections,
                                .before = its.before,
                                .impulses = its.impulses,
                                .restitution = &its.restitution};
      one.program(plan.law, PropagativeLaw<Size>{law}).run(problem, key, row);
    } else {
      double weights[max_caps_components * Largest::contacts];
      SetValuedPlan law = Impact::set_valued(plan.law, method, caps_of(active, weights));
      const auto follow = [&]<class Law>(const Law& its) {
        one.program(plan.law, its).run(problem, key, row);
      };
      if constexpr (which == WorldsLaw::restitution) {
        law.restitution = active.restitution;
        law.capture_speed = plan.law.capture_speed;
        follow(RestitutionLaw<typename Impact::Solver>{{{}, one.solver(law), law}});
      } else {
        follow(SetValuedLaw<typename Impact::Solver>{{}, one.solver(law), law});
      }
    }
  }

  /// The plan's law of the active contacts, with the world's own numbers where it has none.
  /// @param numbers memory of theirs
  CAROM_HOST_DEVICE PlusPlan plus_of(const Active& active, PlusNumbers& numbers) const {
    const PlusPlan& given = plan.plus;
    for (int a = 0; a < active.count; ++a) {
      const int i = active.contact[a];
      const double e = active.restitution == nullptr ? 0.0 : active.restitution[a];
      numbers.friction[a] =
          given.friction == nullptr ? PlusNumber{.first = active.friction(a)} : given.friction[i];
      numbers.restitution[a] =
          given.restitution == nullptr ? PlusNumber{.first = e} : given.restitution[i];
      numbers.static_friction[a] = given.static_friction[i];
    }
    for (int k = 0; k < plan.batch.velocities; ++k) {
      numbers.velocity[k] = PlusNumber{.first = active.arrays.pre_impact_velocity[k]};
    }
    PlusPlan own = given;
    own.friction = numbers.friction;
    own.static_friction = numbers.static_friction;
    own.restitution = numbers.restitution;
    own.velocity = numbers.velocity;
    return own;
  }

  /// The plan's caps of the active contacts. @param weights memory of theirs
  CAROM_HOST_DEVICE CapsView caps_of(const Active& active, double* weights) const {
    CapsView caps = plan.law.caps[active.count - 1];
    if (plan.weights == nullptr) return caps;
    for (int c = 0; c < caps.components; ++c) {
      for (int a = 0; a < active.count; ++a) {
        weights[c * active.count + a] = plan.weights[c * plan.batch.contacts + active.contact[a]];
      }
    }
    caps.scale = weights;
    return caps;
  }

  CAROM_HOST_DEVICE void spread(const Active& active, const double* impulse, double* row) const {
    for (int i = 0; i < plan.batch.contacts * width(); ++i) row[i] = 0.0;
    for (int a = 0; a < active.count; ++a) {
      for (int k = 0; k < width(); ++k) {
        row[active.contact[a] * width() + k] = impulse[a * width() + k];
      }
    }
  }
};

}  // namespace carom::inline CAROM_ISA
