// DART: its Lemke's method on the LCP as it is, and ODE's Dantzig's method on the boxed form. A
// program of its own, for plain x86-64 as Debian builds DART: with wider vectors Eigen would align
// memory otherwise than the library does.
#include <dart/external/odelcpsolver/lcp.h>

#include <dart/lcpsolver/Lemke.hpp>

#include "bench/peers/boxed_lcp.hpp"
#include "bench/peers/peer.hpp"

namespace carom::peers {

namespace {

/// Not timed: W and w as Eigen's types. Timed: the solver alone.
class DartLemke : public LcpSolver {
 public:
  explicit DartLemke(const LcpSet& set) {
    using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    matrix_ = Eigen::Map<const RowMajor>(set.matrix.data(), set.size(), set.size());
    for (int lcp = 0; lcp < set.count; ++lcp) {
      constant_.emplace_back(Eigen::Map<const Eigen::VectorXd>(set.constant_of(lcp), set.size()));
    }
  }

  bool solve(int lcp) override {
    return dart::lcpsolver::Lemke(matrix_, constant_[static_cast<std::size_t>(lcp)], &z_) == 0;
  }

  void solution(int, double* z) const override { std::copy_n(z_.data(), matrix_.rows(), z); }

 private:
  Eigen::MatrixXd matrix_;
  std::vector<Eigen::VectorXd> constant_;
  Eigen::VectorXd z_;
};

/// The solver returns true whatever happens; its messages are its reports.
bool has_complained = false;

std::unique_ptr<LcpSolver> make_dantzig(const LcpSet& set) {
  dart::external::ode::dSetMessageHandler([](int, const char*, va_list) { has_complained = true; });
  const auto solve = [](int size, double* a, double* x, double* b, double* y, double* low,
                        double* high, int* normal_of) {
    has_complained = false;
    return dart::external::ode::dSolveLCP(size, a, x, b, y, 0, low, high, normal_of) &&
           !has_complained;
  };
  const int stride = dPAD(2 * set.contacts);
  return std::make_unique<BoxedSolver<double, decltype(solve)>>(set, stride, solve);
}

}  // namespace

}  // namespace carom::peers

int main(int argc, char** argv) {
  using namespace carom::peers;
  return run_round(
      argc, argv,
      {{"DART Lemke", [](const LcpSet& set) { return std::make_unique<DartLemke>(set); }},
       {"DART Dantzig, boxed", make_dantzig}});
}
