// Compiled once per instruction set, like kernels/cpu/run_worlds.cpp.
#include "kernels/cpu/search_signs.hpp"

#include "kernels/signs/sign_lines.hpp"
#include "kernels/signs/sign_search.hpp"
#include "kernels/step/capacity.hpp"

namespace carom::inline CAROM_ISA {
SearchCounts search_signs(const SearchedStep& step, int most_nodes, FoundPieces& found) {
  constexpr int most = LargestCapacity::bounded_size / 2;  // as fast with few coordinates
  const BoxForm<most> box(step.problem, step.before, step.cap, step.summed);
  const auto add = [&](const SolutionPiece<most>& piece) {
    return found.add({piece.ends,
                      piece.dimensions,
                      piece.orientation,
                      piece.sign,
                      {piece.x[0], piece.x[1]},
                      {piece.speed[0], piece.speed[1]}});
  };
  // Too large for the stack of a thread.
  auto* const search = new SignSearch<most>(box);
  const SearchReport report = search->run(most_nodes, add);
  delete search;
  if (!report.complete && step.tries_lines) {
    auto* const lines = new SignLines<most>(box);
    lines->run(Philox(1, 0, 0), 0, add);  // of any stream: all solutions are wanted
    delete lines;
  }
  return {report.complete, report.nodes};
}

}  // namespace carom::inline CAROM_ISA
