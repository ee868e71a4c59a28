// Compiled once per instruction set but AVX-512, like kernels/cpu/run_worlds.cpp.
#include "kernels/cpu/search_signs.hpp"

#include "kernels/signs/sign_search.hpp"
#include "kernels/step/capacity.hpp"

namespace carom::inline CAROM_ISA {
namespace {

/// Memory of a search, which is too large for the stack of a thread.
template <int MaxCoordinates>
class HeapSearch {
 public:
  using Search = SignSearch<MaxCoordinates>;

  explicit HeapSearch(const BoxForm<MaxCoordinates>& box) : search_(new Search(box)) {}
  ~HeapSearch() { delete search_; }
  HeapSearch(const HeapSearch&) = delete;
  HeapSearch& operator=(const HeapSearch&) = delete;

  Search& operator*() const { return *search_; }

 private:
  Search* search_;
};

}  // namespace

SearchCounts search_signs(const SearchedStep& step, int most_nodes, FoundPieces& found) {
  SearchCounts counts;
  with_capacity(step.problem.shape, [&]<class Size>(Size) {
    constexpr int most = Size::bounded_size / 2;
    const BoxForm<most> box(step.problem, step.before, step.cap, step.summed);
    const HeapSearch<most> search(box);
    const SearchReport report = (*search).run(most_nodes, [&](const SolutionPiece<most>& piece) {
      found.add({piece.ends,
                 piece.dimensions,
                 piece.orientation,
                 piece.sign,
                 {piece.x[0], piece.x[1]},
                 {piece.speed[0], piece.speed[1]}});
    });
    counts = {report.complete, report.nodes};
  });
  return counts;
}

}  // namespace carom::inline CAROM_ISA
