// Bullet: its Lemke's method on the LCP as it is, and its Dantzig's method on the boxed form.
#include <BulletDynamics/MLCPSolvers/btDantzigLCP.h>
#include <BulletDynamics/MLCPSolvers/btLemkeAlgorithm.h>

#include <algorithm>

#include "bench/peers/boxed_lcp.hpp"
#include "bench/peers/peer.hpp"

namespace carom::peers {

namespace {

/// Not timed: W and w in Bullet's types. Timed: handing both to Bullet, which copies them and has
/// no other way to change w, and solving.
class BulletLemke : public LcpSolver {
 public:
  explicit BulletLemke(const LcpSet& set)
      : size_(set.size()), matrix_(size_, size_), lemke_(matrix_, btVectorXu(size_)) {
    for (int i = 0; i < size_; ++i) {
      for (int j = 0; j < size_; ++j) {
        matrix_.setElem(i, j, static_cast<btScalar>(set.matrix[i * size_ + j]));
      }
    }
    for (int lcp = 0; lcp < set.count; ++lcp) {
      constant_.emplace_back(size_);
      for (int i = 0; i < size_; ++i) {
        constant_.back()[i] = static_cast<btScalar>(set.constant_of(lcp)[i]);
      }
    }
  }

  bool solve(int lcp) override {
    lemke_.setSystem(matrix_, constant_[static_cast<std::size_t>(lcp)]);
    y_and_z_ = lemke_.solve(max_loops_);
    return lemke_.getInfo() == 0;
  }

  void solution(int, double* z) const override {
    for (int i = 0; i < size_; ++i) z[i] = static_cast<double>(y_and_z_[size_ + i]);
  }

 private:
  int size_;
  // Bullet's default is 100, too few at n = 60. Its solver for worlds takes 1000; where it cycles,
  // which is often, that costs ten times the time and saves none.
  unsigned max_loops_ = static_cast<unsigned>(std::max(100, 10 * size_));
  btMatrixXu matrix_;
  std::vector<btVectorXu> constant_;
  btLemkeAlgorithm lemke_;
  btVectorXu y_and_z_;
};

std::unique_ptr<LcpSolver> make_dantzig(const LcpSet& set) {
  auto solve = [scratch = btDantzigScratchMemory()](int size, btScalar* a, btScalar* x, btScalar* b,
                                                    btScalar* y, btScalar* low, btScalar* high,
                                                    int* normal_of) mutable {
    return btSolveDantzigLCP(size, a, x, b, y, 0, low, high, normal_of, scratch);
  };
  return std::make_unique<BoxedSolver<btScalar, decltype(solve)>>(set, 2 * set.contacts, solve);
}

}  // namespace

}  // namespace carom::peers

int main(int argc, char** argv) {
  using namespace carom::peers;
  const std::string precision = sizeof(btScalar) == sizeof(double) ? "" : ", single precision";
  return run_round(argc, argv,
                   {{"Bullet Lemke" + precision,
                     [](const LcpSet& set) { return std::make_unique<BulletLemke>(set); }},
                    {"Bullet Dantzig, boxed" + precision, make_dantzig}});
}
