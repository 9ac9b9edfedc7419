#pragma once

#include "program.h"

#include "passes/backward_inputs.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// The inputs of a partition's backward. Their strides are those of the log's compiled backward, if it has
/// one that takes the same inputs.
[[nodiscard]] std::vector<passes::BackwardInput> backwardInputsOf(Program& program,
                                                                  const session::ArtifactReference& joint,
                                                                  const passes::Partition& partition);

[[nodiscard]] std::string backwardInputsTable(const std::vector<passes::BackwardInput>& inputs);

} // namespace aotscope::cli
