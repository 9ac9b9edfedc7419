#pragma once

#include <string>
#include <string_view>

/// Keys of TextStyle::notes and Node::extra, set by the parser of graph text and read by the printer. They
/// keep variants of the text that torch 2.11, torch/fx/graph_module.py: GraphModule.print_readable, and
/// others print.
namespace aotscope::ir::notes {

/// Source comments are indented one column more than the code (PyTorch before 2.7).
inline constexpr const char* indentedComments = "indented_comments";
/// `x: f32[8]` without quotes.
inline constexpr const char* unquotedAnnotations = "unquoted_annotations";
/// The function's name if it is not `forward`.
inline constexpr const char* functionName = "function_name";
inline constexpr const char* returnType = "return_type";
/// Complex numbers whose text Python may read as others are calls, `complex(0.0, 1.0)` instead of `1j`
/// (PyTorch since 2.15).
inline constexpr const char* complexCalls = "complex_calls";
/// First argument of fx_pytree.tree_flatten_spec if it is not the list of parameters.
inline constexpr const char* flattenCall = "flatten_call";
/// The output goes through pytree.tree_unflatten.
inline constexpr const char* unflattened = "unflattened";
/// The boxed calling convention (`args_list`).
inline constexpr const char* boxed = "boxed";
/// Text before and after the class.
inline constexpr const char* leadingText = "leading_text";
inline constexpr const char* trailingText = "trailing_text";
/// "ExportedProgram:" and the like; the class is indented below it.
inline constexpr const char* wrapper = "wrapper";
/// The base class if it is not torch.nn.Module.
inline constexpr const char* baseClass = "base_class";
/// The format of a text that is not a class: one of the two values below. Neither contains nested graphs.
inline constexpr const char* form = "form";
/// The `graph():` form.
inline constexpr const char* percentForm = "percent";
/// Only the function, as in `GraphModule.code`.
inline constexpr const char* functionForm = "function";
/// Which values are set to None: "none"; "used": only values that have users (PyTorch before 2.4); "all":
/// also values without users, although the graph has no output (a trace that failed).
inline constexpr const char* deletions = "deletions";
/// The last line has no line end.
inline constexpr const char* noFinalNewline = "no_final_newline";
/// The returned container is empty but written on two lines.
inline constexpr const char* emptyReturnList = "empty_return_list";
/// Statements between the class and the function (`wrap("f")`).
inline constexpr const char* wrapStatements = "wrap_statements";

/// Node::extra: an annotation of an unknown kind, a Python type.
inline constexpr const char* annotationKey = "annotation";
inline constexpr const char* typeKey = "type";

} // namespace aotscope::ir::notes

namespace aotscope::ir {

/// To and from a JSON string literal, the format of the values in Node::extra.
[[nodiscard]] std::string jsonString(std::string_view text);
[[nodiscard]] std::string fromJsonString(std::string_view json);

} // namespace aotscope::ir
