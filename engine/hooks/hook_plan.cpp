#include "hooks/hook_plan.h"

#include "hooks/hook_library.h"

namespace aotscope::hooks {

std::optional<std::string_view> HookPlan::tryText(std::string_view hook) const {
    if (const auto found = own.find(std::string(hook)); found != own.end()) {
        return found->second;
    }
    const LibraryHook* shipped = tryLibraryHook(hook);
    return shipped != nullptr ? std::optional(shipped->text) : std::nullopt;
}

base::Result<HookRule> readHookRule(std::string_view text) {
    const std::size_t sign = text.find('=');
    HookRule rule;
    rule.hook = text.substr(0, sign);
    if (sign != std::string_view::npos) {
        rule.filter = text.substr(sign + 1);
    }
    if (rule.hook.empty()) {
        return base::Error{.code = "hooks.rule",
                           .message = "\"" + std::string(text) + "\" names no hook.",
                           .hint =
                               "Write a name, or a name and which tensors: \"bf16=dtype:f32 bytes>1MB\"."};
    }
    return rule;
}

std::string planText(const HookPlan& plan) {
    std::string text = "filter " + std::string(plan.filter ? base::wordOf(*plan.filter) : "as logged") + "\n";
    for (const HookRule& rule : plan.rules) {
        text += "rule " + rule.hook + " for " + rule.filter + "\n";
        text += std::string(plan.tryText(rule.hook).value_or("")) + "\n";
    }
    return text;
}

std::optional<base::Error> unknownHook(const HookPlan& plan) {
    for (const HookRule& rule : plan.rules) {
        if (rule.hook == noHook || rule.hook == loggedHook || rule.hook == recomputeHook ||
            plan.tryText(rule.hook)) {
            continue;
        }
        std::string names;
        for (const LibraryHook& hook : hookLibrary()) {
            names += std::string(hook.name) + ", ";
        }
        return base::Error{.code = "hooks.unknown",
                           .message = "There is no hook named \"" + rule.hook + "\".",
                           .hint = "There are " + names + "recompute, logged, none."};
    }
    return std::nullopt;
}

} // namespace aotscope::hooks
