#include "kernels/dtype_rules.h"
#include "kernels/fusion_groups.h"
#include "kernels/operator_rules.h"

#include "ir/higher_order.h"
#include "ir/operators/name_parts.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

bool isBuiltin(std::string_view target) {
    constexpr std::string_view spaces[] = {"aten.", "prims.",    "prim.",      "_operator.",
                                           "math.", "builtins.", "torch.sym_", "rngprims."};
    return std::ranges::any_of(spaces, [&](std::string_view space) { return target.starts_with(space); });
}

std::string kindOf(std::string_view target) {
    if (ir::drawsByName(target)) {
        return "draws random numbers from the generator, whose state is not in the graph";
    }
    if (ir::isHigherOrder(target)) {
        return "is a higher-order operator with graphs of its own";
    }
    if (const std::string_view deed = ir::deedOf(target); !deed.empty()) {
        return std::string(deed);
    }
    return isBuiltin(target) ? "no rule for the operator" : "is an operator that PyTorch does not know";
}

/// Whether the reduced dimensions are the last ones, not counting those of size 1.
bool reducesInnermost(const Sizes& sizes, const std::vector<bool>& reduced) {
    bool inside = false;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 1) {
            continue;
        }
        if (inside && !reduced[i]) {
            return false;
        }
        inside = inside || reduced[i];
    }
    return true;
}

class Classifier {
public:
    explicit Classifier(const GraphFacts& facts)
        : m_facts(facts), m_isOfGpu(std::ranges::any_of(facts.graph().order(), [&](ir::NodeId id) {
              return isLoggedOn(facts.node(id), "cuda");
          })) {}

    NodeTraits classify(ir::NodeId id) const {
        const ir::Node& node = m_facts.node(id);
        NodeTraits traits;
        if (node.op != ir::Opcode::CallFunction || m_facts.isNumber(id)) {
            traits.isBarrier = node.op == ir::Opcode::CallMethod || node.op == ir::Opcode::CallModule;
            return traits;
        }
        if (node.target == "_operator.getitem") {
            traits.role = NodeRole::View;
            return traits;
        }
        const OpCall call(m_facts, id);
        if (writes(call)) {
            traits.role = NodeRole::NotEligible;
            traits.reason = "writes to its argument";
            traits.isBarrier = true;
            return traits;
        }
        if (isView(call)) {
            traits.role = NodeRole::View;
            return traits;
        }
        traits.isOrdered = ir::drawsByName(node.target) || !isBuiltin(node.target);
        traits.reason = refusal(call);
        traits.role = traits.reason.empty() ? NodeRole::Eligible : NodeRole::NotEligible;
        return traits;
    }

private:
    static bool isLoggedOn(const ir::Node& node, std::string_view device) {
        const ir::TensorMeta* meta = ir::asTensor(node.value);
        return meta != nullptr && meta->device && meta->device->type == device;
    }

    static bool writes(const OpCall& call) {
        const ir::OpSchema* schema = call.facts().schema(call.node().target);
        return schema != nullptr && std::ranges::any_of(schema->arguments, &ir::SchemaArgument::isMutated);
    }

    [[nodiscard]] std::string refusal(const OpCall& call) const {
        const OperatorRule* rule = operatorRule(call);
        if (rule == nullptr) {
            return ir::couldBeFused(call.node().target) ? std::string() : kindOf(call.node().target);
        }
        // Overloads that write to a result of the caller's are others.
        if (call.node().target.ends_with("out")) {
            return "writes to its argument";
        }
        if (std::string reason = tensorRefusal(call); !reason.empty()) {
            return reason;
        }
        if (rule->refuse != nullptr) {
            if (std::string reason = rule->refuse(call); !reason.empty()) {
                return reason;
            }
        }
        if (rule->reduced != nullptr) {
            Sizes sizes;
            const std::vector<bool> reduced = rule->reduced(call, sizes);
            if (sizes.size() != reduced.size() || product(sizes) == 0) {
                return "has no elements";
            }
            if (!reducesInnermost(sizes, reduced)) {
                return "reduces dimensions that are not the innermost";
            }
        }
        return {};
    }

    /// Why its operands or results are not for kernels.
    [[nodiscard]] std::string tensorRefusal(const OpCall& call) const {
        std::string reason;
        for (const ir::NodeId input : m_facts.graph().inputs(call.id())) {
            if (const TensorLayout* layout = m_facts.layout({input})) {
                reason = reason.empty() ? layoutRefusal(*layout) : reason;
            } else if (!m_facts.isNumber(input)) {
                return "the layout of an operand is unknown";
            }
        }
        if (!reason.empty()) {
            return reason;
        }
        const TensorLayout* result = firstResult(call.id());
        if (result == nullptr) {
            return "its size is unknown before the run";
        }
        if (result->elements() == 0) {
            return "has no elements";
        }
        if (movesDevices(call)) {
            return "moves between devices";
        }
        if (m_isOfGpu && isLoggedOn(call.node(), "cpu")) {
            return "its result lies on the CPU, and others of the graph on a GPU";
        }
        return layoutRefusal(*result);
    }
    [[nodiscard]] const TensorLayout* firstResult(ir::NodeId id) const {
        for (std::size_t result = 0; result < 3; ++result) {
            if (const TensorLayout* layout = m_facts.layout({id, result})) {
                return layout;
            }
        }
        return nullptr;
    }
    static std::string layoutRefusal(const TensorLayout& layout) {
        return isSupported(layout.dtype) ? std::string()
                                         : "no kernels of " + std::string(ir::dtypeName(layout.dtype));
    }
    [[nodiscard]] bool movesDevices(const OpCall& call) const {
        const auto self = call.tensor("self");
        const ir::TensorMeta* from = self ? ir::asTensor(m_facts.node(*self).value) : nullptr;
        const ir::TensorMeta* to = ir::asTensor(call.node().value);
        return call.tryArgument("device") != nullptr && from != nullptr && to != nullptr && from->device &&
               to->device && from->device->type != to->device->type;
    }

    const GraphFacts& m_facts;
    bool m_isOfGpu;
};

} // namespace

std::vector<NodeTraits> nodeTraits(const GraphFacts& facts) {
    std::vector<NodeTraits> traits(facts.graph().idBound());
    const Classifier classifier(facts);
    for (const ir::NodeId id : facts.graph().order()) {
        traits[id.index()] = classifier.classify(id);
    }
    return traits;
}

} // namespace aotscope::kernels
