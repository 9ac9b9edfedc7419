#pragma once

#include <string>
#include <string_view>

/// Names of TextStyle::notes and of Node::extra that the reader of graph text sets and the printer obeys.
namespace aotscope::ir::notes {

/// Source comments stand one column to the right of the code (PyTorch before 2.7).
inline constexpr const char* indentedComments = "indented_comments";
/// `x: f32[8]` without quotes.
inline constexpr const char* unquotedAnnotations = "unquoted_annotations";
/// The function's name where it is not `forward`.
inline constexpr const char* functionName = "function_name";
inline constexpr const char* returnType = "return_type";
/// First argument of fx_pytree.tree_flatten_spec where it is not the list of parameters.
inline constexpr const char* flattenCall = "flatten_call";
/// The output goes through pytree.tree_unflatten.
inline constexpr const char* unflattened = "unflattened";
/// The boxed calling convention (`args_list`).
inline constexpr const char* boxed = "boxed";
/// Text before and behind the class.
inline constexpr const char* leadingText = "leading_text";
inline constexpr const char* trailingText = "trailing_text";
/// "ExportedProgram:" and the like; the class is indented below it.
inline constexpr const char* wrapper = "wrapper";
/// The base class where it is not torch.nn.Module.
inline constexpr const char* baseClass = "base_class";
/// How the text is written where it is no class: one of the two below. Neither writes nested graphs.
inline constexpr const char* form = "form";
/// The `graph():` form.
inline constexpr const char* percentForm = "percent";
/// A function alone, as `GraphModule.code` has it.
inline constexpr const char* functionForm = "function";
/// "none": values are never set to None; "used": only values that something used (PyTorch before 2.4); "all":
/// those that nothing used too, though the graph has no output (what was traced up to a failure).
inline constexpr const char* deletions = "deletions";
/// No line end behind the last line.
inline constexpr const char* noFinalNewline = "no_final_newline";
/// The returned container is empty, yet written over two lines.
inline constexpr const char* emptyReturnList = "empty_return_list";
/// Statements between the class and the function (`wrap("f")`).
inline constexpr const char* wrapStatements = "wrap_statements";

/// Node::extra: an annotation of an unknown kind, a Python type.
inline constexpr const char* annotationKey = "annotation";
inline constexpr const char* typeKey = "type";

} // namespace aotscope::ir::notes

namespace aotscope::ir {

/// A JSON string literal, as Node::extra holds values, and back.
[[nodiscard]] std::string jsonString(std::string_view text);
[[nodiscard]] std::string fromJsonString(std::string_view json);

} // namespace aotscope::ir
