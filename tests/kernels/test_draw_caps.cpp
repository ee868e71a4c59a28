#include "kernels/laws/set_valued/draw_caps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "host/laws/set_valued/caps_plan.hpp"

namespace carom {
namespace {

using Caps = std::vector<double>;

/// Caps of trajectories as a run draws them.
class Drawer {
 public:
  Drawer(const std::string& text, int contacts, std::uint32_t seed = 5, int max_steps = 10)
      : plan_(plan_caps(parse_caps(text), contacts, max_steps)), contacts_(contacts), seed_(seed) {}

  CapsSource source(std::uint64_t trajectory) const {
    return {plan_.view(), Philox(seed_, problem, trajectory), trajectory, contacts_};
  }
  Caps draw(std::uint64_t trajectory, std::uint32_t step = 0) const {
    Caps caps(static_cast<std::size_t>(contacts_), -1.0);
    source(trajectory).draw(step, caps.data());
    return caps;
  }
  /// First caps of trajectories [0, count).
  std::vector<double> column(int count) const {
    std::vector<double> values;
    for (int i = 0; i < count; ++i) values.push_back(draw(static_cast<std::uint64_t>(i)).front());
    return values;
  }

  static constexpr std::uint32_t problem = 7;

 private:
  CapsPlan plan_;
  int contacts_;
  std::uint32_t seed_;
};

constexpr int draws = 20000;

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double share_up_to(const std::vector<double>& values, double limit) {
  return static_cast<double>(std::ranges::count_if(values, [&](double x) { return x <= limit; })) /
         static_cast<double>(values.size());
}

/// Five standard deviations of the share of `count` independent draws: exceeded once in 10^6.
double share_bound(double share, double count) {
  return 5.0 * std::sqrt(share * (1.0 - share) / count);
}

TEST(DrawCaps, UniformIsThePlainPhiloxPairs) {
  for (const int contacts : {1, 2, 5}) {
    const Caps caps = Drawer("uniform", contacts).draw(123456789012345, 3);
    for (int i = 0; i < contacts; ++i) {
      double pair[2];
      Philox(5, Drawer::problem, 123456789012345)
          .uniform_pair(3, Purpose::caps, static_cast<std::uint32_t>(i / 2), pair);
      EXPECT_EQ(caps[static_cast<std::size_t>(i)], pair[i % 2]);
    }
  }
}

TEST(DrawCaps, SimplexSumsToOneExactlyAndIsNeverNegative) {
  for (int contacts = 1; contacts <= 12; ++contacts) {
    const Drawer drawer("simplex", contacts);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const Caps caps = drawer.draw(i);
      EXPECT_EQ(std::accumulate(caps.begin(), caps.end(), 0.0), 1.0);
      EXPECT_GE(std::ranges::min(caps), 0.0);
    }
  }
  EXPECT_EQ(Drawer("simplex", 1).draw(3), Caps{1.0});
}

TEST(DrawCaps, SimplexHasTheLawOfDirichletWithOnes) {
  constexpr int contacts = 4;
  const Drawer drawer("simplex", contacts);
  std::vector<double> column[contacts];
  double product = 0.0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const Caps caps = drawer.draw(i);
    for (std::size_t c = 0; c < contacts; ++c) column[c].push_back(caps[c]);
    product += caps[1] * caps[2];
  }
  for (const auto& values : column) {
    // Each coordinate: variance 3/80, P(s > x) = (1 - x)^3.
    EXPECT_NEAR(mean(values), 0.25, 5.0 * std::sqrt(3.0 / 80.0 / draws));
    for (const double x : {0.05, 0.25, 0.6}) {
      const double share = 1.0 - std::pow(1.0 - x, 3);
      EXPECT_NEAR(share_up_to(values, x), share, share_bound(share, draws));
    }
  }
  // E[s_i s_j] = 1 / (m (m + 1)); the product is in [0, 1/4], so its deviation is at most 1/8.
  EXPECT_NEAR(product / draws, 1.0 / 20.0, 5.0 * 0.125 / std::sqrt(draws));
}

TEST(DrawCaps, CornersOfTwoContactsHaveTheLawOfAQuotientOfUniforms) {
  // s = r / (1 + r), r = (u / v)^power, and P(u / v <= q) = q / 2 for q <= 1.
  for (const int power : {1, 3, 8}) {
    const auto values = Drawer("corners:" + std::to_string(power), 2).column(draws);
    for (const double x : {0.01, 0.2, 0.5}) {
      const double share = 0.5 * std::pow(x / (1.0 - x), 1.0 / power);
      EXPECT_NEAR(share_up_to(values, x), share, share_bound(share, draws)) << power;
      EXPECT_NEAR(1.0 - share_up_to(values, 1.0 - x), share, share_bound(share, draws)) << power;
    }
  }
}

TEST(DrawCaps, CornersAreDirichletWhereThePowersSumToAtMostOne) {
  // power 2: given u^2 + v^2 <= 1, u^2 / (u^2 + v^2) is Beta(1/2, 1/2), the arcsine law.
  const Drawer corners("corners:2", 2);
  const Drawer uniform("uniform", 2);
  std::vector<double> values;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const Caps u = uniform.draw(i);
    if (u[0] * u[0] + u[1] * u[1] <= 1.0) values.push_back(corners.draw(i)[0]);
  }
  for (const double x : {0.02, 0.3, 0.5, 0.9}) {
    const double share = 2.0 / std::numbers::pi * std::asin(std::sqrt(x));
    EXPECT_NEAR(share_up_to(values, x), share,
                share_bound(share, static_cast<double>(values.size())));
  }
}

TEST(DrawCaps, CornersSumToOneWhereEveryPowerUnderflows) {
  for (int contacts = 1; contacts <= 12; ++contacts) {
    const Drawer drawer("corners:64", contacts);
    for (std::uint64_t i = 0; i < 500; ++i) {
      const Caps caps = drawer.draw(i);
      EXPECT_NEAR(std::accumulate(caps.begin(), caps.end(), 0.0), 1.0, 1e-15);
      EXPECT_GE(std::ranges::min(caps), 0.0);
    }
  }
}

TEST(DrawCaps, AGreaterPowerGoesNearerToTheCorners) {
  const auto mean_largest = [](const std::string& text) {
    const Drawer drawer(text, 3);
    double sum = 0.0;
    for (std::uint64_t i = 0; i < 2000; ++i) sum += std::ranges::max(drawer.draw(i));
    return sum / 2000;
  };
  EXPECT_LT(mean_largest("corners:1"), 0.6);
  EXPECT_GT(mean_largest("corners:8"), 0.8);
  EXPECT_GT(mean_largest("corners:64"), 0.97);
}

TEST(DrawCaps, EarlyCornersBecomeUniformWithTheSameProbabilityBeforeEachStep) {
  for (const int contacts : {1, 2, 3, 8}) {
    const Drawer early("early_corners:7", contacts);
    const Drawer corners("corners:7", contacts);
    const Drawer uniform("uniform", contacts);
    constexpr std::uint32_t steps = 12;
    double in_corners[steps] = {};
    for (std::uint64_t i = 0; i < draws; ++i) {
      std::uint32_t step = 0;
      while (step < steps && early.draw(i, step) == corners.draw(i, step)) ++in_corners[step++];
      for (; step < steps; ++step) ASSERT_EQ(early.draw(i, step), uniform.draw(i, step));
    }
    for (std::uint32_t step = 0; step < steps; ++step) {
      const double share = std::pow(1.0 - 0.5 / contacts, step + 1.0);
      EXPECT_NEAR(in_corners[step] / draws, share, share_bound(share, draws)) << contacts;
    }
  }
}

TEST(DrawCaps, EarlyCornersOfAMixtureLeaveIndependentlyOfTheChoiceOfTheirComponent) {
  const Drawer mixture("uniform + early_corners:4", 2);
  const Drawer corners("corners:4", 2);
  double first = 0.0;
  double second = 0.0;
  for (std::uint64_t i = 0; i < draws; ++i) {
    if (mixture.draw(i, 0) != corners.draw(i, 0)) continue;
    ++first;
    if (mixture.draw(i, 1) == corners.draw(i, 1)) ++second;
  }
  EXPECT_NEAR(first / draws, 0.375, share_bound(0.375, draws));
  EXPECT_NEAR(second / first, 0.75, share_bound(0.75, first));
}

TEST(DrawCaps, WeightedScalesTheUniformNumbers) {
  const Caps uniform = Drawer("uniform", 3).draw(17, 2);
  const Caps weighted = Drawer("weighted:1,0.25,0.5", 3).draw(17, 2);
  EXPECT_EQ(weighted, (Caps{uniform[0], 0.25 * uniform[1], 0.5 * uniform[2]}));
}

TEST(DrawCaps, AMixtureDrawsEachTrajectoryFromOneComponentInItsShare) {
  const Drawer mixture("0.5*uniform + 0.3*corners:4 + 0.2*weighted:0.5,1", 2);
  const Drawer parts[] = {Drawer("uniform", 2), Drawer("corners:4", 2),
                          Drawer("weighted:0.5,1", 2)};
  int count[3] = {};
  for (std::uint64_t i = 0; i < draws; ++i) {
    const Caps first = mixture.draw(i, 0);
    std::size_t part = 0;
    while (part < 3 && parts[part].draw(i, 0) != first) ++part;
    ASSERT_LT(part, 3u) << "trajectory " << i << " is of no component";
    EXPECT_EQ(mixture.draw(i, 5), parts[part].draw(i, 5)) << "and stays with it";
    ++count[part];
  }
  const double shares[] = {0.5, 0.3, 0.2};
  for (int part = 0; part < 3; ++part) {
    EXPECT_NEAR(count[part] / static_cast<double>(draws), shares[part],
                share_bound(shares[part], draws));
  }
}

TEST(DrawCaps, DoesNotDependOnTheOrderOfEvaluation) {
  for (const char* text : {"uniform", "simplex", "corners:8", "early_corners:8",
                           "weighted:1,0.5,0.2", "sobol", "uniform + 2*simplex + 0.5*sobol"}) {
    const Drawer drawer(text, 3);
    std::vector<Caps> forward;
    for (std::uint64_t i = 0; i < 20; ++i) {
      const CapsSource source = drawer.source(i);
      for (std::uint32_t step = 0; step < 12; ++step) {
        forward.emplace_back(3);
        source.draw(step, forward.back().data());
      }
    }
    const Drawer other(text, 3);
    for (std::uint64_t i = 20; i-- > 0;) {
      for (std::uint32_t step = 12; step-- > 0;) {
        EXPECT_EQ(other.draw(i, step), forward[i * 12 + step]) << text;
      }
    }
  }
}

TEST(DrawCaps, DrawsOtherCapsForAnotherSeedTrajectoryAndStep) {
  for (const char* text : {"uniform", "simplex", "corners:8", "weighted:1,0.5,0.2", "sobol"}) {
    const Caps caps = Drawer(text, 3, 1).draw(4, 2);
    EXPECT_NE(caps, Drawer(text, 3, 2).draw(4, 2)) << text;
    EXPECT_NE(caps, Drawer(text, 3, 1).draw(5, 2)) << text;
    EXPECT_NE(caps, Drawer(text, 3, 1).draw(4, 3)) << text;
  }
}

TEST(DrawCaps, KeepsItsBits) {
  // A stored run is repeated by these numbers; whoever changes one breaks every stored run.
  EXPECT_EQ(Drawer("uniform", 3).draw(1000, 1),
            (Caps{0x1.49ff24db8a0dp-2, 0x1.28c0de5fe0a6p-5, 0x1.3b61c788857eep-1}));
  EXPECT_EQ(Drawer("simplex", 3).draw(1000, 1),
            (Caps{0x1.28c0de5fe0a6p-5, 0x1.24e7090f8df84p-2, 0x1.5b006d923af98p-1}));
  EXPECT_EQ(Drawer("corners:8", 3).draw(1000, 1),
            (Caps{0x1.6dc170b864ecap-8, 0x1.38d4d23fc5fd1p-33, 0x1.fd247d1d56615p-1}));
  std::string corner_steps;  // of trajectories 1000, ...
  for (std::uint64_t i = 1000; i < 1016; ++i) {
    std::uint32_t step = 0;
    const Drawer early("early_corners:8", 3);
    const Drawer corners("corners:8", 3);
    while (step < 100 && early.draw(i, step) == corners.draw(i, step)) ++step;
    corner_steps += std::to_string(step) + " ";
  }
  EXPECT_EQ(corner_steps, "3 2 9 1 5 2 2 3 0 3 1 0 3 2 1 0 ");
  EXPECT_EQ(Drawer("sobol", 3).draw(1000, 1),
            (Caps{0x1.6cd2b7a149ff4p-2, 0x1.c1e24d80128c1p-1, 0x1.3565424d3b61dp-1}));
}

}  // namespace
}  // namespace carom
