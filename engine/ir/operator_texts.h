#pragma once

#include <string_view>

/// The embedded files on operators.
namespace aotscope::ir::detail {

/// resources/op_schemas.txt: what LibTorch's dispatcher registers, one schema per line, sorted by byte.
[[nodiscard]] std::string_view dispatcherSchemas();
/// resources/op_schemas_python.txt: in the same form what PyTorch's Python code adds (prims, …).
[[nodiscard]] std::string_view pythonSchemas();
/// resources/op_tags.txt: one tag and operator per line ("pointwise aten.abs"; resources/make_op_tags.py).
[[nodiscard]] std::string_view operatorTags();

} // namespace aotscope::ir::detail
