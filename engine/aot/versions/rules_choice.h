#pragma once

#include "aot/versions/torch_version.h"

#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>

namespace aotscope::aot {

/// Whose rules apply to a compile: those of the release that wrote it, unless a person chose another's.
struct RulesChoice {
    TorchVersion logged;
    std::optional<TorchVersion> chosen = {};

    [[nodiscard]] TorchVersion release() const { return chosen.value_or(logged); }
    /// Whether the rules are those of the release that wrote the compile.
    [[nodiscard]] bool isOwn() const;
    /// "rules of torch 2.15"; with a choice also which one made the file: "rules of torch 2.11 (chosen; made
    /// by torch 2.15)". Says where the nearest older rules had to be taken.
    [[nodiscard]] std::string text() const;
    friend bool operator==(const RulesChoice&, const RulesChoice&) = default;
};

/// A release as a person writes it: "2.15", "2.15.0+cu132". Error: aot.torch_version, which names the known
/// releases.
[[nodiscard]] base::Result<TorchVersion> chosenVersion(std::string_view text);

/// "2.11, 2.15"
[[nodiscard]] std::string knownVersionsText();

} // namespace aotscope::aot
