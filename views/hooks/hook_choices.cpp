#include "hooks/hook_choices.h"

#include "aot/saved_tensors_hooks.h"
#include "base/mapped.h"
#include "explore/inlined_hooks.h"
#include "hooks/hook_library.h"

#include <algorithm>
#include <utility>

namespace aotscope::views {

namespace {

std::string filterOf(const std::string& saved) {
    return "name=" + saved;
}

hooks::HookRule noneFor(const std::string& saved) {
    return {filterOf(saved), std::string(hooks::noHook)};
}

} // namespace

bool hasLoggedHooks(const session::PartitionSnapshot& split) {
    return split.function.program && aot::hooksOf(*split.function.program);
}

hooks::HookPlan planOf(const session::PartitionSnapshot& split, const session::PartitionChoices& choices) {
    if (choices.hooks) {
        return *choices.hooks;
    }
    hooks::HookPlan plan;
    if (hasLoggedHooks(split)) {
        plan.rules.push_back({{}, std::string(hooks::loggedHook)});
    }
    return plan;
}

hooks::HookPlan withHookForAll(hooks::HookPlan plan, const std::string& hook) {
    plan.rules.clear();
    if (hook != hooks::noHook) {
        plan.rules.push_back({{}, hook});
    }
    return plan;
}

std::string hookForAll(const hooks::HookPlan& plan) {
    const auto found =
        std::ranges::find_if(plan.rules, [](const hooks::HookRule& rule) { return rule.filter.empty(); });
    return found == plan.rules.end() ? std::string(hooks::noHook) : found->hook;
}

hooks::HookPlan withHookFor(hooks::HookPlan plan, std::span<const std::string> saved,
                            const std::string& hook) {
    std::vector<hooks::HookRule> rules;
    for (const std::string& name : saved) {
        std::erase_if(plan.rules, [&](const hooks::HookRule& rule) { return rule.filter == filterOf(name); });
        rules.push_back({filterOf(name), hook});
    }
    plan.rules.insert(plan.rules.begin(), rules.begin(), rules.end());
    return plan;
}

hooks::HookPlan switchedOff(hooks::HookPlan plan, const std::string& saved) {
    std::erase(plan.rules, noneFor(saved));
    plan.rules.insert(plan.rules.begin(), noneFor(saved));
    return plan;
}

hooks::HookPlan switchedOn(hooks::HookPlan plan, const std::string& saved) {
    std::erase(plan.rules, noneFor(saved));
    return plan;
}

std::string hookByRule(const hooks::HookPlan& plan, const session::SavedTensor& tensor) {
    const auto hookOf = session::hooksByRule(plan, {tensor});
    const auto found = hookOf ? hookOf->find(tensor.name) : decltype(hookOf->find(tensor.name))();
    return hookOf && found != hookOf->end() ? found->second : std::string(hooks::noHook);
}

std::vector<std::string> recomputedByName(const hooks::HookPlan& plan) {
    std::vector<std::string> names;
    const std::string prefix = filterOf({});
    for (const hooks::HookRule& rule : plan.rules) {
        if (rule.hook == hooks::recomputeHook && rule.filter.starts_with(prefix)) {
            names.push_back(rule.filter.substr(prefix.size()));
        }
    }
    return names;
}

hooks::HookPlan withoutRecompute(hooks::HookPlan plan) {
    std::erase_if(plan.rules, [](const hooks::HookRule& rule) { return rule.hook == hooks::recomputeHook; });
    return plan;
}

std::string ownName(const hooks::HookPlan& plan, const std::string& original) {
    const std::string stem = plan.own.contains(original) ? original : "my_" + original;
    std::string name = stem;
    for (int number = 2; plan.tryText(name); ++number) {
        name = stem + "_" + std::to_string(number);
    }
    return name;
}

hooks::HookPlan withOwnCopy(hooks::HookPlan plan, const std::string& original, const std::string& name) {
    const auto text = plan.tryText(original);
    if (!text) {
        return plan;
    }
    plan.own[name] = std::string(*text);
    for (hooks::HookRule& rule : plan.rules) {
        if (rule.hook == original) {
            rule.hook = name;
        }
    }
    if (plan.rules.empty()) {
        plan.rules.push_back({{}, name});
    }
    return plan;
}

hooks::HookPlan withText(hooks::HookPlan plan, const std::string& name, std::string text) {
    plan.own[name] = std::move(text);
    return plan;
}

hooks::HookPlan withoutOwn(hooks::HookPlan plan, const std::string& name) {
    plan.own.erase(name);
    if (!plan.tryText(name)) {
        std::erase_if(plan.rules, [&](const hooks::HookRule& rule) { return rule.hook == name; });
    }
    return plan;
}

std::vector<std::string> namesOfHooks(const hooks::HookPlan& plan) {
    auto names = base::mapped(hooks::hookLibrary(),
                              [](const hooks::LibraryHook& hook) { return std::string(hook.name); });
    for (const auto& [name, text] : plan.own) {
        if (std::ranges::find(names, name) == names.end()) {
            names.push_back(name);
        }
    }
    return names;
}

} // namespace aotscope::views
