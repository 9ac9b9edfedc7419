#include "aot/graph_signature.h"

namespace aotscope::aot {
namespace {

template<typename Spec>
std::string specText(const Spec& spec, std::string_view kind) {
    std::string text = argumentName(spec.arg) + ": " + std::string(kind);
    return spec.target ? text + " target='" + *spec.target + "'" : text;
}

} // namespace

const std::string& argumentName(const ArgumentSpec& argument) {
    return std::visit([](const auto& spec) -> const std::string& { return spec.name; }, argument);
}

std::string signatureText(const GraphSignature& signature) {
    std::string text = "\n# inputs\n";
    for (const InputSpec& spec : signature.inputSpecs) {
        text += specText(spec, base::wordOf(spec.kind));
        text += spec.persistent ? (*spec.persistent ? " persistent=True" : " persistent=False") : "";
        text += '\n';
    }
    text += "\n# outputs\n";
    for (const OutputSpec& spec : signature.outputSpecs) {
        text += specText(spec, base::wordOf(spec.kind)) + '\n';
    }
    return text;
}

} // namespace aotscope::aot
