#include "compile_answer.h"

#include "base/joined.h"
#include "base/mapped.h"

#include <sstream>

namespace aotscope::cli {

std::string configurationText(const std::optional<aot::FunctorchConfig>& config, aot::TorchVersion release,
                              unsigned touched) {
    const std::string note = config ? aot::configurationNote(*config, release, touched) : std::string();
    return note.empty() ? note : "  " + note + "\n";
}

std::optional<std::vector<OptionAnswer>>
configurationAnswer(const std::optional<aot::FunctorchConfig>& config, aot::TorchVersion release,
                    unsigned touched) {
    if (!config) {
        return std::nullopt;
    }
    std::vector<OptionAnswer> options;
    for (const aot::ConfigOption& option : aot::configOptions()) {
        if ((option.touches & touched) != 0 && !aot::isDefault(*config, option, release)) {
            const std::string name(option.name);
            options.push_back({name, aot::optionText(*config, option),
                               config->chosen.contains(name) ? "chosen" : "log",
                               aot::isFollowed(*config, option, release)});
        }
    }
    for (const auto& [name, text] : config->unknown) {
        options.push_back({name, text, "log", false});
    }
    return options;
}

std::string indentedLines(std::string_view text, std::string_view before) {
    std::istringstream lines{std::string(text)};
    std::string indented;
    for (std::string line; std::getline(lines, line);) {
        indented.append(before).append(line) += "\n";
    }
    return indented;
}

std::string linesOf(const std::vector<std::string>& texts, std::string_view before) {
    std::string lines;
    for (const std::string& text : texts) {
        lines.append(before).append(text) += "\n";
    }
    return lines;
}

std::string verdictLines(const base::Verdict& verdict, bool explain, const std::string& indent) {
    return indentedLines(explain ? base::explainedVerdict(verdict) : base::verdictText(verdict), indent);
}

std::string explanationOf(const base::Verdict& verdict, const std::string& indent) {
    const std::string all = verdictLines(verdict, true, indent);
    return all.substr(all.find('\n') + 1);
}

std::string sizesText(const std::optional<ir::SymInts>& sizes) {
    return sizes ? "[" + base::joined(*sizes) + "]" : std::string();
}

std::string warningsText(std::span<const passes::GraphWarning> warnings) {
    return linesOf(base::mapped(warnings, passes::warningText), "  ");
}

} // namespace aotscope::cli
