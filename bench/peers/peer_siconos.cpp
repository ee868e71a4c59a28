// Siconos: Lemke's method with lexicographic ordering, called directly and through its driver.
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>

#include <algorithm>

#include "bench/peers/peer.hpp"

namespace carom::peers {

namespace {

/// Not timed: W column-major in Siconos' matrix, options. Timed: the solver (which allocates its
/// tableau), on w where it lies (Siconos only reads it), and z = 0, since Siconos leaves some
/// entries as they were.
class Siconos : public LcpSolver {
 public:
  explicit Siconos(const LcpSet& set)
      : set_(set),
        matrix_(NM_create(NM_DENSE, set.size(), set.size())),
        options_(solver_options_create(SICONOS_LCP_LEMKE)),
        y_(static_cast<std::size_t>(set.size())),
        z_(static_cast<std::size_t>(set.size())) {
    const int n = set.size();
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j) matrix_->matrix0[j * n + i] = set.matrix[i * n + j];
    }
    numerics_set_verbose(0);
    problem_ = {.size = n, .M = matrix_, .q = nullptr};
  }
  ~Siconos() override {
    solver_options_delete(options_);
    NM_free(matrix_);
  }
  Siconos(const Siconos&) = delete;
  Siconos& operator=(const Siconos&) = delete;
  void solution(int, double* z) const override { std::copy(z_.begin(), z_.end(), z); }

 protected:
  void prepare(int lcp) {
    problem_.q = const_cast<double*>(set_.constant_of(lcp));
    std::fill(z_.begin(), z_.end(), 0.0);
  }

  const LcpSet& set_;
  NumericsMatrix* matrix_;
  SolverOptions* options_;
  LinearComplementarityProblem problem_{};
  std::vector<double> y_;
  std::vector<double> z_;
};

class DirectSiconos : public Siconos {
 public:
  using Siconos::Siconos;
  bool solve(int lcp) override {
    prepare(lcp);
    int info = 0;
    lcp_lexicolemke(&problem_, z_.data(), y_.data(), &info, options_);
    return info == 0;
  }
};

class DrivenSiconos : public Siconos {
 public:
  using Siconos::Siconos;
  bool solve(int lcp) override {
    prepare(lcp);
    return linearComplementarity_driver(&problem_, z_.data(), y_.data(), options_) == 0;
  }
};

template <class Solver>
Peer peer(const char* name) {
  return {name, [](const LcpSet& set) { return std::make_unique<Solver>(set); }};
}

}  // namespace

}  // namespace carom::peers

int main(int argc, char** argv) {
  using namespace carom::peers;
  return run_round(
      argc, argv,
      {peer<DirectSiconos>("Siconos lexicolemke"), peer<DrivenSiconos>("Siconos driver")});
}
