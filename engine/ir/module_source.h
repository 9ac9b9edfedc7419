#pragma once

#include "ir/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Derives the module that owns a value from names and Dynamo's sources. Follows the texts of sources in
/// torch 2.11, torch/_dynamo/source.py: LocalSource, AttrSource, DictGetItemSource.
namespace aotscope::ir::detail {

/// A parameter or buffer of a module: "weight" of "layers.0.attn".
struct OwnedValue {
    std::string path;
    std::string name;
};

/// Reads Dynamo's sources ("L['self']._modules['fc1']._parameters['weight']") and the names that Dynamo
/// builds from them ("L_self_modules_fc1_parameters_weight_"). Nothing for values that belong to no module.
[[nodiscard]] std::optional<OwnedValue> ownedValueFromSource(std::string_view source);
/// The same from the descriptors of exported programs (ParamAOTInput, BufferAOTInput).
[[nodiscard]] std::optional<OwnedValue> ownedValueOf(const AOTInput& input);

/// The owner of each placeholder's value by node id index; `sources` as in deriveModulePaths.
[[nodiscard]] std::vector<std::optional<OwnedValue>>
placeholderOwners(const Graph& graph, const std::vector<std::string>& sources);

/// The module whose code contains a source line that used `value`: the owner if the line names the value
/// ("self.weight"), the owner's parent if the line calls the owner ("self.fc1(x)").
[[nodiscard]] std::optional<std::string> lineOwner(const OwnedValue& value, std::string_view code);

/// The line that a node comes from; null: unknown.
[[nodiscard]] const SourceLocation* sourceOf(const Node& node);
/// Whether both are the same line, or both unknown.
[[nodiscard]] bool isSameLine(const SourceLocation* left, const SourceLocation* right);

/// "a.b" for "a.b.c"; empty for "a".
[[nodiscard]] std::string_view parentPath(std::string_view path);
/// The innermost module that contains both: "a" for "a.b.c" and "a.d".
[[nodiscard]] std::string commonPath(std::string_view left, std::string_view right);

/// Paths by node id index; nothing: not known (yet).
using PathTable = std::vector<std::optional<std::string>>;

/// Gives nodes without a path that of the innermost module that contains both the node with a path before
/// and the one behind; `nodes` are in program order.
void fillBetween(const std::vector<NodeId>& nodes, PathTable& paths);

} // namespace aotscope::ir::detail
