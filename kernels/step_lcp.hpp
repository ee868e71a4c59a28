#pragma once

#include <cmath>

#include "kernels/lemke.hpp"
#include "kernels/qualifiers.hpp"
#include "kernels/step_lcp_view.hpp"
#include "kernels/step_outcome.hpp"

namespace carom::inline CAROM_ISA {

/// Above this residual a solution is refined: one pivoting run leaves about 1e-14.
inline constexpr double refinement_threshold = 1e-13;
inline constexpr int max_refinements = 3;

/// The unknowns z = [beta; lambda_n; lambda_D; gamma] of the step LCP (Halm & Posa, Eq. 72-75),
/// all as speeds: impulses are multiplied by the view's `impulse_unit`.
template <class Capacity>
class StepLcp {
 public:
  static constexpr int max_size = Capacity::lcp_size;

  /// The problem at `velocity` (nv, m/s) with caps (m, N·s, >= 0).
  CAROM_HOST_DEVICE StepLcp(const StepLcpView& view, const double* velocity, const double* cap)
      : view_(view), m_(view.shape.contacts), k_(view.shape.friction_directions) {
    set_constant(velocity, cap);
    set_scales(cap);
  }

  /// By Lemke's method. `cover` (n, > 0) is the covering vector; null: the view's.
  template <Effort effort>
  CAROM_HOST_DEVICE StepOutcome solve(const double* cover = nullptr) {
    StepOutcome outcome;
    for (int i = 0; i < size(); ++i) z_[i] = 0.0;
    if (active_contacts_ == 0 || velocity_scale_ == 0.0) {
      complete_idle_contacts();
      outcome.residual = residual();
      return outcome;
    }
    short index[max_size];
    LcpView lcp{.size = active_unknowns(index),
                .index = active_contacts_ == m_ ? nullptr : index,
                .stride = size(),
                .matrix = view_.matrix(),
                .matrix_low = view_.matrix_low(),
                .constant = constant_,
                .cover = cover == nullptr ? view_.cover() : cover};
    {
      Lemke<max_size> lemke;
      attempt(lemke, lcp, LemkeTolerances{}, outcome);
    }
    if constexpr (effort == Effort::thorough) {
      if (outcome.status != Status::separated) solve_thoroughly(lcp, outcome);
    } else {
      if (outcome.status != Status::separated) outcome.status = undecided;
    }
    return outcome;
  }

  /// Takes impulses found elsewhere (m x (1 + d), contact by contact, as speeds) as the solution,
  /// with the beta and gamma that suit them best; returns the residual.
  CAROM_HOST_DEVICE double assign(const double* impulse) {
    const int d = view_.shape.tangent_dimension;
    for (int i = 0; i < m_; ++i) {
      z_[i] = 0.0;
      z_[m_ + i] = impulse[i * (1 + d)];
      z_[(2 + k_) * m_ + i] = 0.0;
      split_friction(impulse + i * (1 + d) + 1, z_ + 2 * m_ + i * k_);
    }
    evaluate();
    for (int i = 0; i < m_; ++i) {
      z_[i] = larger(-y_[m_ + i], 0.0);
      double& slip = z_[(2 + k_) * m_ + i];
      for (int j = 0; j < k_; ++j) slip = larger(-y_[2 * m_ + i * k_ + j], slip);
    }
    evaluate();
    return residual();
  }

  /// The fastest contact coordinate before the step, m/s.
  CAROM_HOST_DEVICE double velocity_scale() const { return velocity_scale_; }
  /// The largest cap, or less where less stops everything; as a speed, m/s.
  CAROM_HOST_DEVICE double impulse_scale() const { return impulse_scale_; }

  CAROM_HOST_DEVICE double cap_slack(int contact) const { return z_[contact]; }
  CAROM_HOST_DEVICE double slip_speed(int contact) const {
    return z_[(1 + k_) * m_ + m_ + contact];
  }
  /// N·s
  CAROM_HOST_DEVICE double normal_impulse(int contact) const {
    return z_[m_ + contact] / view_.impulse_unit();
  }
  /// N·s along friction direction j
  CAROM_HOST_DEVICE double direction_impulse(int contact, int j) const {
    return z_[2 * m_ + contact * k_ + j] / view_.impulse_unit();
  }

 private:
  CAROM_HOST_DEVICE int size() const { return (3 + k_) * m_; }

  /// A tangential impulse (d) as a sum of friction directions (k) with coefficients >= 0, of
  /// neighbours only: the least sum there is.
  CAROM_HOST_DEVICE void split_friction(const double* tangential, double* direction) const {
    for (int j = 0; j < k_; ++j) direction[j] = 0.0;
    const double* unit = view_.directions();
    if (view_.shape.tangent_dimension == 1) {
      for (int j = 0; j < k_; ++j) direction[j] = larger(unit[j] * tangential[0], 0.0);
      return;
    }
    int nearest = 0;
    double most = -INFINITY;
    for (int j = 0; j < k_; ++j) {  // the pair of neighbours that it lies between
      const int next = (j + 1) % k_;
      const double size = (unit[2 * j] + unit[2 * next]) * tangential[0] +
                          (unit[2 * j + 1] + unit[2 * next + 1]) * tangential[1];
      if (size > most) {
        most = size;
        nearest = j;
      }
    }
    const double* a = unit + 2 * nearest;
    const int next = (nearest + 1) % k_;
    const double* b = unit + 2 * next;
    const double area = a[0] * b[1] - a[1] * b[0];
    direction[nearest] = larger((tangential[0] * b[1] - tangential[1] * b[0]) / area, 0.0);
    direction[next] = larger((a[0] * tangential[1] - a[1] * tangential[0]) / area, 0.0);
  }

  /// w of Eq. 75.
  CAROM_HOST_DEVICE void set_constant(const double* velocity, const double* cap) {
    const ProblemShape& shape = view_.shape;
    const int d = shape.tangent_dimension;
    active_contacts_ = 0;
    for (int i = 0; i < m_; ++i) {
      constant_[i] = cap[i] * view_.impulse_unit();
      active_contacts_ += constant_[i] > 0.0;
      constant_[m_ + i] = dot(view_.normal_jacobian() + i * shape.velocities, velocity);
      double tangential[2] = {0.0, 0.0};
      for (int a = 0; a < d; ++a) {
        tangential[a] = dot(view_.tangent_jacobian() + (i * d + a) * shape.velocities, velocity);
      }
      for (int j = 0; j < k_; ++j) {
        double along = 0.0;
        for (int a = 0; a < d; ++a) {
          along = std::fma(view_.directions()[j * d + a], tangential[a], along);
        }
        constant_[2 * m_ + i * k_ + j] = along;
      }
      constant_[(2 + k_) * m_ + i] = 0.0;
    }
  }

  /// Velocity scale: the fastest contact coordinate. Impulse scale (as a speed): the largest cap,
  /// or, if that is more, what stops this speed at the contact that takes most.
  CAROM_HOST_DEVICE void set_scales(const double* cap) {
    velocity_scale_ = 0.0;
    for (int i = m_; i < (2 + k_) * m_; ++i) {
      velocity_scale_ = larger(velocity_scale_, std::fabs(constant_[i]));
    }
    double largest_cap = 0.0;
    for (int i = 0; i < m_; ++i) largest_cap = larger(largest_cap, cap[i]);
    impulse_scale_ = velocity_scale_ / view_.least_admittance();
    if (largest_cap > 0.0) impulse_scale_ = smaller(impulse_scale_, largest_cap);
    impulse_scale_ *= view_.impulse_unit();
  }

  CAROM_HOST_DEVICE double dot(const double* row, const double* velocity) const {
    double sum = 0.0;
    for (int j = 0; j < view_.shape.velocities; ++j) sum = std::fma(row[j], velocity[j], sum);
    return sum;
  }

  /// A contact whose cap is zero takes no part: it can give no impulse, whatever the others do.
  CAROM_HOST_DEVICE int active_unknowns(short* index) const {
    int count = 0;
    for (int i = 0; i < size(); ++i) {
      const int contact =
          i < 2 * m_ ? i % m_ : (i < (2 + k_) * m_ ? (i - 2 * m_) / k_ : i - (2 + k_) * m_);
      if (constant_[contact] > 0.0) index[count++] = static_cast<short>(i);
    }
    return count;
  }

  template <class Method>
  CAROM_HOST_DEVICE void attempt(Method& lemke, const LcpView& lcp,
                                 const LemkeTolerances& tolerances, StepOutcome& outcome) {
    const LemkeOutcome ending = lemke.solve(lcp, tolerances);
    outcome.pivots += lemke.pivots();
    if (ending != LemkeOutcome::solved) {
      outcome.status = ending == LemkeOutcome::ray ? Status::ray : Status::pivot_limit;
      return;
    }
    lemke.solution(z_);
    complete_idle_contacts();
    outcome.residual = residual();
    for (int r = 0; r < max_refinements && !(outcome.residual <= refinement_threshold); ++r) {
      lemke.refine(y_, z_);
      complete_idle_contacts();
      const double refined = residual();
      const bool stalled = refined > 0.5 * outcome.residual;
      outcome.residual = refined;
      if (stalled) break;
    }
    outcome.status = outcome.residual <= residual_tolerance ? Status::separated : Status::residual;
  }

  /// Measured on redundant contacts with friction 1e5, where double precision fails most: the
  /// first line settles all but 1 in 1,000 of them, the second all but 1 in 10,000.
  CAROM_HOST_DEVICE void solve_thoroughly(LcpView lcp, StepOutcome& outcome) {
    constexpr int patience = 60;  // pivots per row
    constexpr LemkeTolerances ladder[] = {
        {0x1p-70, 1e-20, 1e-8, patience},  {0x1p-70, 1e-20, 1e-6, patience},
        {0x1p-70, 1e-20, 1e-12, patience}, {0x1p-70, 1e-20, 1e-8, patience},
        {0x1p-80, 1e-24, 1e-7, patience},  {0x1p-60, 1e-18, 1e-9, patience},
        {0x1p-86, 1e-26, 1e-10, patience}, {0x1p-50, 1e-15, 1e-5, patience},
        {0x1p-70, 1e-20, 1e-14, patience}, {0x1p-70, 1e-20, 1e-8, patience}};
    constexpr int own_cover_from = 3;  // attempts from here on take other covering vectors
    double cover[max_size];
    Lemke<max_size, DoubleDouble> lemke;
    int step = 0;
    for (const LemkeTolerances& tolerances : ladder) {
      if (step >= own_cover_from) {
        for (int i = 0; i < size(); ++i) {
          const double spread = 0.6180339887498949 * (i + 1) * (step - own_cover_from + 1);
          cover[i] = view_.cover()[i] * (1.0 + spread - std::floor(spread));
        }
        lcp.cover = cover;
      }
      ++step;
      ++outcome.retries;
      attempt(lemke, lcp, tolerances, outcome);
      if (outcome.status == Status::separated) return;
    }
  }

  /// beta and gamma of the contacts that took no part: as much as their rows need.
  CAROM_HOST_DEVICE void complete_idle_contacts() {
    if (active_contacts_ < m_) {
      for (int i = 0; i < m_; ++i) {
        if (constant_[i] > 0.0) continue;
        z_[i] = 0.0;
        z_[(2 + k_) * m_ + i] = 0.0;
      }
      evaluate();
      for (int i = 0; i < m_; ++i) {
        if (constant_[i] > 0.0) continue;
        z_[i] = larger(-y_[m_ + i], 0.0);
        for (int j = 0; j < k_; ++j) {
          double& slip = z_[(2 + k_) * m_ + i];
          slip = larger(-y_[2 * m_ + i * k_ + j], slip);
        }
      }
    }
    evaluate();
  }

  /// y = W z + w, row by row as Eq. 75 has them.
  CAROM_HOST_DEVICE void evaluate() {
    const int n = size();
    const int impulses = (1 + k_) * m_;
    const double* beta = z_;
    const double* lambda = z_ + m_;
    const double* gamma = z_ + m_ + impulses;
    for (int i = 0; i < impulses; ++i) {
      const double* row = view_.matrix() + (m_ + i) * n + m_;
      double sum = constant_[m_ + i];
      for (int j = 0; j < impulses; ++j) sum = std::fma(row[j], lambda[j], sum);
      y_[m_ + i] = sum + (i < m_ ? beta[i] : gamma[(i - m_) / k_]);
    }
    for (int i = 0; i < m_; ++i) {
      y_[i] = constant_[i] - lambda[i];
      double friction = 0.0;
      for (int j = 0; j < k_; ++j) friction += lambda[m_ + i * k_ + j];
      y_[m_ + impulses + i] = std::fma(view_.friction()[i], lambda[i], -friction);
    }
  }

  /// max over rows of |min(z_i / s_z, y_i / s_y)|; friction-cone rows also divided by 1 + mu.
  CAROM_HOST_DEVICE double residual() const {
    const double of_speed = velocity_scale_ > 0.0 ? 1.0 / velocity_scale_ : 1.0;
    const double of_impulse = impulse_scale_ > 0.0 ? 1.0 / impulse_scale_ : 1.0;
    double worst = 0.0;
    for (int i = 0; i < size(); ++i) {
      double of_z = of_impulse;
      double of_y = of_speed;
      if (i < m_) {
        of_z = of_speed;
        of_y = of_impulse;
      } else if (i >= (2 + k_) * m_) {
        of_z = of_speed;
        of_y = of_impulse / (1.0 + view_.friction()[i - (2 + k_) * m_]);
      }
      const double a = z_[i] * of_z;
      const double b = y_[i] * of_y;
      if (!(std::fabs(a) < INFINITY && std::fabs(b) < INFINITY)) return INFINITY;
      worst = larger(worst, std::fabs(smaller(a, b)));
    }
    return worst;
  }

  StepLcpView view_;
  int m_;
  int k_;
  int active_contacts_;
  double velocity_scale_;
  double impulse_scale_;
  double constant_[max_size];
  double z_[max_size];
  double y_[max_size];
};

}  // namespace carom::inline CAROM_ISA
