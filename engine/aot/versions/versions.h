#pragma once

#include "aot/versions/torch_version.h"
#include "aot/versions/trace_rules.h"
#include "passes/partition_rules.h"

#include <span>
#include <string>
#include <string_view>
#include <variant>

/// The rules of AOTAutograd that differ between releases of torch. No other code depends on a release: it
/// takes rules.
namespace aotscope::aot {

/// Everything that depends on the release, by the part of the program that uses it.
struct TorchRules {
    TraceRules trace;
    passes::PartitionRules partition;
    friend bool operator==(const TorchRules&, const TorchRules&) = default;
};

/// A rule that changed: since when it holds, and how it is known.
struct VersionRule {
    /// One sentence about what holds from `begins` on.
    std::string_view text;
    TorchVersion begins;
    /// File and function of PyTorch that it was read from.
    std::string_view source;
    /// False in releases without the rule.
    std::variant<bool TraceRules::*, bool DecompositionRules::*, bool passes::PartitionRules::*> member;

    void apply(TorchRules& all) const;
};

/// The releases whose rules are known, oldest first. Never empty.
[[nodiscard]] std::span<const TorchVersion> knownVersions();

/// All rules, by the release that they begin at.
[[nodiscard]] std::span<const VersionRule> versionRules();

/// The release whose rules apply to graphs of `release`: the newest known one that is not newer, else the
/// oldest.
[[nodiscard]] TorchVersion rulesVersion(TorchVersion release);

/// The rules of rulesVersion(release).
[[nodiscard]] TorchRules torchRules(TorchVersion release);

/// "rules of torch 2.15"; for a release whose own rules are not known also which one made the file:
/// "rules of torch 2.15 (made by torch 2.17, whose own rules are not known)".
[[nodiscard]] std::string rulesText(TorchVersion release);

} // namespace aotscope::aot
