#pragma once

#include "kernels/nvrtc_library.h"

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is said between this program and aotscope-kernel-compiler, which is of the same build: texts, each
/// behind its length as eight bytes. A number is a text of digits; a list begins with its length.
namespace aotscope::kernels {

/// What the program says first: where NVRTC lies and what it can do, or why there is none.
struct WireGreeting {
    std::string library;
    std::string version;
    std::vector<int> architectures;
    std::vector<std::string> troubles;
};
AOTSCOPE_MEMBERS(WireGreeting, library, version, architectures, troubles)

struct WireRequest {
    std::string text;
    std::vector<std::string> options;
};
AOTSCOPE_MEMBERS(WireRequest, text, options)

struct WireAnswer {
    NvrtcAnswer answer;
    std::uint64_t microseconds = 0;
};
AOTSCOPE_MEMBERS(WireAnswer, answer, microseconds)

void appendGreeting(std::string& wire, const WireGreeting& greeting);
void appendRequest(std::string& wire, const WireRequest& request);
void appendAnswer(std::string& wire, const WireAnswer& answer);

/// Take what comes first. Nothing: the wire ends before it, or is not of this form.
[[nodiscard]] std::optional<WireGreeting> takeGreeting(std::string_view& wire);
[[nodiscard]] std::optional<WireRequest> takeRequest(std::string_view& wire);
[[nodiscard]] std::optional<WireAnswer> takeAnswer(std::string_view& wire);

} // namespace aotscope::kernels
