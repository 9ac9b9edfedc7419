#pragma once

#include "ir/argument.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Operator schemas that are available without LibTorch: those of the dispatcher, which `aotscope-cli
/// schemas` writes into resources/op_schemas.txt, and those that PyTorch registers from Python (prims), in
/// resources/op_schemas_python.txt. Both files are compiled into the engine.
namespace aotscope::ir {

struct SchemaArgument {
    std::string name;
    /// As written in the schema: "Tensor(a!)", "int[2]?".
    std::string type;
    bool keywordOnly = false;
    bool hasDefault = false;
    std::string defaultText;
    /// The operator writes to the argument ("(a!)").
    bool isMutated = false;
};

struct OpSchema {
    /// "aten.add.Tensor"
    std::string target;
    std::vector<SchemaArgument> arguments;
    std::vector<std::string> returns;
    /// Takes further positional arguments of any type ("...").
    bool variadic = false;
};

/// The schema of an operator ("aten.add.Tensor"); null: not in the table. Thread-safe. Parses the schema at
/// each call, so keep the result if many nodes share an operator.
[[nodiscard]] std::shared_ptr<const OpSchema> trySchema(std::string_view target);

/// Parses one schema line ("aten::add.Tensor(Tensor self, …) -> Tensor").
[[nodiscard]] std::optional<OpSchema> parseSchema(std::string_view line);

} // namespace aotscope::ir
