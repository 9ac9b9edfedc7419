#include "hook_options.h"

#include "hooks/hook_library.h"

#include <filesystem>
#include <utility>

namespace aotscope::cli {

namespace {

constexpr std::uint64_t mostHookBytes = std::uint64_t{16} << 20;

/// A hook named by a file has the file's name in the plan.
void addRule(Program& program, hooks::HookPlan& plan, const std::string& given) {
    auto rule = orFail(ExitUsage, hooks::readHookRule(given));
    const std::filesystem::path path(rule.hook);
    if (!plan.tryText(rule.hook) && path.has_extension()) {
        std::string text = program.read(path, mostHookBytes);
        rule.hook = path.filename().string();
        plan.own[rule.hook] = std::move(text);
    }
    plan.rules.push_back(std::move(rule));
}

} // namespace

std::optional<hooks::HookPlan> planOf(Program& program, const std::vector<std::string>& hooks,
                                      const std::string& mode) {
    if (hooks.empty() && mode.empty()) {
        return std::nullopt;
    }
    hooks::HookPlan plan;
    for (const std::string& hook : hooks) {
        addRule(program, plan, hook);
    }
    if (plan.rules.empty()) {
        plan.rules.push_back({{}, std::string(hooks::loggedHook)});
    }
    if (auto unknown = hooks::unknownHook(plan)) {
        throw Failure(ExitUsage, *std::move(unknown));
    }
    plan.filter = base::fromWord<passes::HookFilter>(mode);
    return plan;
}

std::string hookText(Program& program, const std::string& hook) {
    if (const hooks::LibraryHook* shipped = hooks::tryLibraryHook(hook)) {
        return std::string(shipped->text);
    }
    return program.read(hook, mostHookBytes);
}

} // namespace aotscope::cli
