#include "passes/tensorify_floats.h"

#include "passes/op_facts.h"
#include "passes/symbolic_values.h"
#include "passes/traced_names.h"

#include "base/mapped.h"
#include "ir/cursor.h"
#include "ir/graph_builder.h"
#include "ir/map_nodes.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>

namespace aotscope::passes {
namespace {

/// An operator that may take a number, and the overload that takes a tensor instead.
struct TensorOverload {
    std::string_view taken;
    std::string_view instead;
    /// Since torch 2.15.
    bool isNew = false;
};
constexpr auto kOverloads = std::to_array<TensorOverload>({
    {"aten.mul.Tensor", "aten.mul.Tensor"},
    {"aten.add.Tensor", "aten.add.Tensor"},
    {"aten.sub.Tensor", "aten.sub.Tensor"},
    {"aten.div.Tensor", "aten.div.Tensor"},
    {"aten.gt.Scalar", "aten.gt.Tensor"},
    {"aten.lt.Scalar", "aten.lt.Tensor"},
    {"aten.ge.Scalar", "aten.ge.Tensor"},
    {"aten.le.Scalar", "aten.le.Tensor"},
    {"aten.eq.Scalar", "aten.eq.Tensor"},
    {"aten.ne.Scalar", "aten.ne.Tensor"},
    {"aten.pow.Tensor_Tensor", "aten.pow.Tensor_Tensor", true},
    {"aten.clamp_min.default", "aten.clamp_min.Tensor", true},
    {"aten.clamp_max.default", "aten.clamp_max.Tensor", true},
});

/// Functions of a float that have an operator (torch/utils/_sympy/reference.py: TensorReferenceAnalysis).
constexpr std::array<std::string_view, 13> kFunctions = {"sqrt", "exp",  "log",  "log2", "sin",  "cos", "tan",
                                                         "sinh", "cosh", "tanh", "asin", "acos", "atan"};

constexpr std::string_view convertTarget = "prims.convert_element_type.default";

std::string_view overloadFor(const ir::Node& node, const PartitionRules& rules) {
    const auto* const found = std::ranges::find(kOverloads, node.target, &TensorOverload::taken);
    return found == kOverloads.end() || (found->isNew && !rules.tensorifiesMore) ? std::string_view()
                                                                                 : found->instead;
}

/// The dtype in which pointwise operators on `dtype` compute (get_computation_dtype).
ir::DType computationType(ir::DType dtype) {
    switch (dtype) {
    case ir::DType::BFloat16:
    case ir::DType::Float16:
        return ir::DType::Float32;
    case ir::DType::Complex32:
        return ir::DType::Complex64;
    default:
        return dtype;
    }
}

bool isReal(ir::DType dtype) {
    return dtype == ir::DType::Float64 || dtype == ir::DType::Float32 || dtype == ir::DType::Float16 ||
           dtype == ir::DType::BFloat16;
}

/// The dtype to which two 0-dimensional tensors are promoted.
ir::DType promoted(ir::DType left, ir::DType right) {
    if (isReal(left) != isReal(right)) {
        return isReal(left) ? left : right;
    }
    return ir::dtypeBytes(left) >= ir::dtypeBytes(right) ? left : right;
}

class Tensorifier {
public:
    Tensorifier(const ir::GraphPtr& joint, std::vector<SymbolicValue> values, const PartitionRules& rules)
        : m_joint(*joint),
          m_rules(rules),
          m_graph(*joint),
          m_values(std::move(values)),
          m_names(namesOf(*joint)) {}

    ir::GraphPtr run() {
        const std::vector<ir::NodeId> order(m_joint.order().begin(), m_joint.order().end());
        const auto inputsEnd = std::ranges::find_if(
            order, [this](ir::NodeId id) { return m_joint.node(id).op != ir::Opcode::Placeholder; });
        for (std::size_t i = 0; i + 1 < order.size(); ++i) {
            m_before = order.begin() + static_cast<std::ptrdiff_t>(i) < inputsEnd ? *inputsEnd : order[i + 1];
            visit(order[i]);
        }
        m_graph.eraseUnused([](const ir::Node& node) {
            return node.op != ir::Opcode::Placeholder && node.op != ir::Opcode::Output &&
                   (node.op != ir::Opcode::CallFunction ||
                    (opFlags(node.target) & (OpImpure | OpSeeded)) == 0);
        });
        return m_graph.finish();
    }

private:
    void visit(ir::NodeId id) {
        const ir::Node node = m_graph.node(id);
        if (const SymbolicValue& value = m_values[id.index()]; !value.expression.empty()) {
            const std::string key = keyOf(value.expression);
            const ir::NodeId* from = node.tryArg<ir::NodeId>(0);
            if (node.target == "aten._local_scalar_dense.default" && from != nullptr) {
                m_numbers[key] = id;
                if (value.real) {
                    m_tensors[key] = convert(withoutDimensions(*from), ir::DType::Float64);
                }
            } else if (!numberOf(value.expression)) {
                m_numbers.try_emplace(key, id);
            }
        }
        const ir::TensorMeta* result = ir::asTensor(node.value);
        if (const std::string_view overload = overloadFor(node, m_rules);
            result != nullptr && !overload.empty()) {
            replace(id, node, *result, overload);
        }
    }

    void replace(ir::NodeId id, const ir::Node& node, const ir::TensorMeta& result,
                 std::string_view overload) {
        const ir::DType computed = computationType(result.dtype);
        ir::Arguments args;
        bool transforms = false;
        for (const ir::Argument& argument : node.args) {
            const auto* number = argument.as<ir::NodeId>();
            if (number == nullptr || number->index() >= m_values.size() || !m_values[number->index()].real) {
                args.push_back(argument);
                continue;
            }
            auto tensor = tensorOf(m_values[number->index()].expression);
            if (!tensor) {
                return;
            }
            transforms = true;
            if (computed != ir::DType::Bool && dtypeOf(*tensor) != computed) {
                tensor = convert(*tensor, computed);
            }
            args.emplace_back(*tensor);
        }
        if (!transforms) {
            return;
        }
        ir::NodeId made = call(std::string(overload), std::move(args), result);
        if (m_rules.tensorifiesMore) {
            m_graph.setKeywords(made, node.kwargs);
        }
        if (computed != result.dtype) {
            made = convert(made, result.dtype);
        }
        m_graph.replaceAllUses(id, made);
        m_graph.erase(id);
    }

    /// The tensor for a symbolic value, computed from the tensors of its symbols. Nothing: no tensor operator
    /// does this; the tensors of its operands have been added by then, as in PyTorch.
    std::optional<ir::NodeId> tensorOf(const ir::SymExpr& value) {
        if (const auto number = numberOf(value)) {
            return constant(*number);
        }
        const std::string key = keyOf(value);
        if (const auto known = m_tensors.find(key); known != m_tensors.end()) {
            return known->second;
        }
        const ir::SymCall operation = operationOf(value);
        if (operation.arguments.empty()) {
            const auto number = ir::isIdentifier(key) ? m_numbers.find(key) : m_numbers.end();
            return number == m_numbers.end()
                       ? std::nullopt
                       : std::optional(m_tensors[key] = scalarTensor(number->second, ir::DType::Float32, {}));
        }
        const auto parts =
            base::mappedIfAll(operation.arguments, [&](const ir::SymExpr& part) { return tensorOf(part); });
        const auto made = parts ? composed(operation.name, *parts) : std::nullopt;
        if (made) {
            m_tensors[key] = *made;
        }
        return made;
    }

    std::optional<ir::NodeId> composed(std::string_view name, const std::vector<ir::NodeId>& parts) {
        if (name == "ToFloat") {
            return convert(parts[0], ir::DType::Float64);
        }
        if (name == "Add" || name == "Mul") {
            ir::NodeId made = parts[0];
            for (std::size_t i = 1; i < parts.size(); ++i) {
                made = binary(name == "Add" ? "aten.add.Tensor" : "aten.mul.Tensor", made, parts[i]);
            }
            return made;
        }
        if (name == "Pow" || name == "FloatPow") {
            return binary("aten.pow.Tensor_Tensor", parts[0], parts[1]);
        }
        if (name == "FloatTrueDiv") {
            return binary("aten.true_divide.Tensor", parts[0], parts[1]);
        }
        if (name == "FloorDiv") {
            const ir::NodeId made = binary("aten.div.Tensor_mode", parts[0], parts[1]);
            m_graph.setKeywords(made, {{"rounding_mode", std::string("floor")}});
            return made;
        }
        constexpr std::string_view opaque = "OpaqueUnaryFn_";
        const std::string_view function = name.substr(name.starts_with(opaque) ? opaque.size() : name.size());
        if (std::ranges::find(kFunctions, function) == kFunctions.end()) {
            return std::nullopt;
        }
        return call("aten." + std::string(function) + ".default", {parts[0]}, scalarMeta(dtypeOf(parts[0])));
    }

    /// The number in a tensor of one element has no dimensions.
    ir::NodeId withoutDimensions(ir::NodeId tensor) {
        const ir::TensorMeta* from = ir::asTensor(m_graph.node(tensor).value);
        if (!m_rules.tensorifiesMore || from == nullptr || from->shape.empty()) {
            return tensor;
        }
        return call("aten.reshape.default", {tensor, ir::ListArgument()}, scalarMeta(from->dtype));
    }

    ir::NodeId constant(const ir::SymNumber& number) {
        const ir::DType dtype = number.isWhole() ? ir::DType::Int64 : ir::DType::Float64;
        const auto value = number.isWhole() ? ir::Argument(number.whole()) : ir::Argument(number.value());
        return scalarTensor(value, dtype, dtype);
    }

    ir::NodeId scalarTensor(ir::Argument number, ir::DType dtype, std::optional<ir::DType> given) {
        const ir::NodeId made = call("aten.scalar_tensor.default", {std::move(number)}, scalarMeta(dtype));
        if (given) {
            m_graph.setKeywords(made, {{"dtype", *given}});
        }
        return made;
    }

    ir::NodeId binary(std::string target, ir::NodeId left, ir::NodeId right) {
        const ir::DType dtype = promoted(dtypeOf(left), dtypeOf(right));
        return call(std::move(target), {left, right}, scalarMeta(dtype));
    }

    ir::NodeId convert(ir::NodeId tensor, ir::DType dtype) {
        const ir::TensorMeta* from = ir::asTensor(m_graph.node(tensor).value);
        ir::TensorMeta meta = from == nullptr ? scalarMeta(dtype) : *from;
        meta.dtype = dtype;
        return call(std::string(convertTarget), {tensor, dtype}, std::move(meta));
    }

    static ir::TensorMeta scalarMeta(ir::DType dtype) {
        ir::TensorMeta meta;
        meta.dtype = dtype;
        meta.stride = ir::SymInts();
        meta.device = ir::Device{"cpu"};
        return meta;
    }

    [[nodiscard]] ir::DType dtypeOf(ir::NodeId id) const {
        const ir::TensorMeta* meta = ir::asTensor(m_graph.node(id).value);
        return meta == nullptr ? ir::DType::Unknown : meta->dtype;
    }

    ir::NodeId call(std::string target, ir::Arguments args, ir::TensorMeta meta) {
        ir::Node node;
        std::string name = target.substr(target.find('.') + 1);
        std::ranges::replace(name, '.', '_');
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        node.name = m_names.create(std::move(name));
        node.target = std::move(target);
        node.args = std::move(args);
        node.value = std::move(meta);
        node.origin = m_origin;
        const ir::NodeId made = m_graph.append(std::move(node));
        m_graph.moveBefore(made, m_before);
        return made;
    }

    const ir::Graph& m_joint;
    const PartitionRules& m_rules;
    ir::GraphBuilder m_graph;
    std::vector<SymbolicValue> m_values;
    ir::FxNames m_names;
    /// New nodes are inserted before this one.
    ir::NodeId m_before;
    /// By the value's key: the node of the number, and the tensor that holds it.
    std::unordered_map<std::string, ir::NodeId> m_numbers;
    std::unordered_map<std::string, ir::NodeId> m_tensors;
    std::shared_ptr<const ir::NodeOrigin> m_origin = std::make_shared<const ir::NodeOrigin>();
};

} // namespace

ir::GraphPtr tensorifyFloats(const ir::GraphPtr& joint, const PartitionRules& rules) {
    std::vector<SymbolicValue> values = symbolicValues(*joint);
    const bool any = std::ranges::any_of(values, &SymbolicValue::real);
    return any ? Tensorifier(joint, std::move(values), rules).run() : joint;
}

} // namespace aotscope::passes
