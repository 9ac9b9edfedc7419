#pragma once

#include <compare>
#include <optional>
#include <string>
#include <string_view>

namespace aotscope::aot {

/// A release of PyTorch. Patch releases keep the rules of their minor release.
struct TorchVersion {
    int major = 0;
    int minor = 0;
    friend auto operator<=>(const TorchVersion&, const TorchVersion&) = default;
};

/// "2.15.0+cu132", "2.15.0a0+git1234", "2.15"; nothing if the text does not begin with two numbers of at most
/// three digits.
[[nodiscard]] std::optional<TorchVersion> torchVersionFromText(std::string_view text);
/// "2.15"
[[nodiscard]] std::string torchVersionText(TorchVersion version);

/// The release of a file that names none: logs name it since torch 2.15, so it is older.
[[nodiscard]] constexpr TorchVersion unnamedVersion() {
    return {2, 11};
}

} // namespace aotscope::aot
