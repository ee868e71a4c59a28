#include "bench/peers/simbody_rounds.hpp"

// C++17: Simbody's headers are ambiguous in C++20.
#include <simbody/internal/common.h>
// After it
#include <simbody/internal/ImpulseSolver.h>
#include <simbody/internal/PLUSImpulseSolver.h>

namespace carom::peers {
namespace {

using SimTK::ImpulseSolver;
using SimTK::MultiplierIndex;

constexpr double spent = 1e-9;  // impulses below are none, of FlatImpact::unit
constexpr int max_rounds = 1000;

}  // namespace

/// Simbody's impulses act the other way round.
struct SimbodyRounds::State {
  explicit State(const FlatImpact& its)
      : impact(its),
        size(static_cast<int>(its.before.size())),
        solver(its.transition_speed),
        matrix(size, size),
        softness(size, 0.0) {
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) matrix(i, j) = its.delassus(i, j);
    }
    contacts.resize(static_cast<unsigned>(its.contacts()));
    for (int i = 0; i < its.contacts(); ++i) {
      ImpulseSolver::UniContactRT& contact = contacts[static_cast<unsigned>(i)];
      contact.m_ucx = SimTK::UnilateralContactIndex(i);
      contact.m_Nk = MultiplierIndex(3 * i);
      contact.m_Fk.push_back(MultiplierIndex(3 * i + 1));
      contact.m_Fk.push_back(MultiplierIndex(3 * i + 2));
      contact.m_effMu = its.friction(i);
    }
  }

  double restitution_at(double approach, int contact) const {
    const double e_min = impact.restitution(contact);
    if (!(approach > 0.0) || approach < impact.capture_speed) return 0.0;
    if (!(approach < impact.plastic_speed)) return e_min;
    return 1.0 - (1.0 - e_min) * approach / impact.plastic_speed;
  }

  /// False if nothing approaches or expands.
  bool begin_round(const SimTK::Vector& now) {
    participating.clear();
    expanding.clear();
    expansion.resize(size);
    expansion.setToZero();
    left = gathered;
    restitution.resize(impact.contacts());
    for (int i = 0; i < impact.contacts(); ++i) {
      ImpulseSolver::UniContactRT& contact = contacts[static_cast<unsigned>(i)];
      restitution(i) = restitution_at(-now[3 * i], i);
      contact.m_type = ImpulseSolver::Observing;
      if (gathered(i) > 0.0) {
        contact.m_type = ImpulseSolver::Known;
        expanding.push_back(contact.m_Nk);
        expansion[3 * i] = -gathered(i);
      } else if (now[3 * i] < -approaching) {
        contact.m_type = ImpulseSolver::Participating;
        participating.push_back(contact.m_Nk);
      }
      if (contact.m_type == ImpulseSolver::Observing) continue;
      for (const MultiplierIndex friction : contact.m_Fk) participating.push_back(friction);
    }
    return !participating.empty();
  }

  void end_round() {
    for (int i = 0; i < impact.contacts(); ++i) {
      const bool released = contacts[static_cast<unsigned>(i)].m_type == ImpulseSolver::Known;
      const double push = -round_impulse[3 * i];
      impulse(3 * i) += released ? left(i) : push;
      impulse(3 * i + 1) -= round_impulse[3 * i + 1];
      impulse(3 * i + 2) -= round_impulse[3 * i + 2];
      gathered(i) = released ? 0.0 : restitution(i) * push;
      if (!(gathered(i) > spent * impact.unit)) gathered(i) = 0.0;
    }
  }

  Eigen::VectorXd copy(const SimTK::Vector& numbers) const {
    return Eigen::Map<const Eigen::VectorXd>(&numbers[0], size);
  }

  bool run(std::vector<ImpactStep>* steps) {
    SimTK::Vector now(size);
    for (int i = 0; i < size; ++i) now[i] = impact.before(i);
    impulse = Eigen::VectorXd::Zero(size);
    gathered = Eigen::VectorXd::Zero(impact.contacts());
    for (int round = 0; round < max_rounds; ++round) {
      if (!begin_round(now)) {
        speed = copy(now);
        return true;
      }
      if (steps != nullptr) steps->push_back({copy(now), impulse, {}});
      solver.solve(0, participating, matrix, softness, expanding, expansion, now, applied,
                   round_impulse, unconditional, contacts, speeds, bounded, limited, state_limited);
      end_round();
      if (steps != nullptr) {
        steps->back().impulse = impulse - steps->back().impulse;
        steps->back().after = copy(now);
      }
    }
    return false;
  }

  FlatImpact impact;
  int size;
  SimTK::PLUSImpulseSolver solver;
  SimTK::Matrix matrix;
  SimTK::Vector softness, expansion, applied, round_impulse;
  SimTK::Array_<MultiplierIndex> participating, expanding;
  SimTK::Array_<ImpulseSolver::UniContactRT> contacts;
  SimTK::Array_<ImpulseSolver::UncondRT> unconditional;
  SimTK::Array_<ImpulseSolver::UniSpeedRT> speeds;
  SimTK::Array_<ImpulseSolver::BoundedRT> bounded;
  SimTK::Array_<ImpulseSolver::ConstraintLtdFrictionRT> limited;
  SimTK::Array_<ImpulseSolver::StateLtdFrictionRT> state_limited;
  Eigen::VectorXd gathered, left, restitution, impulse, speed;
};

SimbodyRounds::SimbodyRounds(const FlatImpact& impact) : state_(std::make_unique<State>(impact)) {}
SimbodyRounds::~SimbodyRounds() = default;
bool SimbodyRounds::run(std::vector<ImpactStep>* steps) { return state_->run(steps); }
const Eigen::VectorXd& SimbodyRounds::impulse() const { return state_->impulse; }
const Eigen::VectorXd& SimbodyRounds::speed() const { return state_->speed; }

}  // namespace carom::peers
