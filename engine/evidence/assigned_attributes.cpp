#include "evidence/assigned_attributes.h"

#include "ir/source_stack.h"

#include "base/text_search.h"
#include "base/trimmed.h"

#include <algorithm>
#include <cctype>
#include <optional>

namespace aotscope::evidence {

namespace {

/// Statements that call torch.nn.Module.__setattr__, that is assignments to module attributes.
std::vector<ir::SourceLocation> assignments(std::string_view sideEffects) {
    std::vector<ir::SourceLocation> found;
    std::optional<ir::SourceLocation> caller;
    std::optional<ir::SourceLocation> frame;
    while (!sideEffects.empty()) {
        const std::string_view line = base::takePart(sideEffects, '\n');
        if (auto next = ir::frameOf(base::trimmed(line))) {
            caller = std::move(frame);
            frame = std::move(next);
            const bool assigns = frame->function == "__setattr__" && caller &&
                                 frame->file.ends_with("torch/nn/modules/module.py");
            if (assigns) {
                found.push_back(*caller);
            }
        } else if (frame && frame->code.empty()) {
            frame->code = base::trimmed(line);
        }
    }
    return found;
}

/// Position of the `=` of an assignment or augmented assignment; nothing for a comparison or a keyword
/// argument.
std::optional<std::size_t> equalsSign(std::string_view code) {
    int depth = 0;
    for (std::size_t i = 0; i < code.size(); ++i) {
        const char c = code[i];
        depth += c == '(' || c == '[' || c == '{' ? 1 : c == ')' || c == ']' || c == '}' ? -1 : 0;
        if (c != '=' || depth != 0) {
            continue;
        }
        const bool compares = (i + 1 < code.size() && code[i + 1] == '=') ||
                              (i > 0 && std::string_view("=<>!").find(code[i - 1]) != std::string_view::npos);
        return compares ? std::nullopt : std::optional(i);
    }
    return std::nullopt;
}

/// "self.cache" of "self.cache += x"; the whole statement if it has another form.
std::string assignedName(std::string_view code) {
    const auto equals = equalsSign(code);
    std::string_view name = base::trimmed(code.substr(0, equals.value_or(code.size())));
    while (equals && !name.empty() && std::string_view("+-*/@%&|^<>").find(name.back()) != name.npos) {
        name.remove_suffix(1);
    }
    return std::string(base::trimmed(name));
}

/// Whether a node has a variable's name, possibly with a number: "y", "y_1".
bool isCalledAfter(std::string_view node, std::string_view variable) {
    if (variable.empty() || !node.starts_with(variable)) {
        return false;
    }
    const std::string_view rest = node.substr(variable.size());
    return rest.empty() ||
           (rest.size() > 1 && rest[0] == '_' &&
            std::all_of(rest.begin() + 1, rest.end(), [](unsigned char c) { return std::isdigit(c) != 0; }));
}

/// Whether the graph returns the value that a statement assigns: a node from its line, or one named after the
/// variable on its right side.
bool isReturned(const ir::Graph& program, const ir::SourceLocation& statement) {
    const auto output = program.output();
    if (!output) {
        return false;
    }
    const auto equals = equalsSign(statement.code);
    const std::string_view value =
        equals ? base::trimmed(std::string_view(statement.code).substr(*equals + 1)) : std::string_view();
    bool returned = false;
    for (const ir::Argument& argument : program.node(*output).args) {
        ir::forEachNode(argument, [&](ir::NodeId id) {
            const ir::Node& node = program.node(id);
            const ir::SourceLocation* source =
                node.origin && node.origin->source ? &*node.origin->source : nullptr;
            const bool ofLine =
                source != nullptr && source->line == statement.line && source->file == statement.file;
            returned = returned || ofLine || isCalledAfter(node.name, value);
        });
    }
    return returned;
}

} // namespace

std::vector<aot::AssignedAttribute> assignedAttributes(std::string_view sideEffects,
                                                       const ir::Graph& program) {
    std::vector<aot::AssignedAttribute> attributes;
    for (const ir::SourceLocation& statement : assignments(sideEffects)) {
        const aot::AssignedAttribute attribute{assignedName(statement.code)};
        if (isReturned(program, statement) && std::ranges::find(attributes, attribute) == attributes.end()) {
            attributes.push_back(attribute);
        }
    }
    return attributes;
}

std::vector<aot::AssignedAttribute> assignedAttributes(const LogEvidence& evidence,
                                                       const ir::Graph& program) {
    for (const auto& part : {evidence.before(), evidence.after()}) {
        for (const load::RecordId record : part) {
            if (evidence.artifactName(record) == "dynamo_side_effects") {
                return assignedAttributes(evidence.payload(record), program);
            }
        }
    }
    return {};
}

} // namespace aotscope::evidence
