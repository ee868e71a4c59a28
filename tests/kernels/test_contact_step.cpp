#include <gtest/gtest.h>

#include <cmath>

#include "kernels/step/capacity.hpp"
#include "kernels/step/contact_step.hpp"
#include "tests/support/flat_plan.hpp"
#include "tests/support/system_data.hpp"

namespace carom {
namespace {

/// Comparisons drop what is no number: no maximum of rows would tell of it.
TEST(ContactStep, TakesNoImpulseThatIsNoNumberForASolution) {
  SamplingOptions options;
  options.impulse_step = 0.3;
  options.epsilon = 0.01;
  const test::FlatPlan flat(test::reference_problem("rocking_block"), options);
  const StepLcpView view{flat.plan().shape, flat.plan().problems};
  double speed[4];
  contact_speeds(view, view.pre_impact_velocity(), speed);
  const double cap[2] = {1.0, 1.0};
  const ContactStep<Capacity<10, 16, 8>> step(view, speed, cap);
  for (const int friction : {1, 3}) {
    for (const double wrong : {std::nan(""), HUGE_VAL, -HUGE_VAL}) {
      double impulse[4] = {0.5, 0.0, 0.5, 0.0};
      double after[4];
      EXPECT_LT(step.assess(impulse, after), HUGE_VAL);
      impulse[friction] = wrong;
      EXPECT_EQ(step.assess(impulse, after), HUGE_VAL) << wrong << " of " << friction;
    }
  }
}

}  // namespace
}  // namespace carom
