#pragma once

#include "ops/overloads.h"

#include <cstdint>
#include <optional>
#include <string>

/// Types of a schema's arguments, as Python's bindings see and name them.
namespace aotscope::torch::ops {

/// A schema argument's type without its list, size and optional parts.
struct TypeParts {
    c10::TypePtr base;
    bool isList = false;
    bool itemsOptional = false;
    bool isOptional = false;
};

[[nodiscard]] TypeParts partsOf(c10::TypePtr type);

[[nodiscard]] Parameter::Type parameterType(const TypeParts& parts);
/// The name of the schema's type as native_functions.yaml writes it ("int[1]?").
[[nodiscard]] std::string yamlType(const TypeParts& parts, std::optional<std::int32_t> size);
/// The name of the type in the bindings' own signatures ("IntArrayRef[1]?").
[[nodiscard]] std::string bindingType(const TypeParts& parts, std::optional<std::int32_t> size);

} // namespace aotscope::torch::ops
