#pragma once

#include "answer.h"

#include "aot/functorch_config.h"
#include "aot/versions/rules_choice.h"
#include "aot/versions/versions.h"

#include <optional>
#include <string>
#include <vector>

/// What answers and reports say of the rules and options of a compile.
namespace aotscope::cli {

inline Json toJson(aot::TorchVersion version, AnswerContext&) {
    return aot::torchVersionText(version);
}
inline Json schemaOf(std::type_identity<aot::TorchVersion>, AnswerContext&) {
    return {{"type", "string"}};
}

struct RulesUsed {
    /// The release whose rules applied.
    aot::TorchVersion torch;
    aot::TorchVersion madeBy;
    /// Nothing: as the file says.
    std::optional<aot::TorchVersion> chosen;
    std::string text;
};
AOTSCOPE_MEMBERS(RulesUsed, torch, madeBy, chosen, text)
inline Json toJson(const aot::RulesChoice& rules, AnswerContext& context) {
    return toJson(RulesUsed{aot::rulesVersion(rules.release()), rules.logged, rules.chosen, rules.text()},
                  context);
}
inline Json schemaOf(std::type_identity<aot::RulesChoice>, AnswerContext& context) {
    return schemaOf(std::type_identity<RulesUsed>(), context);
}

/// aot::configurationNote as an indented line; empty: nothing to tell.
[[nodiscard]] std::string configurationText(const std::optional<aot::FunctorchConfig>& config,
                                            aot::TorchVersion release, unsigned touched);

/// An option of PyTorch that differs from the release's default.
struct OptionAnswer {
    std::string name;
    /// As Python writes it.
    std::string value;
    /// "log", "chosen"
    std::string from;
    bool followed = false;
};
AOTSCOPE_MEMBERS(OptionAnswer, name, value, from, followed)
/// One for each line of aot::configurationLines; nothing without a configuration.
[[nodiscard]] std::optional<std::vector<OptionAnswer>>
configurationAnswer(const std::optional<aot::FunctorchConfig>& config, aot::TorchVersion release,
                    unsigned touched);

} // namespace aotscope::cli
