#pragma once

#include "kernels/base/qualifiers.hpp"
#include "kernels/problem/problem_arrays.hpp"
#include "kernels/step/step_lcp_view.hpp"

namespace carom::inline CAROM_ISA {

/// Writes a problem's flat array with the Assembly of the size that holds the shape.
/// @param data StepLcpView::data_size() numbers; not written if the shape is bad
AssemblyReport assemble_problem(const ProblemShape& shape, const ProblemArrays& problem,
                                bool kinetic, double* data);

}  // namespace carom::inline CAROM_ISA
