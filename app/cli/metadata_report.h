#pragma once

#include "json_text.h"

#include "contract/retrace_snapshot.h"

#include "aot/graph_signature.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// The metadata of one compile, and its name for people.
struct MetadataRun {
    /// "mlp.log:0/0"
    std::string title;
    session::RetraceSnapshotPtr snapshot;
    /// The signature of a traced graph; the error says why it has none.
    std::optional<base::Result<aot::GraphSignature>> signature = {};
};

/// Values that share memory according to the metadata: a base and its aliases.
struct AliasGroup {
    /// "input 0", "output 1", "intermediate base 0": indices of the traced function. For the program's
    /// arguments in one storage "one storage", or "the synthetic base primals_1" that replaces them.
    std::string base;
    /// "output 2 (alias_of_input)", "argument 3 l_x_ (elements 0 to 8)"
    std::vector<std::string> members;
};

/// Groups of inputs that share memory and of outputs that alias something. Outputs that alias each other
/// through one base are in one group.
[[nodiscard]] std::vector<AliasGroup> aliasGroups(const ir::ViewAndMutationMeta& metadata,
                                                  const std::vector<session::SharedMemory>& sharedInputs);

/// Tables of inputs, outputs and tangents, alias groups and the signature, and where the logged metadata
/// differs. If nothing was traced, the logged metadata alone and why.
[[nodiscard]] std::string metadataText(const MetadataRun& run);
[[nodiscard]] Json metadataJson(const std::vector<MetadataRun>& runs);

} // namespace aotscope::cli
