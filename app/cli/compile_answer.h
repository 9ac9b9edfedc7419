#pragma once

#include "answer.h"

#include "aot/functorch_config.h"
#include "aot/versions/rules_choice.h"
#include "aot/versions/versions.h"
#include "base/verdict.h"
#include "passes/graph_warnings.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What answers and reports say of the rules, options, verdicts and warnings of a compile.
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

/// Each line of a text with `before` at its begin; ends with a line break.
[[nodiscard]] std::string indentedLines(std::string_view text, std::string_view before);
/// A line for each text, with `before` at its begin.
[[nodiscard]] std::string linesOf(const std::vector<std::string>& texts, std::string_view before);

/// The verdict in one line, or with `explain` with all that is behind it, each line indented by `indent`.
[[nodiscard]] std::string verdictLines(const base::Verdict& verdict, bool explain,
                                       const std::string& indent = "");
/// The heading and lines of each list of a verdict that is not empty, without its word.
[[nodiscard]] std::string explanationOf(const base::Verdict& verdict, const std::string& indent);

/// "[4, 3]"; empty without sizes.
[[nodiscard]] std::string sizesText(const std::optional<ir::SymInts>& sizes);

/// What a compile's graphs show by themselves: one line per warning, with "  " before each.
[[nodiscard]] std::string warningsText(std::span<const passes::GraphWarning> warnings);

} // namespace aotscope::cli
