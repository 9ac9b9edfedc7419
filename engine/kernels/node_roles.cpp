#include "kernels/node_roles.h"

#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"
#include "kernels/view_maps.h"

#include "ir/higher_order.h"
#include "ir/operator_name.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

struct KindRow {
    /// Part of the operator's name.
    std::string_view part;
    std::string_view kind;
};
/// Why operators without a rule have none; the first that fits.
constexpr KindRow kindRows[] = {
    {ir::higherOrderPrefix, "is a higher-order operator with graphs of its own"},
    {"aten.mm", "multiplies matrices"},
    {"aten.bmm", "multiplies matrices"},
    {"addmm", "multiplies matrices"},
    {"addbmm", "multiplies matrices"},
    {"baddbmm", "multiplies matrices"},
    {"addmv", "multiplies matrices"},
    {"aten.mv", "multiplies matrices"},
    {"aten.dot", "multiplies matrices"},
    {"aten.vdot", "multiplies matrices"},
    {"matmul", "multiplies matrices"},
    {"linear", "multiplies matrices"},
    {"_scaled_mm", "multiplies matrices"},
    {"_int_mm", "multiplies matrices"},
    {"conv", "is a convolution"},
    {"attention", "is attention"},
    {"batch_norm", "reduces dimensions that are not the innermost"},
    {"embedding", "reads or writes by index"},
    {"index", "reads or writes by index"},
    {"gather", "reads or writes by index"},
    {"scatter", "reads or writes by index"},
    {"take", "reads or writes by index"},
    {"put", "reads or writes by index"},
    {"nll_loss", "reads or writes by index"},
    {"select_backward", "writes a part of its result"},
    {"slice_backward", "writes a part of its result"},
    {"diagonal_backward", "writes a part of its result"},
    {"unfold_backward", "writes a part of its result"},
    {"aten.constant_pad_nd", "pads"},
    {"reflection_pad", "pads"},
    {"replication_pad", "pads"},
    {"aten.cat", "joins several tensors"},
    {"aten.stack", "joins several tensors"},
    {"pool", "reduces windows"},
    {"upsample", "interpolates"},
    {"grid_sampler", "interpolates"},
    {"im2col", "copies windows"},
    {"col2im", "copies windows"},
    {"cumsum", "scans along a dimension"},
    {"cumprod", "scans along a dimension"},
    {"cummax", "scans along a dimension"},
    {"cummin", "scans along a dimension"},
    {"logcumsumexp", "scans along a dimension"},
    {"sort", "sorts"},
    {"topk", "sorts"},
    {"kthvalue", "sorts"},
    {"median", "sorts"},
    {"mode", "sorts"},
    {"nonzero", "has a result whose size depends on values"},
    {"masked_select", "has a result whose size depends on values"},
    {"unique", "has a result whose size depends on values"},
    {"_fft_", "is a Fourier transform"},
    {"_foreach_", "works on lists of tensors"},
    {"_cudnn", "belongs to a library"},
    {"_local_scalar_dense", "gives a number to Python"},
    {"_assert", "checks a condition"},
    {"empty", "allocates memory without values"},
    {"lstm", "is a recurrent network"},
    {"gru", "is a recurrent network"},
    {"histc", "counts values"},
    {"bincount", "counts values"},
};

/// Operators that PyTorch tags as pointwise, or that reduce, and that have no rule: they count as eligible.
constexpr std::string_view eligibleWithoutRule[] = {
    "angle",
    "conj_physical",
    "digamma",
    "erfinv",
    "float_power",
    "frexp",
    "gcd",
    "i0",
    "igamma",
    "igammac",
    "lcm",
    "ldexp",
    "mvlgamma",
    "nextafter",
    "polygamma",
    "rrelu",
    "sinc",
    "special_",
    "aminmax",
    "count_nonzero",
    "nansum",
    "log_sigmoid_forward",
    "log_sigmoid_backward",
    "binary_cross_entropy",
    "smooth_l1_loss",
    "huber_loss",
    "l1_loss",
    "soft_margin_loss",
    "heaviside",
    "logit",
    "logaddexp2",
    "signbit",
};

constexpr std::string_view randomParts[] = {
    "rand",        "bernoulli",   "dropout", "normal",           "uniform",
    "multinomial", "exponential", "poisson", "rrelu_with_noise", "geometric",
    "cauchy",      "philox",      "rng",     "attention",        "flash"};

bool containsPart(std::string_view target, std::string_view part) {
    return target.find(part) != std::string_view::npos;
}

bool isRandom(std::string_view target) {
    // The gradients of dropout read the mask.
    return !target.starts_with("aten.native_dropout_backward") &&
           !target.starts_with("rngprims.philox_rand") && !containsPart(target, "batch_norm") &&
           !containsPart(target, "layer_norm") && !containsPart(target, "group_norm") &&
           std::ranges::any_of(randomParts,
                               [&](std::string_view part) { return containsPart(target, part); });
}

bool isBuiltin(std::string_view target) {
    for (const std::string_view space :
         {"aten.", "prims.", "prim.", "_operator.", "math.", "builtins.", "torch.sym_", "rngprims."}) {
        if (target.starts_with(space)) {
            return true;
        }
    }
    return false;
}

std::string kindOf(std::string_view target) {
    if (isRandom(target)) {
        return "draws random numbers from the generator, whose state is not in the graph";
    }
    for (const KindRow& row : kindRows) {
        if (containsPart(target, row.part)) {
            return std::string(row.kind);
        }
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
        traits.isOrdered = isRandom(node.target) || !isBuiltin(node.target);
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

    static bool isEligibleWithoutRule(const OpCall& call) {
        const ir::OperatorName called = ir::splitTarget(call.node().target);
        return (called.space == "aten" || called.space == "prims") &&
               std::ranges::any_of(eligibleWithoutRule,
                                   [&](std::string_view each) { return called.name.starts_with(each); });
    }

    [[nodiscard]] std::string refusal(const OpCall& call) const {
        const OperatorRule* rule = operatorRule(call);
        if (rule == nullptr) {
            return isEligibleWithoutRule(call) ? std::string() : kindOf(call.node().target);
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
