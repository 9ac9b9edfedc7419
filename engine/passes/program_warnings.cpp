#include "passes/program_warnings.h"

#include "passes/gradient_flow.h"

#include "base/joined.h"
#include "ir/bodies.h"
#include "ir/higher_order.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace aotscope::passes {

namespace {

/// A call of an autograd.Function in Dynamo's graph.
struct FunctionCall {
    ir::NodeId node;
    ir::GraphPtr forward;
    ir::GraphPtr backward;
    /// The arguments after the two bodies.
    std::vector<ir::Argument> arguments;
};

std::vector<FunctionCall> functionCalls(const ir::Graph& program) {
    std::vector<FunctionCall> calls;
    for (const ir::NodeId id : program.order()) {
        const ir::Node& node = program.node(id);
        if (node.op != ir::Opcode::CallFunction ||
            !ir::isHigherOrder(node.target, ir::HigherOrder::AutogradFunctionApply) || node.args.size() < 2) {
            continue;
        }
        FunctionCall call{id, ir::bodyAt(program, node, 0), ir::bodyAt(program, node, 1), {}};
        if (call.forward && call.backward) {
            call.arguments.assign(node.args.begin() + 2, node.args.end());
            calls.push_back(std::move(call));
        }
    }
    return calls;
}

std::optional<ir::SourceLocation> placeOf(const ir::Node& node) {
    return node.origin ? node.origin->source : std::nullopt;
}

std::string placeText(const ir::SourceLocation& place) {
    const std::size_t slash = place.file.rfind('/');
    return (slash == std::string::npos ? place.file : place.file.substr(slash + 1)) + ":" +
           std::to_string(place.line);
}

/// "the autograd.Function applied at model.py:12"
std::string functionText(const ir::Node& call) {
    const auto place = placeOf(call);
    return "the autograd.Function " +
           (place ? "applied at " + placeText(*place) : "of \"" + call.name + "\"");
}

/// The texts between the parentheses of "….apply(…)" in a line of Python, split at top-level commas.
std::vector<std::string> appliedArguments(std::string_view code) {
    constexpr std::string_view apply = ".apply(";
    const std::size_t begin = code.find(apply);
    if (begin == std::string_view::npos) {
        return {};
    }
    std::vector<std::string> arguments(1);
    int depth = 0;
    for (const char c : code.substr(begin + apply.size())) {
        if (c == '(' || c == '[' || c == '{') {
            ++depth;
        } else if ((c == ')' || c == ']' || c == '}') && --depth < 0) {
            return arguments;
        } else if (c == ',' && depth == 0) {
            arguments.emplace_back();
            continue;
        }
        if (std::isspace(static_cast<unsigned char>(c)) == 0) {
            arguments.back().push_back(c);
        }
    }
    return {}; // The line ends before the call does.
}

/// The argument that the source line of the call has twice; empty: none.
std::string argumentWrittenTwice(const ir::Node& call) {
    const auto place = placeOf(call);
    std::set<std::string> seen;
    for (const std::string& argument : appliedArguments(place ? place->code : std::string())) {
        const bool isName =
            !argument.empty() &&
            (std::isalpha(static_cast<unsigned char>(argument[0])) != 0 || argument[0] == '_');
        if (isName && argument != "None" && argument != "True" && argument != "False" &&
            !seen.insert(argument).second) {
            return argument;
        }
    }
    return {};
}

using Places = std::set<std::pair<std::string, int>>;

/// The source lines of a graph's nodes.
Places placesOf(const ir::Graph& graph) {
    Places places;
    for (const ir::NodeId id : graph.order()) {
        if (const auto place = placeOf(graph.node(id))) {
            places.insert({place->file, place->line});
        }
    }
    return places;
}

class ProgramWarnings {
public:
    explicit ProgramWarnings(const TracedProgram& traced)
        : m_traced(traced),
          m_program(*traced.program),
          m_flow(gradientFlow(m_program, traced.requiresGrad, traced.gradEnabled)),
          m_calls(functionCalls(m_program)) {}

    std::vector<GraphWarning> all() {
        for (const FunctionCall& call : m_calls) {
            unusedGradient(call);
            writtenArguments(call);
            missingBackward(call);
        }
        inlinedFunctions();
        gradientsOfGradients();
        missingGradients();
        if (m_traced.traced && m_traced.isJoint) {
            std::ranges::move(warningsOfAutocast(m_program, *m_traced.traced),
                              std::back_inserter(m_warnings));
        }
        return std::move(m_warnings);
    }

private:
    void warn(std::string code, std::vector<std::string> nodes, std::string message, std::string hint) {
        m_warnings.push_back({WarningSeverity::Warning, std::move(code), WarnedGraph::Dynamo,
                              std::move(nodes), std::move(message), std::move(hint)});
    }

    [[nodiscard]] const ir::Node& node(ir::NodeId id) const { return m_program.node(id); }

    void unusedGradient(const FunctionCall& call) {
        const std::vector<std::string> unused = unusedGradients(*call.forward, *call.backward);
        if (unused.empty() || !m_flow.passes(call.node)) {
            return;
        }
        const std::string listed = "\"" + base::joined(unused, "\", \"") + "\"";
        const std::string twice = argumentWrittenTwice(node(call.node));
        if (!twice.empty()) {
            warn("function.same_argument", {node(call.node).name},
                 "\"" + twice + "\" is two arguments of " + functionText(node(call.node)) +
                     ". Dynamo keeps one gradient for it and throws the other away (" + listed +
                     " in the backward): the gradient is smaller than in eager mode.",
                 "Pass a view for one of them (" + twice + ".view_as(" + twice +
                     ")), or use torch 2.15, which "
                     "does not compile such a call.");
            return;
        }
        warn("function.gradient_unused", {node(call.node).name},
             "The backward of " + functionText(node(call.node)) + " computes " + listed +
                 ", a gradient of the shape of an argument, and nothing uses it. If one tensor is two of the "
                 "Function's arguments, Dynamo keeps one gradient of two.",
             "Compare with the gradients of eager mode; pass a view for an argument that occurs twice.");
    }

    /// Whether something besides the call itself uses the value after the call.
    [[nodiscard]] bool isUsedAfter(ir::NodeId value, ir::NodeId call) const {
        bool isAfter = false;
        for (const ir::NodeId id : m_program.order()) {
            if (isAfter) {
                const auto users = m_program.users(value);
                if (std::ranges::find(users, id) != users.end()) {
                    return true;
                }
            }
            isAfter = isAfter || id == call;
        }
        return node(value).op == ir::Opcode::Placeholder;
    }

    void writtenArguments(const FunctionCall& call) {
        const auto placeholders = call.forward->placeholders();
        for (std::size_t i = 0; i < placeholders.size() && i < call.arguments.size(); ++i) {
            const ir::NodeId* argument = call.arguments[i].as<ir::NodeId>();
            const auto users = call.forward->users(placeholders[i]);
            const bool isWritten = std::ranges::any_of(users, [&](ir::NodeId user) {
                const ir::Node& writer = call.forward->node(user);
                const auto* written = writer.tryArg<ir::NodeId>(0);
                return writesToFirst(writer) && written != nullptr && *written == placeholders[i];
            });
            if (isWritten && argument != nullptr && m_flow.requires_[argument->index()] &&
                isUsedAfter(*argument, call.node)) {
                warn("function.writes_argument", {node(call.node).name, node(*argument).name},
                     "The forward of " + functionText(node(call.node)) + " writes to its argument \"" +
                         node(*argument).name +
                         "\", which is used again. Dynamo's graph does not know that it was marked dirty: "
                         "what uses it afterwards does not go through the Function's backward, so its "
                         "gradient may be another than in eager mode.",
                     "Use the Function's result in place of the argument, or write the Function without "
                     "writing to its argument.");
            }
        }
    }

    void missingBackward(const FunctionCall& call) {
        if (!m_traced.traced || !m_traced.isJoint || !m_flow.passes(call.node)) {
            return;
        }
        if (!m_places) {
            m_places = placesOf(*m_traced.traced);
        }
        const Places backward = placesOf(*call.backward);
        const bool isThere =
            std::ranges::any_of(backward, [this](const auto& place) { return m_places->contains(place); });
        if (!backward.empty() && !isThere) {
            warn("function.backward_missing", {node(call.node).name},
                 "No operation of the backward of " + functionText(node(call.node)) +
                     " is in the joint graph, although an output depends on its result: its gradient is not "
                     "the one that the Function defines, or there is none.",
                 "Compare with the gradients of eager mode.");
        }
    }

    /// Functions that Dynamo traced as plain calls of their forward, inside a transform of functorch.
    void inlinedFunctions() {
        std::set<std::string> told;
        for (const GuardedFunction& function : m_traced.functions) {
            if (isRecorded(function)) {
                continue;
            }
            std::vector<std::string> nodes = inlinedNodes();
            if (!nodes.empty() && told.insert(function.name).second) {
                warn("function.backward_missing", std::move(nodes),
                     "Under torch.func Dynamo traced the forward of the autograd.Function " + function.name +
                         " (applied at " + function.file + ":" + std::to_string(function.line) +
                         ") as plain operators, without its backward: gradients are those of its forward, "
                         "not those that the Function defines.",
                     "Keep the call out of the compiled function (torch.compiler.disable), or compare with "
                     "the gradients of eager mode.");
            }
        }
    }

    /// torch.func.grad around a Function, whose result is differentiated once more.
    void gradientsOfGradients() {
        if (!m_traced.isJoint) {
            return;
        }
        int level = 0;
        std::vector<const FunctionCall*> inside;
        for (const ir::NodeId id : m_program.order()) {
            const std::string& target = node(id).target;
            level += target.find("_grad_increment_nesting") != std::string::npos   ? 1
                     : target.find("_grad_decrement_nesting") != std::string::npos ? -1
                                                                                   : 0;
            const auto call = std::ranges::find(m_calls, id, &FunctionCall::node);
            if (call != m_calls.end() && level > 0 && isWithoutGrad(*call->backward)) {
                inside.push_back(&*call);
            }
            if (!target.ends_with("._autograd_grad") || !m_flow.passes(id)) {
                continue;
            }
            for (const FunctionCall* function : inside) {
                if (m_flow.passes(function->node)) {
                    warn("function.backward_not_differentiated", {node(function->node).name, node(id).name},
                         "torch.func differentiates " + functionText(node(function->node)) +
                             ", and the result is differentiated again, but Dynamo traced the Function's "
                             "backward with grad mode off: the gradient of its gradient is taken as zero.",
                         "Compare with the gradients of eager mode; call torch.func outside of the compiled "
                         "function.");
                }
            }
            inside.clear();
        }
    }

    [[nodiscard]] static bool isWithoutGrad(const ir::Graph& body) {
        return std::ranges::any_of(body.order(), [&](ir::NodeId id) {
            const ir::Node& each = body.node(id);
            const bool* mode = each.tryArg<bool>(0);
            return each.target.ends_with("_set_grad_enabled") && mode != nullptr && !*mode;
        });
    }

    /// Whether a call in the graph is from the line that applies the Function.
    [[nodiscard]] bool isRecorded(const GuardedFunction& function) const {
        return std::ranges::any_of(m_calls, [&](const FunctionCall& call) {
            const auto place = placeOf(node(call.node));
            return place && place->line == function.line && place->file.ends_with(function.file);
        });
    }

    /// Differentiable nodes of functions named "forward", inside a level of functorch.
    [[nodiscard]] std::vector<std::string> inlinedNodes() const {
        std::vector<std::string> names;
        int level = 0;
        for (const ir::NodeId id : m_program.order()) {
            const std::string& target = node(id).target;
            if (target.find("_increment_nesting") != std::string::npos) {
                ++level;
            } else if (target.find("_decrement_nesting") != std::string::npos) {
                --level;
            }
            const auto place = placeOf(node(id));
            if (level > 0 && place && place->function == "forward" && m_flow.passes(id)) {
                names.push_back(node(id).name);
            }
        }
        return names;
    }

    /// Indices of inputs with a gradient in the joint graph; nothing: its descriptors do not tell.
    [[nodiscard]] std::optional<std::set<std::int64_t>> inputsWithGradient() const {
        std::set<std::int64_t> inputs;
        if (!m_traced.isJoint) {
            return inputs;
        }
        const ir::Graph& joint = *m_traced.traced;
        const auto output = joint.output();
        const auto values = joint.returned();
        bool anyGradient = false;
        for (std::size_t i = 0; output && i < values.size(); ++i) {
            const ir::AOTOutput* descriptor = ir::outputDescriptor(joint.node(*output), i);
            const auto* gradient = descriptor != nullptr ? descriptor->as<ir::GradAOTOutput>() : nullptr;
            if (gradient == nullptr) {
                continue;
            }
            anyGradient = true;
            const auto* plain = gradient->gradOf->as<ir::PlainAOTInput>();
            if (plain == nullptr) {
                return std::nullopt; // A synthetic base has the gradients of several inputs.
            }
            if (values[i].as<ir::NodeId>() != nullptr) {
                inputs.insert(plain->idx);
            }
        }
        return anyGradient ? std::optional(std::move(inputs)) : std::nullopt;
    }

    void missingGradients() {
        if (!m_traced.traced || !m_traced.gradEnabled) {
            return;
        }
        const auto with = inputsWithGradient();
        const auto placeholders = m_program.placeholders();
        if (!with || placeholders.size() != m_traced.requiresGrad.size()) {
            return;
        }
        std::vector<std::string> without;
        for (std::size_t i = 0; i < placeholders.size(); ++i) {
            if (m_traced.requiresGrad[i] && m_flow.reaches[placeholders[i].index()] &&
                !with->contains(static_cast<std::int64_t>(i))) {
                without.push_back(node(placeholders[i]).name);
            }
        }
        if (!without.empty()) {
            warn("gradient.none", without,
                 "An output depends on \"" + base::joined(without, "\", \"") +
                     "\", which require grad, but " +
                     (m_traced.isJoint ? "they get no gradient in the joint graph."
                                       : "PyTorch traced no backward: nothing can be differentiated."),
                 "Look for what cuts the gradient: a Function's backward that returns None, an operator "
                 "without derivative, torch.func inside of the compiled function.");
        }
    }

    const TracedProgram& m_traced;
    const ir::Graph& m_program;
    GradientFlow m_flow;
    std::vector<FunctionCall> m_calls;
    /// The source lines of the traced graph, once they are needed.
    std::optional<Places> m_places;
    std::vector<GraphWarning> m_warnings;
};

} // namespace

std::vector<GraphWarning> warningsOfProgram(const TracedProgram& program) {
    return program.program ? ProgramWarnings(program).all() : std::vector<GraphWarning>();
}

} // namespace aotscope::passes
