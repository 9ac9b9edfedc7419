#pragma once

#include "base/describe.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// Kernels as CUDA C++: which nodes are fused into one and its text, how a text is compiled for the GPU and
/// for this machine, and what can be said of a kernel without running it. Nothing here uses LibTorch or a
/// driver.
namespace aotscope::kernels {

/// What a compiler says of a kernel's text.
struct CompileMessage {
    enum class Severity : std::uint8_t { Error, Warning, Remark };

    Severity severity = Severity::Error;
    /// Of which text: a kernel's file name ("fused_add_1.cu"), or one of ours ("prelude.h"). Empty: of none.
    std::string file = {};
    /// 1-based; 0: of no line.
    std::size_t line = 0;
    /// 1-based; 0: unknown.
    std::size_t column = 0;
    std::string text = {};

    friend bool operator==(const CompileMessage&, const CompileMessage&) = default;
};
AOTSCOPE_MEMBERS(CompileMessage, severity, line, column, file, text)
AOTSCOPE_WORDS(CompileMessage::Severity, "error", "warning", "remark")

/// The name by which compilers know the text of a kernel: "fused_add_1.cu". Characters that have no place in
/// a file's name become underscores.
[[nodiscard]] std::string kernelFileName(std::string_view kernel);

/// Reads the messages of GCC, clang ("kernel.cu:3:5: error: …") and NVRTC ("kernel.cu(3): error: …", with the
/// column from the caret beneath). Of a file's path the last part is kept. At most 200 are read.
[[nodiscard]] std::vector<CompileMessage> readCompileMessages(std::string_view log);

[[nodiscard]] bool hasErrors(const std::vector<CompileMessage>& messages);

/// The first error as base::Error (kernels.not_compiled) with its place, the others as its notes.
[[nodiscard]] base::Error compileError(const std::vector<CompileMessage>& messages);

} // namespace aotscope::kernels
