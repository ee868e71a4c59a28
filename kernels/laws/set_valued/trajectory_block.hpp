#pragma once

#include <cmath>
#include <cstdint>

#include "kernels/base/lanes.hpp"
#include "kernels/laws/set_valued/law.hpp"
#include "kernels/laws/set_valued/pivot_limits.hpp"
#include "kernels/lcp/lcp_view.hpp"
#include "kernels/modes/mode_enumeration.hpp"
#include "kernels/step/contact_step.hpp"
#include "kernels/step/step_lcp_view.hpp"
#include "kernels/trajectory/trajectory.hpp"

namespace carom::inline CAROM_ISA {

#if defined(CAROM_HAS_VECTORS)

/// Trajectories of one problem side by side. For Solutions::first every pivot path is looked up in
/// the problem's tree; for Solutions::table the first contact mode that holds is looked up in the
/// table first, as in ModeEnumeration. A trajectory with an unknown path or mode, or with any other
/// exception, is left to the complete program; the other trajectories have the bits of the complete
/// program.
///
/// A step of all trajectories at once goes through stages, each a loop without hard branches: caps,
/// paths or modes, impulses, residuals and speeds, and compaction of the trajectories that still
/// collide.
template <class Size>
class TrajectoryBlock {
 public:
  static constexpr int most = 128;

  TrajectoryBlock(const RunPlan& plan, const SetValuedPlan& law, std::uint64_t problem_index,
                  const PivotTree& tree)
      : plan_(plan),
        caps_(law.caps),
        problem_(Size::narrow({plan.shape, plan.problems + problem_index * plan.stride})),
        tree_(tree),
        modes_(law.modes == nullptr ? nullptr : law.modes + problem_index),
        problem_number_(plan.first_problem + static_cast<std::uint32_t>(problem_index)) {}

  /// Runs trajectories first, ..., first + count - 1 (at most `most`) into rows 0, 1, ... of `out`.
  /// Calls repeat(i) for every trajectory that is left to the complete program; its row is not
  /// written.
  template <class Repeat>
  void run(std::uint64_t first, int count, const SampleView& out, Repeat&& repeat) {
    start(first, count);
    for (int step = 0; step < plan_.max_steps && active_ > 0; ++step) {
      draw_caps(step);
      for (int slot = 0; slot < most; ++slot) child_[slot] = 0;
      if (tree_.modes > 0) find_modes();
      follow_paths();
      for (int slot = 0; slot < active_; slot += width) take_step(slot);
      keep_colliding(step);
    }
    for (int slot = 0; slot < active_; ++slot) known_[trajectory_[slot]] = false;
    write(count, out);
    for (int i = 0; i < count; ++i) {
      if (!known_[i]) repeat(i);
    }
  }

 private:
#if defined(__AVX512F__)
  static constexpr int width = 8;
#else
  static constexpr int width = 4;
#endif
  using Group = Lanes<double, width>;
  static constexpr int float_width = 2 * width;
  using FloatGroup = Lanes<float, float_width>;
  using Column = Lanes<double, PivotLeaf::impulses>;
  static constexpr std::int16_t nobody = -1;
  static constexpr int contacts = 2;
  static constexpr int impulses = PivotLeaf::impulses;
  static constexpr int inputs = PivotNode::inputs;
  static_assert(most % width == 0 && PivotNode::lanes % width == 0);

  /// Whether the caps are uniform, which need no source for each trajectory.
  bool all_uniform() const { return caps_.components <= 1 && caps_.kind[0] == CapsKind::uniform; }

  [[gnu::noinline]] void start(std::uint64_t first, int count) {
    first_ = first;
    if (!all_uniform()) {
      for (int i = 0; i < count; ++i) {
        const std::uint64_t trajectory = first + static_cast<std::uint64_t>(i);
        const Philox random(plan_.seed, problem_number_, trajectory);
        source_[i] = CapsSource(caps_, random, trajectory, contacts);
      }
    }
    double speed[impulses];
    contact_speeds(problem_, problem_.pre_impact_velocity(), speed);
    for (int slot = 0; slot < most; ++slot) {
      for (int j = 0; j < contacts; ++j) input_[j][slot] = 0.0;
      for (int i = 0; i < impulses; ++i) {
        input_[contacts + i][slot] = speed[i];
        input_of_[slot][contacts + i] = speed[i];
        total_[i][slot] = 0.0;
      }
      trajectory_[slot] = slot;
      pivots_[slot] = 0;
      tabulated_[slot] = 0;
      child_[slot] = 0;
      known_[slot] = true;
    }
    const bool moving = speed[0] < -plan_.tolerance || speed[2] < -plan_.tolerance;
    active_ = moving ? count : 0;
    if (!moving) {
      for (int i = 0; i < count; ++i) known_[i] = false;
    }
  }

  [[gnu::noinline]] void draw_caps(int step) {
    const auto number = static_cast<std::uint32_t>(step);
    if (all_uniform()) {
      std::uint64_t trajectory[most];
      for (int slot = 0; slot < active_; ++slot) {
        trajectory[slot] = first_ + static_cast<std::uint64_t>(trajectory_[slot]);
      }
      Philox::uniform_pairs(plan_.seed, problem_number_, trajectory, active_, number, Purpose::caps,
                            0, input_[0], input_[1]);
    } else {
      for (int slot = 0; slot < active_; ++slot) {
        double cap[contacts] = {};
        source_[trajectory_[slot]].draw(number, cap);
        for (int j = 0; j < contacts; ++j) input_[j][slot] = cap[j];
      }
    }
    const double unit = cap_unit(problem_);
    for (int j = 0; j < contacts; ++j) {
      for (int slot = 0; slot < active_; ++slot) {
        input_[j][slot] *= unit;
        input_of_[slot][j] = input_[j][slot];
      }
    }
  }

  /// Sets the entries of child_ that are 0 to the end of the path: a leaf, or 0 if the path is
  /// unknown. Visits the nodes in order, each with all trajectories that wait at it: a node is
  /// loaded once, and its children come after it.
  [[gnu::noinline]] void follow_paths() {
    if (tree_.nodes == 0) return;
    for (int node = 0; node < tree_.nodes; ++node) first_waiting_[node] = nobody;
    for (int slot = 0; slot < active_; ++slot) {
      if (child_[slot] == 0) wait_at(0, slot);
    }
    if (first_waiting_[0] == nobody) return;
    for (int node = 0; node < tree_.nodes; ++node) {
      if (first_waiting_[node] == nobody) continue;
      if (tree_.node[node].count > PivotNode::lanes) {
        decide_all<2>(node);
      } else {
        decide_all<1>(node);
      }
    }
  }

  void wait_at(int node, int slot) {
    next_waiting_[slot] = first_waiting_[node];
    first_waiting_[node] = static_cast<std::int16_t>(slot);
  }

  /// Decides for all trajectories that wait at a node; the template parameter is the number of
  /// halves that the node uses.
  template <int halves>
  [[gnu::noinline]] void decide_all(int number) {
    const PivotNode& node = tree_.node[number];
    const std::int16_t* children = tree_.child + node.children;
    constexpr int groups = halves * PivotNode::lanes / width;
    PivotLimits<Group> limits[groups];
    for (int g = 0; g < groups; ++g) limits[g] = PivotLimits<Group>(node, g * width);
    for (int slot = first_waiting_[number]; slot != nobody;) {
      const double* input = input_of_[slot];
      Group ratio[groups];
      Group least;
      for (int g = 0; g < groups; ++g) {
        ratio[g] = limits[g].ratio(input);
        least = g == 0 ? ratio[g] : smaller(least, ratio[g]);
      }
      least = least_of_all(least);
      std::uint32_t tied = 0;
      for (int g = 0; g < groups; ++g) tied |= tied_limits(ratio[g], least) << (g * width);
      const int child = children[tied];
      const int next = next_waiting_[slot];
      child_[slot] = child;
      // A trajectory that ends here waits at node 0, which is not visited again. A branch would
      // often be mispredicted.
      wait_at(child & ~(child >> 31), slot);
      slot = next;
    }
  }

  /// Sets child_ to the first mode that no condition rules out, as a leaf; 0 if all modes are ruled
  /// out.
  [[gnu::noinline]] void find_modes() {
    const int padded = (active_ + float_width - 1) / float_width * float_width;
    alignas(64) float scaled[inputs][most];
    for (int slot = 0; slot < padded; ++slot) {
      double scale = 0.0;
      for (int j = 0; j < inputs; ++j) scale = larger(scale, std::fabs(input_[j][slot]));
      const double inverse = scale > 0.0 ? 1.0 / scale : 0.0;
      for (int j = 0; j < inputs; ++j) {
        scaled[j][slot] = static_cast<float>(input_[j][slot] * inverse);
      }
    }
    for (int slot = 0; slot < active_; slot += float_width) {
      FloatGroup input[inputs];
      for (int j = 0; j < inputs; ++j) input[j] = FloatGroup::load(scaled[j] + slot);
      std::uint32_t left = (std::uint32_t{1} << float_width) - 1u;
      for (int mode = 0; mode < modes_->modes && left != 0; ++mode) {
        for (std::uint32_t found = left & survivors(mode, input, left); found != 0;
             found &= found - 1) {
          child_[slot + __builtin_ctz(found)] = -1 - mode;
          left &= ~(found & -found);
        }
      }
    }
  }

  /// Lanes in which no condition rules a mode out, as bits; lanes not in `wanted` may be wrong.
  std::uint32_t survivors(int mode, const FloatGroup (&input)[inputs], std::uint32_t wanted) const {
    const FloatGroup limit = FloatGroup::all(-mode_margin);
    const int block = mode / mode_lanes;
    for (int stage = modes_->stage_start[block];
         stage < modes_->stage_start[block + 1] && wanted != 0; ++stage) {
      const float* row = modes_->filter + stage * inputs * mode_lanes + mode % mode_lanes;
      FloatGroup sum = FloatGroup::all(0.0f);
      for (int j = 0; j < inputs; ++j) {
        sum = fused(FloatGroup::all(row[j * mode_lanes]), input[j], sum);
      }
      wanted &= ~FloatGroup::below(sum, limit);
    }
    return wanted;
  }

  /// Impulses of `width` trajectories and the speeds after them.
  [[gnu::noinline]] void take_step(int slot) {
    alignas(64) double by_lane[impulses][width];
    for (int lane = 0; lane < width; ++lane) {
      const int child = child_[slot + lane];
      const PivotLeaf& leaf = tree_.leaf[child < 0 ? -1 - child : 0];
      Column sum = Column::load(leaf.map[0]) * Column::all(input_[0][slot + lane]);
      for (int j = 1; j < inputs; ++j) {
        sum = fused(Column::load(leaf.map[j]), Column::all(input_[j][slot + lane]), sum);
      }
      double its[impulses];
      sum.store(its);
      for (int i = 0; i < impulses; ++i) by_lane[i][lane] = its[i];
      pivots_[slot + lane] += leaf.pivots;
      tabulated_[slot + lane] += child < 0 && -1 - child < tree_.modes ? 1 : 0;
    }
    Group cap[contacts];
    Group speed[impulses];
    Group impulse[impulses];
    Group after[impulses];
    for (int j = 0; j < contacts; ++j) cap[j] = Group::load(input_[j] + slot);
    for (int i = 0; i < impulses; ++i) {
      speed[i] = Group::load(input_[contacts + i] + slot);
      impulse[i] = Group::load(by_lane[i]);
    }
    const ContactStep<Size, Group> step(problem_, speed, cap);
    const Group residual = step.assess(impulse, after);
    const Group least_cap = smaller(cap[0], cap[1]);
    std::uint32_t good = Group::at_most(residual, Group::all(refinement_threshold));
    good &= ~Group::at_most(least_cap, Group::all(0.0));
    const Group slowest = smaller(after[0], after[2]);
    const std::uint32_t colliding = ~Group::at_most(Group::all(-plan_.tolerance), slowest);
    for (int i = 0; i < impulses; ++i) {
      after[i].store(input_[contacts + i] + slot);
      (Group::load(total_[i] + slot) + impulse[i]).store(total_[i] + slot);
    }
    for (int lane = 0; lane < width; ++lane) {
      good_[slot + lane] = (good >> lane & 1u) != 0;
      colliding_[slot + lane] = (colliding >> lane & 1u) != 0;
    }
  }

  /// Records the state of every trajectory, and compacts those that continue.
  [[gnu::noinline]] void keep_colliding(int step) {
    int next = 0;
    for (int slot = 0; slot < active_; ++slot) {
      const int trajectory = trajectory_[slot];
      const bool known = child_[slot] < 0 && good_[slot];
      const bool goes_on = known && colliding_[slot];
      known_[trajectory] = known;
      end_pivots_[trajectory] = pivots_[slot];
      end_step_[trajectory] = step;
      end_tabulated_[trajectory] = tabulated_[slot];
      pivots_[next] = pivots_[slot];
      tabulated_[next] = tabulated_[slot];
      trajectory_[next] = trajectory;
      for (int i = 0; i < impulses; ++i) {
        end_total_[i][trajectory] = total_[i][slot];
        total_[i][next] = total_[i][slot];
        input_[contacts + i][next] = input_[contacts + i][slot];
        input_of_[next][contacts + i] = input_[contacts + i][next];
      }
      next += goes_on ? 1 : 0;
    }
    active_ = next;
  }

  [[gnu::noinline]] void write(int count, const SampleView& out) {
    const int nv = problem_.shape.velocities;
    for (int base = 0; base < count; base += width) {
      Group total[impulses];
      Group velocity[Size::velocities];
      alignas(64) double number[Size::velocities + impulses + 1][width];
      for (int i = 0; i < impulses; ++i) {
        total[i] = Group::load(end_total_[i] + base);
        (total[i] / Group::all(problem_.impulse_unit())).store(number[i]);
      }
      velocity_of(problem_, total, velocity);
      for (int j = 0; j < nv; ++j) velocity[j].store(number[impulses + j]);
      kinetic_energy(problem_, velocity).store(number[impulses + nv]);
      for (int lane = 0; lane < width && base + lane < count; ++lane) {
        const int row = base + lane;
        if (!known_[row]) continue;
        const SampleView mine = out.from(static_cast<std::size_t>(row), plan_.rows);
        for (int i = 0; i < impulses; ++i) mine.impulse[i] = number[i][lane];
        for (int j = 0; j < nv; ++j) mine.velocity[j] = number[impulses + j][lane];
        *mine.energy = number[impulses + nv][lane];
        TrajectoryEnd end;
        end.steps = static_cast<std::uint32_t>(end_step_[row] + 1);
        end.counters.pivots = static_cast<std::uint32_t>(end_pivots_[row]);
        end.counters.tabulated = static_cast<std::uint32_t>(end_tabulated_[row]);
        write_end(end, mine);
      }
    }
  }

  const RunPlan& plan_;
  const CapsView& caps_;
  StepLcpView problem_;
  const PivotTree& tree_;
  const ModeTableView* modes_;
  std::uint32_t problem_number_;
  std::uint64_t first_ = 0;
  int active_ = 0;

  // Data of the trajectories that continue, by slot.
  alignas(64) double input_[inputs][most];    // caps, then speeds before the step
  alignas(64) double input_of_[most][8];      // the same, slot by slot
  alignas(64) double total_[impulses][most];  // of impulses
  int trajectory_[most];
  int pivots_[most];
  int tabulated_[most];
  int child_[most];
  std::int16_t next_waiting_[most];  // at the same node
  std::int16_t first_waiting_[PivotTree::most];
  bool good_[most];
  bool colliding_[most];
  CapsSource source_[most];  // by trajectory
  // Data by trajectory, as of its last step.
  alignas(64) double end_total_[impulses][most];
  int end_pivots_[most];
  int end_tabulated_[most];
  int end_step_[most];
  bool known_[most];
};

#endif

}  // namespace carom::inline CAROM_ISA
