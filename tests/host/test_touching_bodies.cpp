// Bodies that touch one another in time, and bodies that do not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "carom/roll.hpp"

namespace carom {
namespace {

using ::testing::HasSubstr;

PlanarBody rectangle(const std::string& name, double width, double height, double mass,
                     const Eigen::Vector2d& position) {
  const double x = width / 2.0;
  const double y = height / 2.0;
  return {.name = name,
          .corners = {{-x, -y}, {x, -y}, {x, y}, {-x, y}},
          .mass = mass,
          .position = {position.x(), position.y(), 0.0}};
}

PlanarWorld on_ground(std::vector<PlanarBody> bodies, double friction) {
  return {.bodies = std::move(bodies), .floors = {{.name = "ground"}}, .friction = friction};
}

RollOptions rolling(std::uint64_t rollouts, double duration) {
  RollOptions options;
  options.rollouts = rollouts;
  options.duration = duration;
  return options;
}

bool is_crowded(const Note& note) { return note.code == "crowded_steps"; }

/// State of a rollout at its end.
struct End {
  Eigen::VectorXd position;
  Eigen::VectorXd velocity;
};

std::vector<End> ends_of(const Rollouts& found) {
  std::vector<End> ends;
  const std::size_t states = found.size() * found.time.size();
  for (std::size_t i = 1; i <= found.size(); ++i) {
    const auto at_the_end = [&](const std::vector<double>& numbers) -> Eigen::VectorXd {
      const std::size_t width = numbers.size() / states;
      const double* const its = numbers.data() + (i * found.time.size() - 1) * width;
      return Eigen::Map<const Eigen::VectorXd>(its, static_cast<Eigen::Index>(width));
    };
    ends.push_back({at_the_end(found.position), at_the_end(found.velocity)});
  }
  return ends;
}

/// A corner that slides over the end of the side that it slides along does not hit the next side.
TEST(PolygonContacts, ABlockSlidesOverTheEndOfATable) {
  PlanarBody table = rectangle("table", 1.0, 0.4, 50.0, {0.0, 0.2});
  PlanarBody block = rectangle("block", 0.3, 0.1, 1.0, {0.3, 0.45});
  block.velocity.x() = 0.2;
  RollOptions sliding = rolling(60, 0.5);
  sliding.start = {{.coordinate = "block.x", .least = 0.3, .greatest = 0.302}};
  const Rollouts found = roll(on_ground({table, block}, 0.0), {}, sliding);
  EXPECT_EQ(found.size(), 60u);
  for (const std::uint32_t impacts : found.impacts) EXPECT_EQ(impacts, 0u);
  for (const End& end : ends_of(found)) {
    EXPECT_NEAR(end.velocity(3), 0.2, 1e-12);
    EXPECT_NEAR(end.position(4), 0.45, 1e-9);
    EXPECT_GE(end.position(3), 0.4 - 1e-9);
  }
}

/// How deep two convex polygons (rows, counter-clockwise) are in one another: negative if apart.
double overlap(const Eigen::MatrixX2d& one, const Eigen::MatrixX2d& other) {
  double least = INFINITY;
  for (const auto& [a, b] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    for (Eigen::Index i = 0; i < a->rows(); ++i) {
      const Eigen::RowVector2d side = a->row((i + 1) % a->rows()) - a->row(i);
      const Eigen::Vector2d normal = Eigen::Vector2d(side.y(), -side.x()).normalized();
      least = std::min(least, (*a * normal).maxCoeff() - (*b * normal).minCoeff());
    }
  }
  return least;
}

Eigen::MatrixX2d placed(const PlanarBody& body, const double* state) {
  Eigen::MatrixX2d points(static_cast<Eigen::Index>(body.corners.size()), 2);
  const Eigen::Rotation2Dd turn(state[2]);
  for (std::size_t i = 0; i < body.corners.size(); ++i) {
    points.row(static_cast<Eigen::Index>(i)) =
        turn * body.corners[i] + Eigen::Vector2d(state[0], state[1]);
  }
  return points;
}

/// A corner that passes the tip of another one within a step is beyond it, and their sides cross.
TEST(PolygonContacts, CornersThatPassEachOthersTipsCollide) {
  const PlanarBody wedge{.name = "wedge",
                         .corners = {{0.025, 0.363}, {-0.372, -0.0885}, {0.347, -0.2745}},
                         .mass = 1.5,
                         .position = {0.0, 0.0, 0.3},
                         .velocity = {-9.1, 2.7, -0.14}};
  PlanarBody box = rectangle("box", 0.6, 0.4, 0.13, {0.0, 0.0});
  box.velocity = {-1.7, -0.34, 3.86};
  const Eigen::Vector2d across = Eigen::Vector2d(-3.0, -7.4).normalized();  // of their approach
  int impacts = 0;
  for (int offset = -10; offset <= 10; ++offset) {
    const Eigen::Vector2d place = Eigen::Vector2d(-0.4485, 0.1607) + 1e-4 * offset * across;
    box.position = {place.x(), place.y(), 1.25};
    PlanarWorld world{.bodies = {wedge, box}, .friction = 0.0};
    world.gravity.setZero();
    RollOptions options = rolling(1, 0.03);
    for (int k = 0; k <= 60; ++k) options.times.push_back(5e-4 * k);
    const Rollouts found = roll(world, {}, options);
    impacts += found.impacts[0] > 0 ? 1 : 0;
    for (std::size_t k = 0; k < found.time.size(); ++k) {
      const double* const state = &found.position[6 * k];
      EXPECT_LT(overlap(placed(wedge, state), placed(box, state + 3)), 1e-6)
          << offset << " at " << found.time[k];
    }
  }
  EXPECT_EQ(impacts, 21);
}

/// A light box on the floor that a heavy slab strikes: in the step of the impact, the slab's side
/// meets the box where their normal turns, and presses it on.
TEST(PolygonContacts, ABoxIsNotPressedIntoTheFloor) {
  PlanarBody box = rectangle("box", 0.3312, 0.32, 0.076, {-0.1204, 0.1665});
  box.position.z() = 1.5663;
  box.velocity = {0.064, 0.076, -0.114};
  PlanarBody slab = rectangle("slab", 0.649, 0.22, 38.3, {0.3505, 0.4586});
  slab.position.z() = 0.018;
  slab.velocity = {0.7055, -2.7468, 0.0642};
  PlanarWorld world = on_ground({box, slab}, 0.2);
  world.restitution = 0.5;
  RollOptions striking = rolling(20, 0.006);
  striking.step = 0.002;
  const Rollouts found = roll(world, {}, striking);
  for (const End& end : ends_of(found)) {
    EXPECT_GT(placed(box, end.position.data()).col(1).minCoeff(), -1e-6);
  }
}

/// By hand: two blocks without friction that meet by their sides go on with their momentum.
TEST(PolygonContacts, BlocksThatMeetByTheirSidesGoOnTogether) {
  PlanarBody one = rectangle("one", 0.2, 0.1, 1.0, {0.0, 0.05});
  PlanarBody other = rectangle("other", 0.2, 0.3, 3.0, {0.25, 0.15});
  one.velocity.x() = 1.0;
  const Rollouts found = roll(on_ground({one, other}, 0.0), {}, rolling(20, 0.2));
  for (const End& end : ends_of(found)) {
    EXPECT_NEAR(end.velocity(0) + 3.0 * end.velocity(3), 1.0, 1e-7);
    EXPECT_GE(end.velocity(3), end.velocity(0) - 1e-9);
    EXPECT_GT(end.velocity(3), 0.2);
    EXPECT_GE(end.position(3) - end.position(0), 0.2 - 1e-6);
  }
}

/// A block that falls flat on a narrower one, whose corners meet its lower side, and beside which
/// one of its own corners hangs.
TEST(PolygonContacts, ABlockLandsFlatOnANarrowerOne) {
  const PlanarBody base = rectangle("base", 0.3, 0.2, 5.0, {0.0, 0.1});
  const PlanarBody lid = rectangle("lid", 0.8, 0.1, 1.0, {0.05, 0.3});
  const Rollouts found = roll(on_ground({base, lid}, 0.5), {}, rolling(20, 1.5));
  int flat = 0;
  for (const End& end : ends_of(found)) {
    EXPECT_GT(end.position(4), 0.0);
    flat += std::fabs(end.position(4) - 0.25) < 1e-6 && std::fabs(end.position(5)) < 1e-6 ? 1 : 0;
  }
  EXPECT_GT(flat, 0);
  for (const RolloutStatus status : found.status) {
    EXPECT_TRUE(status == RolloutStatus::moving || status == RolloutStatus::at_rest);
  }
}

/// States of a world's bodies at the end, under a law that draws nothing.
template <class World>
Eigen::VectorXd end_of(const World& world) {
  SamplingOptions sampling;
  sampling.law = law::Simultaneous{};
  const Rollouts found = roll(world, sampling, rolling(1, 1.0));
  EXPECT_TRUE(is_whole(found.status[0])) << static_cast<int>(found.status[0]);
  return ends_of(found)[0].position;
}

/// More bodies lie on the floor than one LCP could hold, each as if it were alone, but for steps
/// that end at the impacts of others, too.
template <class World>
void expect_bodies_move_as_each_alone(const World& world) {
  const Eigen::VectorXd together = end_of(world);
  const Eigen::Index size = together.size() / static_cast<Eigen::Index>(world.bodies.size());
  for (std::size_t b = 0; b < world.bodies.size(); ++b) {
    World alone = world;
    alone.bodies = {world.bodies[b]};
    const Eigen::VectorXd its = together.segment(static_cast<Eigen::Index>(b) * size, size);
    EXPECT_LT((end_of(alone) - its).cwiseAbs().maxCoeff(), 1e-5) << b;
  }
}

TEST(BodiesThatDoNotTouch, MoveInThePlaneAsEachAlone) {
  std::vector<PlanarBody> boxes;
  for (int i = 0; i < 8; ++i) {
    boxes.push_back(rectangle(std::to_string(i), 0.2, 0.1, 2.0, {0.5 * i, 0.2 + 0.01 * i}));
    boxes.back().position(2) = 0.02 * i;
  }
  expect_bodies_move_as_each_alone(on_ground(std::move(boxes), 0.4));
}

TEST(BodiesThatDoNotTouch, MoveInSpaceAsEachAlone) {
  SpatialWorld world{.bodies = {}, .floors = {{.name = "ground"}}, .friction = 0.4};
  for (int i = 0; i < 3; ++i) {
    const Eigen::AngleAxisd turn(0.1 * i, Eigen::Vector3d(1.0, 0.5, 0.0).normalized());
    world.bodies.push_back({.name = std::to_string(i),
                            .size = Eigen::Vector3d(0.2, 0.3, 0.1),
                            .position = {0.5 * i, 0.0, 0.3},
                            .orientation = Eigen::Quaterniond(turn),
                            .velocity = {0.1, 0.0, 0.0}});
  }
  expect_bodies_move_as_each_alone(world);
}

/// A corner that is kept `hold` above the ground leans a body of this length by so many radians.
TEST(WideWindows, AreToldOfTheGapOfKeptContactsToo) {
  PlanarWorld world = on_ground({rectangle("chip", 0.0081, 0.0061, 1.0, {0.0, 1.0})}, 0.4);
  RollOptions options = rolling(1, 0.01);  // of 1 cm: 1e-6 m are 1e-4 rad
  EXPECT_EQ(std::ranges::count(roll(world, {}, options).notes, "wide_window", &Note::code), 0);
  options.hold = 1.1e-6;
  EXPECT_EQ(std::ranges::count(roll(world, {}, options).notes, "wide_window", &Note::code), 1);
  world.bodies = {{.name = "bead", .radius = 0.004, .position = {0.0, 1.0, 0.0}}};  // cannot lean
  EXPECT_EQ(std::ranges::count(roll(world, {}, options).notes, "wide_window", &Note::code), 0);
}

/// Contacts act across a gap that shows: the shortest body with a length decides.
TEST(WideWindows, AreTold) {
  const auto is_told = [](const RigidWorld& world, double window) {
    RollOptions options = rolling(1, 0.01);
    options.window = window;
    const Rollouts found = roll(world, {}, options);
    return std::ranges::any_of(found.notes, [](const Note& note) {
      return note.code == "wide_window" && note.text.find("\"short\"") != std::string::npos;
    });
  };
  PlanarWorld plane = on_ground(
      {rectangle("long", 2.0, 0.1, 1.0, {0.0, 1.0}), rectangle("short", 0.3, 0.4, 1.0, {3.0, 1.0})},
      0.4);
  EXPECT_FALSE(is_told(plane, 0.0049));
  EXPECT_TRUE(is_told(plane, 0.0051));
  plane.bodies[1] = {.name = "short", .radius = 0.1, .position = {3.0, 1.0, 0.0}};
  EXPECT_FALSE(is_told(plane, 0.0019));
  EXPECT_TRUE(is_told(plane, 0.0021));
  const SpatialWorld space{.bodies = {{.name = "short",
                                       .size = Eigen::Vector3d(0.2, 0.1, 0.2),
                                       .position = {0.0, 0.0, 1.0}}},
                           .floors = {{.name = "ground"}}};
  EXPECT_FALSE(is_told(space, 0.0029));
  EXPECT_TRUE(is_told(space, 0.0031));
}

/// The default step is far longer than what these take to pass one another: a step is divided, and
/// all bodies meet. Momentum along x stays.
TEST(ThinBodies, AreNotPassedThrough) {
  PlanarWorld bullet{.bodies = {{.name = "bullet",
                                 .radius = 1e-3,
                                 .mass = 0.01,
                                 .position = {-1.0, 0.0, 0.0},
                                 .velocity = {900.0, 0.0, 0.0}},
                                rectangle("plate", 2e-3, 0.5, 1.0, {0.0, 0.0})},
                     .gravity = {0.0, 0.0},
                     .restitution = 1.0};
  const Rollouts hit = roll(bullet, {}, rolling(1, 0.01));
  EXPECT_EQ(hit.impacts[0], 1u);
  EXPECT_TRUE(is_whole(hit.status[0]));
  const Eigen::VectorXd after = ends_of(hit)[0].velocity;
  EXPECT_NEAR(after(0), -900.0 * (1.0 - 0.01) / 1.01, 1e-6);  // two bodies in a row, elastic
  EXPECT_NEAR(0.01 * after(0) + after(3), 9.0, 1e-9);
  bullet.bodies[0].velocity.x() = 1e6;
  bullet.bodies[0].position.x() = -1e3;
  const Rollouts lost = roll(bullet, {}, rolling(1, 0.01));
  EXPECT_EQ(lost.status[0], RolloutStatus::crowded);
  EXPECT_EQ(std::ranges::count_if(lost.notes, is_crowded), 1);
}

/// Corners of two bodies on a floor meet. Each is a rounding error deep in the floor, and neither
/// body goes under the other.
TEST(PolygonContacts, BodiesOnAFloorDoNotSlideUnderOneAnother) {
  PlanarBody wedge = rectangle("wedge", 1.0, 1.0, 80.0, {0.0, 0.0});
  wedge.corners = {{-1.0, -0.5}, {1.0, -0.5}, {0.2, 0.5}, {-1.0, 0.5}};
  wedge.position.y() = 0.458333333333333333;
  PlanarBody box = rectangle("box", 1.0, 1.0, 50.0, {2.5, 0.5});
  box.velocity.x() = -3.0;
  const PlanarWorld world = on_ground({wedge, box}, 0.1);
  RollOptions options = rolling(3, 1.0);
  options.step = 1e-5;
  const std::vector<End> fine = ends_of(roll(world, {}, options));
  options.step = 1e-3;
  const std::vector<End> coarse = ends_of(roll(world, {}, options));
  for (std::size_t i = 0; i < fine.size(); ++i) {
    EXPECT_LT((fine[i].position - coarse[i].position).cwiseAbs().maxCoeff(), 0.02) << i;
    EXPECT_GT(coarse[i].position(3) - coarse[i].position(0), 1.4) << i;
  }
}

/// A ball that rattles between two walls hits them 1,000 times a second. A step is divided 100
/// times at most: what is lost afterwards is told.
TEST(CrowdedSteps, AreTold) {
  const PlanarWorld world{
      .bodies = {{.name = "ball",
                  .radius = 0.01,
                  .position = {0.014, 0.0, 0.0},
                  .velocity = {10.0, 0.0, 0.0}}},
      .floors = {{.name = "left", .normal = {1.0, 0.0}},
                 {.name = "right", .point = {0.03, 0.0}, .normal = {-1.0, 0.0}}},
      .gravity = {0.0, 0.0},
      .restitution = 1.0};
  RollOptions options = rolling(1, 0.4);
  options.times = {0.4};
  options.step = 0.05;
  const Rollouts whole = roll(world, {}, options);
  EXPECT_EQ(whole.status[0], RolloutStatus::moving);
  EXPECT_EQ(whole.impacts[0], 400u);
  EXPECT_NEAR(std::fabs(whole.velocity[0]), 10.0, 1e-9);
  EXPECT_TRUE(std::ranges::none_of(whole.notes, is_crowded));
  options.step = 0.2;
  const Rollouts crowded = roll(world, {}, options);
  EXPECT_EQ(crowded.status[0], RolloutStatus::crowded);
  EXPECT_TRUE(is_whole(crowded.status[0]));
  EXPECT_EQ(std::ranges::count_if(crowded.notes, is_crowded), 1);
}

/// Bodies in space touch floors alone, which a note says where they pass through one another.
TEST(BodiesThatDoNotTouch, AreToldWhereTheyOverlap) {
  const SpatialBody box{
      .name = "box", .size = Eigen::Vector3d(0.2, 0.2, 0.2), .position = {0, 0, 0.11}};
  SpatialBody ball{.name = "ball", .radius = 0.1, .position = {0.0, 0.0, 0.5}};
  SpatialWorld world{.bodies = {box, ball}, .floors = {{.name = "ground"}}};
  const auto is_told = [&] {
    const Rollouts found = roll(world, {}, rolling(3, 0.5));
    return std::ranges::any_of(found.notes, [](const Note& note) {
      return note.code == "bodies_overlap" && note.text.find("3 of 3") != std::string::npos;
    });
  };
  EXPECT_TRUE(is_told());
  world.bodies[1].position.x() = 0.201;  // it falls beside the box
  EXPECT_FALSE(is_told());
  world.bodies[1].position.x() = 0.195;
  EXPECT_TRUE(is_told());
  world.bodies[1].position.head<2>().setConstant(0.18);  // near a corner, 0.08 from it both ways
  EXPECT_FALSE(is_told());
  world.bodies[1].position.head<2>().setConstant(0.16);
  EXPECT_TRUE(is_told());
}

/// Contacts that are deep, which a note tells with the first of them, of whole rollouts alone.
TEST(Penetration, IsTold) {
  const PlanarBody box = rectangle("box", 0.2, 0.2, 1.0, {0.0, 0.1});
  const PlanarBody lid = rectangle("lid", 0.2, 0.2, 1.0, {0.0, 0.3});
  const PlanarWorld world = on_ground({box, lid}, 0.5);
  const RollOptions resting = rolling(3, 0.1);
  Rollouts found = roll(world, {}, resting);
  const auto told = [&] {
    for (const Note& note : notes_on_rollouts(world, {}, resting, found)) {
      if (note.code == "penetration") return note.text;
    }
    return std::string();
  };
  EXPECT_EQ(told(), "");
  const std::size_t height = 6 * (found.time.size() + 2) + 1;  // of the second rollout's third time
  found.position[height] -= 1e-4;
  EXPECT_EQ(told(), "");
  found.position[height] -= 1e-2;
  EXPECT_THAT(told(), HasSubstr("1 of 3 rollouts, \"box 1 ground\" 0.0101 m deep at 0.01 s"));
  found.position[height] += 2e-2;
  EXPECT_THAT(told(), HasSubstr("0.0099 m deep"));
  found.status[1] = RolloutStatus::impact_failed;
  EXPECT_EQ(told(), "");
}

}  // namespace
}  // namespace carom
