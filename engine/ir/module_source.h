#pragma once

#include "ir/graph.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What names and sources tell of the module that owns a value.
namespace aotscope::ir::detail {

/// "weight" of "layers.0.attn".
struct OwnedValue {
    std::string path;
    std::string name;
};

/// Reads Dynamo's sources ("L['self']._modules['fc1']._parameters['weight']") and the names made from them
/// ("L_self_modules_fc1_parameters_weight_"). Nothing for values that belong to no module.
[[nodiscard]] std::optional<OwnedValue> ownedValueFromSource(std::string_view source);
/// The same of the descriptors of exported programs (ParamAOTInput, BufferAOTInput).
[[nodiscard]] std::optional<OwnedValue> ownedValueOf(const AOTInput& input);

/// The owner of each placeholder's value by node id index; `sources` as in deriveModulePaths.
[[nodiscard]] std::vector<std::optional<OwnedValue>>
placeholderOwners(const Graph& graph, const std::vector<std::string>& sources);

/// The module whose code a source line is, when that line used `value`: the owner itself where the line names
/// the value ("self.weight"), the module that holds the owner where it calls it ("self.fc1(x)").
[[nodiscard]] std::optional<std::string> lineOwner(const OwnedValue& value, std::string_view code);

/// "a.b" for "a.b.c"; empty for "a".
[[nodiscard]] std::string_view parentPath(std::string_view path);
/// The module that both lie in: "a" for "a.b.c" and "a.d".
[[nodiscard]] std::string commonPath(std::string_view left, std::string_view right);

} // namespace aotscope::ir::detail
