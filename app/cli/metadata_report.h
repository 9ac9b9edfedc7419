#pragma once

#include "answer.h"
#include "compile_answer.h"
#include "retrace_report.h"

#include "contract/retrace_snapshot.h"

#include <map>
#include <string>
#include <vector>

namespace aotscope::cli {

/// Values that share memory according to the metadata: a base and its aliases.
struct AliasGroup {
    /// "input 0", "output 1", "intermediate base 0": indices of the traced function. For the program's
    /// arguments in one storage "one storage", or "the synthetic base primals_1" that replaces them.
    std::string base;
    /// "output 2 (alias_of_input)", "argument 3 l_x_ (elements 0 to 8)"
    std::vector<std::string> members;
};
AOTSCOPE_MEMBERS(AliasGroup, base, members)

/// The metadata of one compile as `metadata` answers; null where there is none.
struct CompileMetadata {
    std::string graph;
    std::string name;
    std::string kind;
    std::optional<aot::RulesChoice> rules = {};
    Json traced = {};
    Json logged = {};
    std::map<std::string, std::string> loggedOtherFields = {};
    std::optional<bool> equal = {};
    std::vector<std::string> differences;
    std::vector<std::string> notCompared;
    std::optional<std::vector<aot::StateFact>> globalState = {};
    std::optional<std::vector<AliasGroup>> aliasGroups = {};
    Json signature = {};
    std::optional<std::string> noSignature = {};
    std::optional<base::Error> error;
};
AOTSCOPE_MEMBERS(CompileMetadata, graph, name, kind, rules, traced, logged, loggedOtherFields, equal,
                 differences, notCompared, globalState, aliasGroups, signature, noSignature, error)

struct MetadataAnswer {
    std::vector<CompileMetadata> compiles = {};
    std::size_t equal = 0;
    std::size_t different = 0;
};
AOTSCOPE_MEMBERS(MetadataAnswer, compiles, equal, different)
AOTSCOPE_ANSWER(MetadataAnswer, "aotscope.metadata/2")

/// Groups of inputs that share memory and of outputs that alias something. Outputs that alias each other
/// through one base are in one group.
[[nodiscard]] std::vector<AliasGroup> aliasGroups(const ir::ViewAndMutationMeta& metadata,
                                                  const std::vector<session::SharedMemory>& sharedInputs);

/// Tables of inputs, outputs and tangents, alias groups and the signature, and where the logged metadata
/// differs. If nothing was traced, the logged metadata alone and why.
[[nodiscard]] std::string metadataText(const RetraceRun& run);
[[nodiscard]] MetadataAnswer metadataAnswer(const std::vector<RetraceRun>& runs);

} // namespace aotscope::cli
