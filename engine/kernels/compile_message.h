#pragma once

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
    /// In the kernel's text, 1-based. 0: the message is of no line of it.
    std::size_t line = 0;
    /// 1-based; 0: unknown.
    std::size_t column = 0;
    std::string text;

    friend bool operator==(const CompileMessage&, const CompileMessage&) = default;
};

/// The name by which compilers know a kernel's text: their messages and line tables name it.
inline constexpr std::string_view kernelTextName = "kernel.cu";

/// Reads the messages of GCC, clang ("kernel.cu:3:5: error: …") and NVRTC ("kernel.cu(3): error: …", with the
/// column from the caret beneath). Messages of another file than the kernel's text have line 0 and name the
/// file in their text. At most 200 are read.
[[nodiscard]] std::vector<CompileMessage> readCompileMessages(std::string_view log);

[[nodiscard]] bool hasErrors(const std::vector<CompileMessage>& messages);

/// The first error as base::Error (kernels.not_compiled) with its place, the others as its notes.
[[nodiscard]] base::Error compileError(const std::vector<CompileMessage>& messages);

} // namespace aotscope::kernels
