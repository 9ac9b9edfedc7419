#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::load {

/// The compile that a trace record belongs to. Follows torch 2.11, torch/_guards.py: CompileId, TraceId.
struct CompileId {
    std::optional<std::int32_t> compiledAutograd;
    std::optional<std::int32_t> frame;
    std::optional<std::int32_t> frameCompile;
    /// The TraceId's attempt; records written at run time have none.
    std::optional<std::int32_t> attempt;
    /// PyTorch counts its ids from 0/0 again after torch._dynamo.reset(), so a log may have several compiles
    /// of one id. 0: the first in the log, 1: the second, ….
    std::uint32_t repetition = 0;

    /// As PyTorch prints it: "0/1", "0/1_2" (attempt 2; attempt 0 is not written), "!0/1/0", "!0"; "-" for a
    /// record without an id. A repeated id has its number: "0/1 (2nd)", "0/1_2 (2nd)".
    [[nodiscard]] std::string text() const;
    /// Reads `text()`, also without the blank or the parentheses ("0/1(2nd)", "0/1 2nd"), and "0/1 (1st)".
    [[nodiscard]] static std::optional<CompileId> parse(std::string_view text);
    [[nodiscard]] bool empty() const { return !compiledAutograd && !frame && !frameCompile; }
    friend auto operator<=>(const CompileId&, const CompileId&) = default;
};

} // namespace aotscope::load
