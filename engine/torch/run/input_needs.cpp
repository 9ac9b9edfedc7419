#include "run/input_needs.h"

#include "run/index_operands.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace aotscope::torch {

namespace {

using Needs = std::vector<ValueNeeds>;

const ir::Argument* argumentAt(const ir::Node& node, std::size_t argument,
                               std::optional<std::size_t> element) {
    if (argument >= node.args.size()) {
        return nullptr;
    }
    const ir::Argument& found = node.args[argument];
    if (!element) {
        return &found;
    }
    const ir::Arguments* items = nullptr;
    if (const auto* list = found.as<ir::ListArgument>()) {
        items = &list->items;
    } else if (const auto* tuple = found.as<ir::TupleArgument>()) {
        items = &tuple->items;
    }
    return items != nullptr && *element < items->size() ? &(*items)[*element] : nullptr;
}

/// The arguments of a node as its metadata tells them.
class MetaView final : public OperandView {
public:
    MetaView(const ir::Graph& graph, const ir::Node& node, const RunContext& context)
        : m_graph(graph), m_node(node), m_context(context) {}

    std::optional<std::size_t> listSize(std::size_t argument) const override {
        const ir::Argument* found = argumentAt(m_node, argument, std::nullopt);
        const auto* list = found == nullptr ? nullptr : found->as<ir::ListArgument>();
        return list == nullptr ? std::nullopt : std::optional(list->items.size());
    }
    std::optional<std::vector<std::int64_t>> shape(std::size_t argument,
                                                   std::optional<std::size_t> element) const override {
        const ir::TensorMeta* meta = tensorAt(argument, element);
        if (meta == nullptr) {
            return std::nullopt;
        }
        std::vector<std::int64_t> sizes;
        for (const ir::SymInt& size : meta->shape) {
            const auto value = size.value(m_context.symbols);
            if (!value) {
                return std::nullopt;
            }
            sizes.push_back(*value);
        }
        return sizes;
    }
    bool isMask(std::size_t argument, std::optional<std::size_t> element) const override {
        const ir::TensorMeta* meta = tensorAt(argument, element);
        return meta != nullptr && (meta->dtype == ir::DType::Bool || meta->dtype == ir::DType::UInt8);
    }
    std::optional<std::int64_t> integer(std::size_t argument) const override {
        const ir::Argument* found = argumentAt(m_node, argument, std::nullopt);
        return found == nullptr ? std::nullopt : integerOf(*found);
    }
    std::optional<std::vector<std::int64_t>> integers(std::size_t argument) const override {
        const ir::Argument* found = argumentAt(m_node, argument, std::nullopt);
        const auto* list = found == nullptr ? nullptr : found->as<ir::ListArgument>();
        if (list == nullptr) {
            return std::nullopt;
        }
        std::vector<std::int64_t> values;
        for (const ir::Argument& item : list->items) {
            const auto value = integerOf(item);
            if (!value) {
                return std::nullopt;
            }
            values.push_back(*value);
        }
        return values;
    }

private:
    std::optional<std::int64_t> integerOf(const ir::Argument& argument) const {
        if (const auto* plain = argument.as<std::int64_t>()) {
            return *plain;
        }
        if (const auto* symbol = argument.as<ir::SymbolArgument>()) {
            return symbol->expression.evaluateInt(m_context.symbols);
        }
        if (const auto* node = argument.as<ir::NodeId>()) {
            const auto* meta = std::get_if<ir::SymbolicMeta>(&m_graph.node(*node).value);
            return meta == nullptr ? std::nullopt : meta->expression.evaluateInt(m_context.symbols);
        }
        return std::nullopt;
    }
    const ir::TensorMeta* tensorAt(std::size_t argument, std::optional<std::size_t> element) const {
        const ir::Argument* found = argumentAt(m_node, argument, element);
        const auto* node = found == nullptr ? nullptr : found->as<ir::NodeId>();
        return node == nullptr ? nullptr : ir::asTensor(m_graph.node(*node).value);
    }

    const ir::Graph& m_graph;
    const ir::Node& m_node;
    const RunContext& m_context;
};

void lower(std::optional<std::int64_t>& bound, std::int64_t to) {
    bound = bound ? std::min(*bound, to) : to;
}

void merge(ValueNeeds& into, const ValueNeeds& from) {
    if (from.below) {
        lower(into.below, *from.below);
    }
    if (from.offsetsUpTo) {
        lower(into.offsetsUpTo, *from.offsetsUpTo);
    }
    into.positive = into.positive || from.positive;
    into.nonZero = into.nonZero || from.nonZero;
    into.generatorState = into.generatorState || from.generatorState;
    into.probability = into.probability || from.probability;
}

template<std::size_t N>
bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Operators whose result holds values of their arguments, elsewhere or with another dtype.
bool movesValues(std::string_view name) {
    static constexpr std::array names = {
        std::string_view("view"),
        std::string_view("_unsafe_view"),
        std::string_view("reshape"),
        std::string_view("expand"),
        std::string_view("slice"),
        std::string_view("select"),
        std::string_view("permute"),
        std::string_view("t"),
        std::string_view("transpose"),
        std::string_view("unsqueeze"),
        std::string_view("squeeze"),
        std::string_view("clone"),
        std::string_view("detach"),
        std::string_view("alias"),
        std::string_view("_to_copy"),
        std::string_view("convert_element_type"),
        std::string_view("contiguous"),
        std::string_view("flip"),
        std::string_view("cat"),
        std::string_view("stack"),
        std::string_view("split"),
        std::string_view("split_with_sizes"),
        std::string_view("unbind"),
        std::string_view("chunk"),
        std::string_view("where"),
        std::string_view("masked_fill"),
        std::string_view("roll"),
        std::string_view("repeat"),
        std::string_view("constant_pad_nd"),
        std::string_view("slice_scatter"),
        std::string_view("select_scatter"),
        std::string_view("copy"),
        std::string_view("copy_"),
        std::string_view("lift_fresh_copy"),
        std::string_view("lift_fresh"),
        std::string_view("as_strided"),
        std::string_view("diagonal"),
        std::string_view("unfold"),
        std::string_view("clamp"),
        std::string_view("clamp_min"),
        std::string_view("clamp_max"),
        std::string_view("maximum"),
        std::string_view("minimum"),
        std::string_view("amax"),
        std::string_view("amin"),
        std::string_view("sort"),
        std::string_view("device_put"),
        std::string_view("view_copy"),
        std::string_view("expand_copy"),
        std::string_view("slice_copy"),
        std::string_view("unsqueeze_copy"),
        std::string_view("squeeze_copy"),
        std::string_view("detach_copy"),
        std::string_view("t_copy"),
        std::string_view("_reshape_alias"),
        std::string_view("getitem"),
        std::string_view("_local_scalar_dense"),
        std::string_view("item"),
    };
    return isOneOf(name, names);
}

/// Arguments of which a negative number would give NaN: {operator, argument}.
constexpr std::pair<std::string_view, std::size_t> positiveArguments[] = {
    {"sqrt", 0},
    {"rsqrt", 0},
    {"log", 0},
    {"log2", 0},
    {"log10", 0},
    {"log1p", 0},
    {"lgamma", 0},
    {"native_batch_norm", 4},
    {"batch_norm", 4},
    {"cudnn_batch_norm", 4},
    {"_native_batch_norm_legit_no_training", 4},
    {"_native_batch_norm_legit", 4},
    {"_native_batch_norm_legit_functional", 4},
    {"native_batch_norm_backward", 4},
    {"native_batch_norm_backward", 6},
    {"native_layer_norm_backward", 4},
    {"native_group_norm_backward", 3},
    {"_fused_rms_norm_backward", 3},
};

/// Arguments that must not be 0 where they are integers: {operator, argument}.
constexpr std::pair<std::string_view, std::size_t> divisors[] = {
    {"div", 1}, {"floor_divide", 1}, {"fmod", 1}, {"remainder", 1}, {"lu_unpack", 1}, {"linalg_lu_solve", 1},
};

/// Where an operator takes the limits of bags or rows: {operator, offsets, what they divide}.
struct OffsetsRule {
    std::string_view name;
    std::size_t offsets;
    std::size_t rows;
};
constexpr OffsetsRule offsetsRules[] = {
    {"_jagged_to_padded_dense_forward", 1, 0},
    {"_nested_view_from_jagged", 1, 0},
    {"_nested_view_from_jagged_copy", 1, 0},
    {"segment_reduce", 1, 0},
    {"embedding_bag", 2, 1},
    {"_embedding_bag", 2, 1},
    {"_embedding_bag_forward_only", 2, 1},
    {"_embedding_bag_backward", 2, 1},
};

class Propagation {
public:
    Propagation(const ir::Graph& graph, const RunContext& context, int depth)
        : m_graph(graph), m_context(context), m_depth(depth), m_needs(graph.idBound()) {}

    Needs run() {
        const auto order = m_graph.order();
        for (std::size_t i = order.size(); i-- > 0;) {
            const ir::Node& node = m_graph.node(order[i]);
            if (node.op == ir::Opcode::CallFunction) {
                demand(node);
                passOn(node, m_needs[order[i].index()]);
            }
        }
        return std::move(m_needs);
    }

private:
    ValueNeeds* needsOf(const ir::Argument* argument) {
        const auto* node = argument == nullptr ? nullptr : argument->as<ir::NodeId>();
        return node == nullptr ? nullptr : &m_needs[node->index()];
    }

    /// What the operator itself asks of its arguments.
    void demand(const ir::Node& node) {
        const MetaView view(m_graph, node, m_context);
        for (const IndexOperand& operand : indexOperands(node.target, view)) {
            if (ValueNeeds* needs = needsOf(argumentAt(node, operand.argument, operand.element))) {
                lower(needs->below, operand.below);
            }
        }
        const std::string_view name = plainName(node.target);
        ask(node, name, positiveArguments, [](ValueNeeds& needs) { needs.positive = true; });
        ask(node, name, divisors, [](ValueNeeds& needs) { needs.nonZero = true; });
        if (name == "run_with_rng_state") {
            if (ValueNeeds* needs = needsOf(argumentAt(node, 0, std::nullopt))) {
                needs->generatorState = true;
            }
        }
        if (name == "bernoulli" || name == "multinomial" || name == "binary_cross_entropy") {
            if (ValueNeeds* needs = needsOf(argumentAt(node, 0, std::nullopt))) {
                needs->probability = true;
            }
        }
        demandOffsets(node, name, view);
        demandOfSubgraphs(node);
    }

    template<typename Rules, typename Change>
    void ask(const ir::Node& node, std::string_view name, const Rules& rules, const Change& change) {
        for (const auto& [op, argument] : rules) {
            if (op == name) {
                if (ValueNeeds* needs = needsOf(argumentAt(node, argument, std::nullopt))) {
                    change(*needs);
                }
            }
        }
    }

    /// Offsets of jagged tensors and of bags grow from 0 to the number of rows.
    void demandOffsets(const ir::Node& node, std::string_view name, const OperandView& view) {
        for (const OffsetsRule& rule : offsetsRules) {
            const auto rows = rule.name == name ? view.shape(rule.rows) : std::nullopt;
            if (!rows || rows->empty()) {
                continue;
            }
            if (ValueNeeds* needs = needsOf(argumentAt(node, rule.offsets, std::nullopt))) {
                needs->offsetsUpTo = rows->front();
            }
            for (std::size_t i = 0; i < view.listSize(rule.offsets).value_or(0); ++i) {
                if (ValueNeeds* needs = needsOf(argumentAt(node, rule.offsets, i))) {
                    needs->offsetsUpTo = rows->front();
                }
            }
        }
    }

    /// A higher-order operator asks what its subgraphs ask; their last inputs are the operands, in order.
    void demandOfSubgraphs(const ir::Node& node) {
        if (!node.target.starts_with("higher_order.") || m_depth > 8) {
            return;
        }
        std::vector<ir::GraphPtr> nested;
        std::vector<ir::NodeId> operands;
        for (const ir::Argument& argument : node.args) {
            ir::forEachNode(argument, [&](ir::NodeId id) {
                const ir::Node& mentioned = m_graph.node(id);
                ir::GraphPtr graph =
                    mentioned.op == ir::Opcode::GetAttr ? m_graph.trySubgraph(mentioned.target) : nullptr;
                if (graph) {
                    nested.push_back(std::move(graph));
                } else {
                    operands.push_back(id);
                }
            });
        }
        for (const ir::GraphPtr& graph : nested) {
            const Needs inner = Propagation(*graph, m_context, m_depth + 1).run();
            const std::vector<ir::NodeId> inputs = graph->placeholders();
            for (std::size_t i = 1; i <= std::min(inputs.size(), operands.size()); ++i) {
                merge(m_needs[operands[operands.size() - i].index()],
                      inner[inputs[inputs.size() - i].index()]);
            }
        }
    }

    /// What is asked of the result, asked of the arguments it is made of.
    void passOn(const ir::Node& node, const ValueNeeds& needs) {
        if (!needs.below && !needs.positive && !needs.nonZero && !needs.probability && !needs.offsetsUpTo) {
            return;
        }
        const std::string_view name = plainName(node.target);
        if (movesValues(name)) {
            const ValueNeeds copy = needs;
            for (const ir::Argument& argument : node.args) {
                ir::forEachNode(argument, [&](ir::NodeId id) { merge(m_needs[id.index()], copy); });
            }
        } else if (name == "index" || name == "gather" || name == "index_select" || name == "_unsafe_index") {
            if (ValueNeeds* source = needsOf(argumentAt(node, 0, std::nullopt))) {
                merge(*source, ValueNeeds(needs));
            }
        } else {
            passOnArithmetic(node, name, needs);
        }
    }

    void passOnArithmetic(const ir::Node& node, std::string_view name, const ValueNeeds& needs) {
        const bool adds = name == "add" || name == "mul" || name == "floor_divide" || name == "div";
        if (!adds && name != "sub" && name != "abs" && name != "cumsum" && name != "neg") {
            return;
        }
        ValueNeeds changed = needs;
        const auto* constant = node.args.size() > 1 ? node.args[1].as<std::int64_t>() : nullptr;
        if (changed.below && *changed.below > 0) {
            if (constant != nullptr && *constant > 0) {
                if (name == "add") {
                    changed.below = *changed.below - *constant;
                } else if (name == "mul") {
                    changed.below = (*changed.below - 1) / *constant + 1;
                } else if (name == "floor_divide" || name == "div") {
                    changed.below = __builtin_mul_overflow(*changed.below, *constant, &*changed.below)
                                        ? std::numeric_limits<std::int64_t>::max()
                                        : *changed.below;
                }
            } else if (constant == nullptr && (name == "add" || name == "mul")) {
                // Two terms share the range.
                changed.below = name == "add" ? (*changed.below + 1) / 2 : 1;
            } else if (name == "cumsum") {
                changed.below = 1;
            }
            changed.below = std::max<std::int64_t>(*changed.below, 1);
        }
        changed.offsetsUpTo = std::nullopt;
        changed.nonZero = changed.nonZero && (name == "mul" || name == "abs" || name == "neg");
        for (const ir::Argument& argument : node.args) {
            if (ValueNeeds* source = needsOf(&argument)) {
                merge(*source, changed);
            }
        }
    }

    /// "add" of "aten.add.Tensor" and of "_operator.add".
    static std::string_view plainName(std::string_view target) {
        const std::size_t dot = target.find('.');
        if (dot == std::string_view::npos) {
            return target;
        }
        const std::string_view rest = target.substr(dot + 1);
        return rest.substr(0, rest.find('.'));
    }

    const ir::Graph& m_graph;
    const RunContext& m_context;
    int m_depth;
    Needs m_needs;
};

} // namespace

std::vector<ValueNeeds> valueNeeds(const ir::Graph& graph, const RunContext& context) {
    return Propagation(graph, context, 0).run();
}

} // namespace aotscope::torch
