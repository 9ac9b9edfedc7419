#pragma once

#include "load/trace_log.h"

#include "ir/graph.h"

#include "base/result.h"

#include <span>
#include <vector>

namespace aotscope::evidence {

/// A program and what the log tells of its inputs, one entry per placeholder.
struct DescribedProgram {
    ir::GraphPtr program;
    std::vector<load::InputTensor> inputs;
};

/// Whether an input of the program is a list. Compiled autograd hands Dynamo's graph its tensors in one
/// (`inputs`), so that they can be freed while the graph runs.
[[nodiscard]] bool hasListInputs(const ir::Graph& program);

/// The function that AOTAutograd is given then: each list is replaced by its elements, in place and in order,
/// also those that the program does not read; they carry their sources. What the log tells of an element is
/// among `described` and `symbols`. A program without lists comes back as it is. Errors: retrace.inputs (a
/// list is used as a whole, or nothing tells what an element is).
[[nodiscard]] base::Result<DescribedProgram>
withoutListInputs(DescribedProgram told, std::span<const load::InputTensor> described,
                  std::span<const load::TraceLog::LoggedSymbol> symbols);

} // namespace aotscope::evidence
