#pragma once

#include "passes/inline_hooks.h"

#include "base/describe.h"
#include "base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace aotscope::hooks {

/// Which hooks which saved tensors get.
struct HookRule {
    /// A line of session::SavedFilter ("dtype:f32 bytes>1MB module:attn*"); empty: every saved tensor.
    std::string filter;
    /// A name of HookPlan::own or of the library, or one of the words below.
    std::string hook;
    friend bool operator==(const HookRule&, const HookRule&) = default;
};
AOTSCOPE_MEMBERS(HookRule, filter, hook)

/// The tensor is saved as it is.
inline constexpr std::string_view noHook = "none";
/// The hooks that were traced with the program.
inline constexpr std::string_view loggedHook = "logged";
/// The tensor is not saved: the backward recomputes it. That is decided in the min-cut partitioner, before
/// hooks are inlined.
inline constexpr std::string_view recomputeHook = "recompute";

/// A person's choice of hooks, as plain values. Equal plans give equal graphs.
struct HookPlan {
    /// The first rule whose filter a saved tensor matches decides; without one it is saved as it is.
    std::vector<HookRule> rules;
    /// Texts of a person's own hooks (hooks/hook_text.h), by name.
    std::map<std::string, std::string> own = {};
    /// Nothing: what the log's configuration says, else PyTorch's default.
    std::optional<passes::HookFilter> filter = {};
    friend bool operator==(const HookPlan&, const HookPlan&) = default;

    /// The text of a hook: a person's own before the library's. Nothing for the words above and for unknown
    /// names.
    [[nodiscard]] std::optional<std::string_view> tryText(std::string_view hook) const;
};
AOTSCOPE_MEMBERS(HookPlan, rules, own, filter)

/// Reads "NAME" or "NAME=FILTER". Errors: hooks.rule (no name).
[[nodiscard]] base::Result<HookRule> readHookRule(std::string_view text);
/// All that decides what a plan does: its rules, its filter, and the texts of its hooks. Equal texts, equal
/// effects.
[[nodiscard]] std::string planText(const HookPlan& plan);
/// The error of a rule with an unknown hook; it lists the names that there are. Nothing: all are known.
[[nodiscard]] std::optional<base::Error> unknownHook(const HookPlan& plan);

} // namespace aotscope::hooks
