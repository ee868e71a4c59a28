#pragma once

#include <Eigen/Core>
#include <vector>

#include "carom/derivative.hpp"
#include "host/problem/decompositions.hpp"

namespace carom {

/// Contacts that are closed, ascending.
using Contacts = std::vector<int>;

/// Motion between impacts, impacts and their derivatives (Pace & Burden, Eq. 2-4; the reaction
/// force is not as printed there). A state is [q, v].
class Mechanics {
 public:
  /// @throws InputError if something at the state has a wrong shape
  Mechanics(const Motion& motion, const Eigen::VectorXd& state);

  Eigen::Index coordinates() const { return coordinates_; }
  int contacts() const { return static_cast<int>(all_.size()); }
  const Contacts& all() const { return all_; }
  const std::string& name(int contact) const { return names_[static_cast<std::size_t>(contact)]; }
  double restitution(int contact) const { return restitution_(contact); }

  Eigen::VectorXd gaps(const Eigen::VectorXd& state) const {
    return motion_.gaps(state.head(coordinates_));
  }
  /// Da v, m/s
  Eigen::VectorXd speeds(const Eigen::VectorXd& state) const {
    return motion_.gap_jacobian(state.head(coordinates_)) * state.tail(coordinates_);
  }
  /// The speed of each contact if all kinetic energy drove it, m/s.
  Eigen::VectorXd possible_speeds(const Eigen::VectorXd& state) const;

  /// Of each entry of a state, as Motion::scale, while these contacts push.
  Eigen::VectorXd scales(const Contacts& pushing, const Eigen::VectorXd& state) const;
  /// How long a coordinate takes to go as far as its scale, at least, s.
  double bending_time(const Contacts& pushing, const Eigen::VectorXd& state) const;

  /// Impulses of contacts at a position.
  struct Push {
    Eigen::MatrixXd rows;       ///< Da
    Eigen::MatrixXd response;   ///< M^-1 Da'
    OrthogonalFactors factors;  ///< of Da M^-1 Da'
  };
  /// @throws InputError naming the contacts if they are redundant
  Push push_of(const Contacts& contacts, const Eigen::VectorXd& q) const;

  /// @throws InputError if a contact comes to another smooth piece of its gap on the way from a
  /// state to another one, where it is `time`
  void require_smooth(const Contacts& contacts, const Eigen::VectorXd& from,
                      const Eigen::VectorXd& to, double time) const;

  /// [v, q''] while these contacts are closed.
  Eigen::VectorXd field(const Contacts& closed, const Eigen::VectorXd& state) const;
  /// The contacts' forces, N.
  Eigen::VectorXd forces(const Contacts& closed, const Eigen::VectorXd& state) const;

  /// Lets go those that would have to pull.
  void release(Contacts& closed, const Eigen::VectorXd& state) const;

  struct Impact {
    Eigen::VectorXd state;
    Contacts closed;   ///< afterwards
    Contacts pushing;  ///< during the impact
  };
  /// The impact of a contact while others are closed. Those that would have to pull are let go.
  Impact impact(const Contacts& closed, int contact, const Eigen::VectorXd& state) const;
  /// The derivative through it: Xi = DR + (F+ - DR F-) Dh / (Dh F-).
  Eigen::MatrixXd saltation(const Contacts& closed, int contact, const Eigen::VectorXd& state,
                            const Impact& impact) const;

 private:
  struct Multipliers;
  Multipliers multipliers(const Contacts& closed, const Eigen::VectorXd& state) const;
  Eigen::VectorXd impulses(const Contacts& pushing, int contact, const Eigen::VectorXd& q,
                           const Eigen::VectorXd& v, Eigen::VectorXd* after) const;

  const Motion& motion_;
  Eigen::Index coordinates_;
  Eigen::VectorXd restitution_;
  Contacts all_;
  std::vector<std::string> names_;
};

}  // namespace carom
