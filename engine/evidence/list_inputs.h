#pragma once

#include "load/trace_log.h"

#include "ir/graph.h"

#include "base/result.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace aotscope::evidence {

/// A program and the logged descriptions of its inputs, one per placeholder.
struct DescribedProgram {
    ir::GraphPtr program;
    std::vector<load::InputTensor> inputs;
};

/// A logged size, stride or symbol: "8", "s0".
[[nodiscard]] ir::SymInt describedSize(const std::string& text);
/// The dtype that describes an input; nothing: none is known.
[[nodiscard]] std::optional<ir::DType> describedDtype(const load::InputTensor& tensor);

/// Whether an input of the program is a list. Compiled autograd passes its tensors to Dynamo's graph in a
/// list (`inputs`), so that each can be freed while the graph runs.
[[nodiscard]] bool hasListInputs(const ir::Graph& program);

/// The program as AOTAutograd gets it: each list is replaced in place by its elements, in order, including
/// those that the program does not read. Elements carry their sources; `described` and `symbols` supply their
/// metadata. A program without lists is returned unchanged. Errors: retrace.inputs (a list is used as a
/// whole, or nothing describes an element).
[[nodiscard]] base::Result<DescribedProgram>
withoutListInputs(DescribedProgram told, std::span<const load::InputTensor> described,
                  std::span<const load::TraceLog::LoggedSymbol> symbols);

} // namespace aotscope::evidence
