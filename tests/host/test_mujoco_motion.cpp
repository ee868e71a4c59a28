#ifdef CAROM_HAS_MUJOCO
#include <dlfcn.h>
#include <gmock/gmock.h>

#include <random>

#include "host/problem/mujoco/contacts.hpp"
#include "host/problem/mujoco/model.hpp"
#include "tests/support/mujoco_models.hpp"

namespace carom {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Eigen::VectorXd;
using mujoco::Contact;
using mujoco::Model;
using Mujoco = test::MujocoModels;
using RowMatrix3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

/// A point of the world, carried along by a body.
struct Carried {
  int body;
  Vector3d local;
};

Vector3d body_position(const Model& model, int body) {
  return Eigen::Map<const Vector3d>(model.data().xpos + 3 * body);
}

Matrix3d body_axes(const Model& model, int body) {
  return Eigen::Map<const RowMatrix3>(model.data().xmat + 9 * body);
}

Carried carried(const Model& model, int geom, const Vector3d& point) {
  const int body = model.model().geom_bodyid[geom];
  return {body, body_axes(model, body).transpose() * (point - body_position(model, body))};
}

Vector3d place(const Model& model, const Carried& point) {
  return body_position(model, point.body) + body_axes(model, point.body) * point.local;
}

/// How the point of a contact on `geom` moves away from that on `other` in the time 2 h, by
/// MuJoCo's own kinematics at the states h before and after.
class Displacement {
 public:
  Displacement(const std::string& file, const VectorXd& qpos, const VectorXd& qvel)
      : file_(file), qpos_(qpos), qvel_(qvel) {
    void* const handle = dlopen(mujoco::library().file.c_str(), RTLD_NOW);
    integrate_ = reinterpret_cast<decltype(integrate_)>(dlsym(handle, "mj_integratePos"));
  }

  Vector3d operator()(Model& model, const Carried& geom, const Carried& other, double h) const {
    return (place_at(model, geom, h) - place_at(model, other, h)) -
           (place_at(model, geom, -h) - place_at(model, other, -h));
  }

 private:
  Vector3d place_at(Model& model, const Carried& point, double time) const {
    VectorXd qpos = qpos_;
    integrate_(&model.model(), qpos.data(), qvel_.data(), time);
    model.set_state({.model = file_, .qpos = qpos, .distance = 1.0});
    return place(model, point);
  }

  std::string file_;
  VectorXd qpos_, qvel_;
  decltype(&::mj_integratePos) integrate_ = nullptr;
};

TEST_F(Mujoco, JacobiansAreTheDerivativesOfMujocosKinematics) {
  const std::string file = test::shipped_model("quadruped");
  std::mt19937 generator(7);
  std::uniform_real_distribution<double> uniform(-1.0, 1.0);
  mujoco::with_model(file, [&](Model& model) {
    for (int state = 0; state < 5; ++state) {
      VectorXd qpos(19);
      VectorXd qvel(18);
      for (double& value : qpos) value = 0.7 * uniform(generator);
      for (double& value : qvel) value = uniform(generator);
      qpos(2) = 0.5;
      qpos.segment<4>(3).normalize();
      const MujocoOptions options{.model = file, .qpos = qpos, .qvel = qvel, .distance = 1.0};
      model.set_state(options);
      std::vector<Contact> contacts;
      mujoco::select_contacts(model, options, contacts);
      ASSERT_GE(contacts.size(), 4U);
      std::vector<std::pair<Carried, Carried>> points;
      const Displacement displacement(file, qpos, qvel);
      for (int i = 0; i < model.data().ncon; ++i) {
        const mjContact& contact = model.data().contact[i];
        const Vector3d point = Eigen::Map<const Vector3d>(contact.pos);
        const bool turned = model.model().geom_bodyid[contact.geom[1]] == 0;
        points.emplace_back(carried(model, contact.geom[turned ? 0 : 1], point),
                            carried(model, contact.geom[turned ? 1 : 0], point));
      }
      ASSERT_EQ(points.size(), contacts.size());
      constexpr double h = 1e-5;  // s: its square and rounding over it are both about 1e-10
      for (std::size_t i = 0; i < points.size(); ++i) {
        const auto& [geom, other] = points[i];
        const Vector3d wanted = displacement(model, geom, other, h) / (2.0 * h);
        const Vector3d found = contacts[i].motion * qvel;
        EXPECT_LE((found - wanted).norm(), 1e-8) << contact_names(model, contacts)[i];
        EXPECT_GT(wanted.norm(), 1e-3);
      }
    }
  });
}

}  // namespace
}  // namespace carom
#endif
