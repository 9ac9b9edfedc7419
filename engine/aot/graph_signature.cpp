#include "aot/graph_signature.h"

#include "base/overloaded.h"

#include <algorithm>

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

void GraphSignature::replaceAllUses(std::string_view old, const std::string& name) {
    const auto rename = [&](auto& spec) {
        std::visit(base::Overloaded{[](ConstantArgument&) {},
                                    [&](auto& argument) {
                                        if (argument.name == old) {
                                            argument.name = name;
                                        }
                                    }},
                   spec.arg);
    };
    std::ranges::for_each(outputSpecs, rename);
    std::ranges::for_each(inputSpecs, rename);
}

ir::ReplaceHook GraphSignature::replaceHook(bool replaceInputs) {
    return [this, replaceInputs](const ir::Node& old, const std::string& name, const ir::Node& user) {
        if (user.op == ir::Opcode::Output || (replaceInputs && old.op == ir::Opcode::Placeholder)) {
            replaceAllUses(old.name, name);
        }
    };
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
