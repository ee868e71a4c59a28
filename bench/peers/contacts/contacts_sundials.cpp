// The falling plate by SUNDIALS: CVODE's Adams method and ARKODE's explicit Runge-Kutta methods,
// which find the roots of all event functions and begin anew at each event. Fields are Carom's own,
// whose cost does not depend on the number of springs.
#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_serial.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/peers/contacts/falling_plate.hpp"
#include "kernels/compliant/plate.hpp"

namespace carom::peers {
namespace {

constexpr std::size_t most_motions = 100;  // each takes 20 ms
constexpr int size = 6;

/// What the solvers' functions are given.
struct Problem {
  PlateField field;
  ContactBits bits;
  PlateField::Mode mode;

  explicit Problem(const FallingPlate& plate) {
    const double masses = plate.mass * static_cast<double>(plate.places.size());
    field.view = {.contacts = static_cast<int>(plate.places.size()),
                  .place = plate.places.data(),
                  .height = plate.height,
                  .mass = plate.mass,
                  .mass_by_inertia = plate.mass / plate.inertia,
                  .stiffness = plate.stiffness / masses,
                  .damping = plate.damping / masses,
                  .gravity = plate.gravity,
                  .steepest = 1.5};
    field.set_mode(bits, mode);
  }
};

int field_of(realtype /*time*/, N_Vector state, N_Vector rate, void* data) {
  const auto& its = *static_cast<const Problem*>(data);
  const double* const x = N_VGetArrayPointer(state);
  its.field.field(its.mode, its.field.guards(x), x, N_VGetArrayPointer(rate));
  return 0;
}

int roots_of(realtype /*time*/, N_Vector state, realtype* values, void* data) {
  const auto& its = *static_cast<const Problem*>(data);
  const PlateField::Guards all = its.field.guards(N_VGetArrayPointer(state));
  for (int k = 0; k < its.field.contacts(); ++k) {
    values[k] = std::fma(-all.tangent, all.place[k], all.depth);  // which a compiler vectorises
  }
  return 0;
}

void require(int code, const char* what) {
  if (code < 0) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(code));
}

/// One solver as the loop over events sees it.
struct Solver {
  SUNContext context = nullptr;
  N_Vector state = nullptr;
  void* memory = nullptr;
  SUNNonlinearSolver iteration = nullptr;

  Solver() {
    require(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    state = N_VNew_Serial(size, context);
  }
  virtual ~Solver() {
    if (iteration != nullptr) SUNNonlinSolFree(iteration);
    N_VDestroy(state);
    SUNContext_Free(&context);
  }
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  virtual void restart(double time) = 0;
  virtual void set_directions(int* directions) = 0;
  /// True at a root, false at the end.
  virtual bool advance(double until, double& time) = 0;
  virtual void roots(int* found) = 0;
};

struct Adams final : Solver {
  Adams(Problem& problem, double tolerance, double until) {
    memory = CVodeCreate(CV_ADAMS, context);
    require(CVodeInit(memory, field_of, 0.0, state), "CVodeInit");
    require(CVodeSStolerances(memory, tolerance, tolerance), "CVodeSStolerances");
    iteration = SUNNonlinSol_FixedPoint(state, 0, context);
    require(CVodeSetNonlinearSolver(memory, iteration), "CVodeSetNonlinearSolver");
    require(CVodeSetUserData(memory, &problem), "CVodeSetUserData");
    require(CVodeRootInit(memory, problem.field.contacts(), roots_of), "CVodeRootInit");
    require(CVodeSetNoInactiveRootWarn(memory), "CVodeSetNoInactiveRootWarn");
    require(CVodeSetMaxNumSteps(memory, -1), "CVodeSetMaxNumSteps");
    require(CVodeSetStopTime(memory, until), "CVodeSetStopTime");
    stop_ = until;
  }
  ~Adams() override { CVodeFree(&memory); }
  void restart(double time) override {
    require(CVodeReInit(memory, time, state), "CVodeReInit");
    require(CVodeSetStopTime(memory, stop_), "CVodeSetStopTime");
  }
  void set_directions(int* directions) override {
    require(CVodeSetRootDirection(memory, directions), "CVodeSetRootDirection");
  }
  bool advance(double until, double& time) override {
    const int code = CVode(memory, until, state, &time, CV_NORMAL);
    require(code, "CVode");
    return code == CV_ROOT_RETURN;
  }
  void roots(int* found) override { require(CVodeGetRootInfo(memory, found), "CVodeGetRootInfo"); }

 private:
  double stop_;
};

struct RungeKutta final : Solver {
  RungeKutta(Problem& problem, int order, double tolerance, double until) : stop_(until) {
    memory = ERKStepCreate(field_of, 0.0, state, context);
    require(ERKStepSetOrder(memory, order), "ERKStepSetOrder");
    require(ERKStepSStolerances(memory, tolerance, tolerance), "ERKStepSStolerances");
    require(ERKStepSetUserData(memory, &problem), "ERKStepSetUserData");
    require(ERKStepRootInit(memory, problem.field.contacts(), roots_of), "ERKStepRootInit");
    require(ERKStepSetNoInactiveRootWarn(memory), "ERKStepSetNoInactiveRootWarn");
    require(ERKStepSetMaxNumSteps(memory, -1), "ERKStepSetMaxNumSteps");
    require(ERKStepSetStopTime(memory, until), "ERKStepSetStopTime");
  }
  ~RungeKutta() override { ERKStepFree(&memory); }
  void restart(double time) override {
    require(ERKStepReset(memory, time, state), "ERKStepReset");  // keeps the length of steps
    require(ERKStepSetStopTime(memory, stop_), "ERKStepSetStopTime");
  }
  void set_directions(int* directions) override {
    require(ERKStepSetRootDirection(memory, directions), "ERKStepSetRootDirection");
  }
  bool advance(double until, double& time) override {
    const int code = ERKStepEvolve(memory, until, state, &time, ARK_NORMAL);
    require(code, "ERKStepEvolve");
    return code == ARK_ROOT_RETURN;
  }
  void roots(int* found) override {
    require(ERKStepGetRootInfo(memory, found), "ERKStepGetRootInfo");
  }

 private:
  double stop_;
};

/// Moves one motion; returns its number of events.
unsigned move(Solver& solver, Problem& problem, const double* start, double until) {
  const int contacts = problem.field.contacts();
  std::vector<int> directions(static_cast<std::size_t>(contacts), 1);
  std::vector<int> found(directions.size());
  problem.bits = {};
  problem.field.set_mode(problem.bits, problem.mode);
  double* const x = N_VGetArrayPointer(solver.state);
  std::copy(start, start + size, x);
  solver.restart(0.0);
  solver.set_directions(directions.data());
  unsigned events = 0;
  double time = 0.0;
  while (solver.advance(until, time)) {
    solver.roots(found.data());
    for (int k = 0; k < contacts; ++k) {
      if (found[static_cast<std::size_t>(k)] == 0) continue;
      problem.bits.flip(k);
      directions[static_cast<std::size_t>(k)] *= -1;
      ++events;
    }
    problem.field.set_mode(problem.bits, problem.mode);
    solver.restart(time);
    solver.set_directions(directions.data());
  }
  return events;
}

void judge(Solver& solver, Problem& problem, const FallingPlate& plate, const std::string& name,
           double tolerance) {
  const std::size_t motions = std::min(most_motions, plate.size());
  Judge judge(plate);
  const double begun = processor_seconds();
  for (std::size_t i = 0; i < motions; ++i) {
    const unsigned events = move(solver, problem, &plate.starts[size * i], plate.duration);
    judge.note(i, N_VGetArrayPointer(solver.state), events);
  }
  const double seconds = processor_seconds() - begun;
  char setting[32];
  std::snprintf(setting, sizeof setting, "tolerance %.0e", tolerance);
  judge.print(name, setting, seconds);
}

void run(const char* file) {
  const FallingPlate plate = read_plate(file);
  Problem problem(plate);
  for (const double tolerance : {1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8, 1e-8, 1e-9, 1e-10}) {
    Adams adams(problem, tolerance, plate.duration);
    judge(adams, problem, plate, "CVODE Adams", tolerance);
    for (const int order : {4, 5, 6, 8}) {
      RungeKutta solver(problem, order, tolerance, plate.duration);
      judge(solver, problem, plate, "ARKODE ERK order " + std::to_string(order), tolerance);
    }
  }
}

}  // namespace
}  // namespace carom::peers

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: contacts_sundials FILE\n");
    return 2;
  }
  try {
    carom::peers::run(argv[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
