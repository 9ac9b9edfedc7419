#include "aot/graph_signature.h"

#include "base/overloaded.h"

#include <algorithm>

namespace aotscope::aot {
namespace {

template<typename Spec, typename Kind>
std::vector<std::string> targetsOf(const std::vector<Spec>& specs, Kind kind) {
    std::vector<std::string> targets;
    for (const Spec& spec : specs) {
        if (spec.kind == kind && spec.target) {
            targets.push_back(*spec.target);
        }
    }
    return targets;
}

/// As in a Python dict, a repeated key keeps its place and takes the new value.
void put(NameMap& map, const std::string& key, const std::string& value) {
    const auto found = std::ranges::find(map, key, &NameMap::value_type::first);
    if (found == map.end()) {
        map.emplace_back(key, value);
    } else {
        found->second = value;
    }
}

template<typename Argument = TensorArgument, typename Spec, typename Kind>
NameMap namesTo(const std::vector<Spec>& specs, Kind kind) {
    NameMap map;
    for (const Spec& spec : specs) {
        const auto* argument = std::get_if<Argument>(&spec.arg);
        if (spec.kind == kind && argument != nullptr && spec.target) {
            put(map, argument->name, *spec.target);
        }
    }
    return map;
}

ConstantValue nameOrValue(const ArgumentSpec& argument) {
    const auto* constant = std::get_if<ConstantArgument>(&argument);
    return constant != nullptr ? constant->value : ConstantValue(argumentName(argument));
}

template<typename Spec, typename Kind>
std::vector<std::string> tokensOf(const std::vector<Spec>& specs, Kind kind) {
    std::vector<std::string> tokens;
    for (const Spec& spec : specs) {
        if (spec.kind == kind) {
            tokens.push_back(argumentName(spec.arg));
        }
    }
    return tokens;
}

template<typename Spec>
std::string specText(const Spec& spec, std::string_view kind) {
    std::string text = argumentName(spec.arg) + ": " + std::string(kind);
    return spec.target ? text + " target='" + *spec.target + "'" : text;
}

} // namespace

const std::string& argumentName(const ArgumentSpec& argument) {
    return std::visit([](const auto& spec) -> const std::string& { return spec.name; }, argument);
}

std::vector<std::string> GraphSignature::parameters() const {
    return targetsOf(inputSpecs, InputKind::Parameter);
}

std::vector<std::string> GraphSignature::buffers() const {
    return targetsOf(inputSpecs, InputKind::Buffer);
}

std::vector<std::string> GraphSignature::nonPersistentBuffers() const {
    std::vector<std::string> targets;
    for (const InputSpec& spec : inputSpecs) {
        if (spec.kind == InputKind::Buffer && spec.persistent == false && spec.target) {
            targets.push_back(*spec.target);
        }
    }
    return targets;
}

std::vector<std::string> GraphSignature::liftedTensorConstants() const {
    return targetsOf(inputSpecs, InputKind::ConstantTensor);
}

std::vector<std::string> GraphSignature::liftedCustomObjs() const {
    return targetsOf(inputSpecs, InputKind::CustomObj);
}

std::vector<ConstantValue> GraphSignature::userInputs() const {
    std::vector<ConstantValue> values;
    for (const InputSpec& spec : inputSpecs) {
        if (spec.kind == InputKind::UserInput) {
            values.push_back(nameOrValue(spec.arg));
        }
    }
    return values;
}

std::vector<ConstantValue> GraphSignature::userOutputs() const {
    std::vector<ConstantValue> values;
    for (const OutputSpec& spec : outputSpecs) {
        if (spec.kind == OutputKind::UserOutput || spec.kind == OutputKind::LossOutput) {
            values.push_back(nameOrValue(spec.arg));
        }
    }
    return values;
}

NameMap GraphSignature::inputsToParameters() const {
    return namesTo(inputSpecs, InputKind::Parameter);
}

NameMap GraphSignature::inputsToBuffers() const {
    return namesTo(inputSpecs, InputKind::Buffer);
}

NameMap GraphSignature::inputsToLiftedTensorConstants() const {
    return namesTo(inputSpecs, InputKind::ConstantTensor);
}

NameMap GraphSignature::inputsToLiftedCustomObjs() const {
    return namesTo<CustomObjArgument>(inputSpecs, InputKind::CustomObj);
}

NameMap GraphSignature::buffersToMutate() const {
    return namesTo(outputSpecs, OutputKind::BufferMutation);
}

NameMap GraphSignature::parametersToMutate() const {
    return namesTo(outputSpecs, OutputKind::ParameterMutation);
}

NameMap GraphSignature::userInputsToMutate() const {
    return namesTo(outputSpecs, OutputKind::UserInputMutation);
}

std::optional<ExportBackwardSignature> GraphSignature::backwardSignature() const {
    const auto loss = std::ranges::find(outputSpecs, OutputKind::LossOutput, &OutputSpec::kind);
    if (loss == outputSpecs.end()) {
        return std::nullopt;
    }
    return ExportBackwardSignature{namesTo(outputSpecs, OutputKind::GradientToParameter),
                                   namesTo(outputSpecs, OutputKind::GradientToUserInput),
                                   argumentName(loss->arg)};
}

std::vector<std::string> GraphSignature::inputTokens() const {
    return tokensOf(inputSpecs, InputKind::Token);
}

std::vector<std::string> GraphSignature::outputTokens() const {
    return tokensOf(outputSpecs, OutputKind::Token);
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
