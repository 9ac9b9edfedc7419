#pragma once

#include <string_view>

/// The embedded schema files, one schema per line, each sorted by byte.
namespace aotscope::ir::detail {

/// resources/op_schemas.txt: what LibTorch's dispatcher registers.
[[nodiscard]] std::string_view dispatcherSchemas();
/// resources/op_schemas_python.txt: what PyTorch's Python code registers beyond that (prims, …).
[[nodiscard]] std::string_view pythonSchemas();

} // namespace aotscope::ir::detail
