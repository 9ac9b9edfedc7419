#pragma once

#include "ir/argument.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Operator schemas known without LibTorch: the dispatcher's own schemas, written once by
/// `aotscope-cli schemas` into resources/op_schemas.txt, and those that PyTorch registers from Python
/// (prims), in resources/op_schemas_python.txt. Both are compiled into the engine.
namespace aotscope::ir {

struct SchemaArgument {
    std::string name;
    /// As the schema writes it: "Tensor(a!)", "int[2]?".
    std::string type;
    bool keywordOnly = false;
    bool hasDefault = false;
    std::string defaultText;
    /// The argument is written to ("(a!)").
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

/// The schema of "aten.add.Tensor"; nothing when the operator is not in the table. Thread-safe and without
/// shared state: parsed at each call, so keep the result where many nodes share an operator.
[[nodiscard]] std::shared_ptr<const OpSchema> trySchema(std::string_view target);

/// Parses one schema line ("aten::add.Tensor(Tensor self, …) -> Tensor").
[[nodiscard]] std::optional<OpSchema> parseSchema(std::string_view line);

} // namespace aotscope::ir
