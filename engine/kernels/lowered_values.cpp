#include "kernels/lowering.h"

#include "kernels/dtype_rules.h"
#include "kernels/operator_rules.h"
#include "kernels/scan_text.h"

#include <algorithm>
#include <utility>

// Builds the values of a kernel, from the results back to the loads, for the elements at some coordinates.
namespace aotscope::kernels {

namespace {

constexpr std::size_t mostValues = 600;
constexpr std::size_t mostParameters = 48;
constexpr int deepest = 200;

/// Whether computing it again costs more than reading it again.
bool isExpensive(std::string_view text) {
    return hasOneOf(text, {"exp", "log", "tanh", "sin", "cos", "tan", "pow", "erf", "gamma", "fmod"});
}

} // namespace

ValueId Lowering::element(TensorName tensor, const Coordinates& at) {
    if (const auto value = folded(tensor, at)) {
        return *value;
    }
    return load(tensor, at);
}

std::optional<ValueId> Lowering::folded(TensorName tensor, const Coordinates& at) {
    const ir::NodeId asked = tensor.node;
    if (const auto picked = m_facts.pick(tensor.node)) {
        tensor = *picked;
    }
    if (m_nodes.contains(tensor.node)) {
        return computed(tensor, at);
    }
    if (m_facts.node(tensor.node).op != ir::Opcode::CallFunction) {
        return std::nullopt;
    }
    const OpCall call(m_facts, tensor.node);
    if (!isView(call)) {
        return std::nullopt;
    }
    const auto viewed = viewedElement(call, tensor.result, at);
    if (!viewed) {
        return std::nullopt;
    }
    const auto value = folded(viewed->tensor, viewed->coordinates);
    if (value) {
        m_folded.insert(tensor.node);
        m_folded.insert(asked);
    }
    return value;
}

ValueId Lowering::computed(TensorName tensor, const Coordinates& at) {
    std::vector<Instance>& known = m_instances[tensor];
    const std::string key = coordinatesKey(at);
    for (const Instance& instance : known) {
        if (coordinatesKey(instance.at) == key) {
            return instance.value;
        }
    }
    if (++m_depth > deepest || m_kernel.values.size() > mostValues) {
        throw CannotLower{"the kernel would be too large"};
    }
    const OpCall call(m_facts, tensor.node);
    const OperatorRule* rule = operatorRule(call);
    if (rule == nullptr) {
        throw CannotLower{"there is no rule for " + call.node().target + " yet"};
    }
    if (rule->computes != nullptr && !rule->computes(call, tensor.result)) {
        throw CannotLower{"a result of " + call.node().target + " is read that kernels do not compute"};
    }
    const std::size_t before = m_kernel.values.size();
    const ir::NodeId caller = std::exchange(m_current, tensor.node);
    const ValueId value = rule->lower(Formula(*this, call, tensor.result, at));
    m_current = caller;
    --m_depth;
    if (m_kernel.values[value].node == tensor.node) {
        const std::string& name = m_facts.node(tensor.node).name;
        nameValue(value, tensor.result == 0 ? name : name + "_" + std::to_string(tensor.result));
    }
    bool expensive = false;
    for (std::size_t i = before; i < m_kernel.values.size(); ++i) {
        expensive =
            expensive || (m_kernel.values[i].node == tensor.node && isExpensive(m_kernel.values[i].text));
    }
    std::vector<Instance>& instances = m_instances[tensor];
    if (expensive) {
        if (!instances.empty()) {
            throw CannotLower{"an expensive value would be computed twice"};
        }
        refuseRepeatedWork(tensor, value);
    }
    instances.push_back({at, value});
    return value;
}

void Lowering::refuseRepeatedWork(TensorName tensor, ValueId value) const {
    const std::int64_t elements = m_facts.layout(tensor)->elements();
    const ValueLevel level = m_kernel.values[value].level;
    const std::int64_t computedTimes = level == ValueLevel::Element ? m_kernel.rows * m_kernel.columns
                                       : level == ValueLevel::Row   ? m_kernel.rows
                                                                    : 1;
    if (computedTimes > elements) {
        throw CannotLower{"an expensive value would be recomputed for each element that it is broadcast to"};
    }
}

ValueId Lowering::load(TensorName tensor, const Coordinates& at) {
    const TensorLayout* layout = m_facts.layout(tensor);
    if (layout == nullptr || !isSupported(layout->dtype) || layout->sizes.size() != at.size()) {
        throw CannotLower{"the layout of " + m_facts.node(tensor.node).name + " is unknown"};
    }
    // A view that is no index expression may alias memory that this kernel writes, so its base must not be in
    // the group.
    for (ir::NodeId base = tensor.node;;) {
        if (m_nodes.contains(base)) {
            throw CannotLower{"a value of the group is read through a view that is not an index expression"};
        }
        const auto picked = m_facts.pick(base);
        if (picked) {
            base = picked->node;
            continue;
        }
        if (m_facts.node(base).op != ir::Opcode::CallFunction) {
            break;
        }
        const OpCall call(m_facts, base);
        const auto operand =
            isView(call) && !call.names().empty() ? call.tensor(call.names().front()) : std::nullopt;
        if (!operand) {
            break;
        }
        base = *operand;
    }
    KernelValue value;
    value.kind = KernelValue::Kind::Load;
    value.dtype = layout->dtype;
    value.parameter = parameterOf(tensor, false);
    value.address = addressOf(at, layout->strides);
    value.node = tensor.node;
    value.name = m_facts.node(tensor.node).name;
    value.level = levelOf({value.address});
    const std::string key = std::to_string(value.parameter) + "@" + value.address.text();
    const auto [known, isNew] = m_loads.try_emplace(key, 0);
    if (isNew) {
        known->second = add(std::move(value));
    }
    return known->second;
}

std::size_t Lowering::parameterOf(TensorName tensor, bool written) {
    const auto [known, isNew] = m_parameters.try_emplace(tensor, m_kernel.parameters.size());
    if (isNew) {
        if (m_kernel.parameters.size() == mostParameters) {
            throw CannotLower{"the kernel would have too many parameters"};
        }
        const auto sameKind = std::ranges::count(m_kernel.parameters, written, &KernelParameter::written);
        m_kernel.parameters.push_back(
            {(written ? "out" : "in") + std::to_string(sameKind), tensor, *m_facts.layout(tensor), written});
    }
    return known->second;
}

ValueId Lowering::operand(ir::NodeId tensor, const Sizes& sizes, const Coordinates& at, ir::DType dtype) {
    const auto picked = m_facts.pick(tensor);
    const TensorLayout* layout = m_facts.layout({tensor});
    if (layout == nullptr && picked) {
        layout = m_facts.layout(*picked);
    }
    if (layout == nullptr || layout->sizes.size() > sizes.size()) {
        throw CannotLower{"the size of " + m_facts.node(tensor).name + " is unknown"};
    }
    const std::size_t extra = sizes.size() - layout->sizes.size();
    Coordinates own;
    for (std::size_t i = 0; i < layout->sizes.size(); ++i) {
        own.push_back(layout->sizes[i] == 1 ? IndexExpression(0) : at[i + extra]);
    }
    return convert(element({tensor}, own), dtype);
}

ValueId Lowering::argument(const OpCall& call, std::string_view name, const Sizes& sizes,
                           const Coordinates& at, ir::DType dtype, bool isRounded) {
    if (const auto tensor = call.tensor(name)) {
        const TensorLayout* layout = m_facts.layout({*tensor});
        const bool meetsOthers = layout != nullptr && layout->sizes.empty() && !sizes.empty();
        return operand(*tensor, sizes, at, meetsOthers && !isRounded ? opmathType(dtype) : dtype);
    }
    const auto number = call.number(name);
    if (!number) {
        throw CannotLower{"the number \"" + std::string(name) + "\" is only known in the run"};
    }
    const ValueId value = literalValue(*number, opmathType(dtype));
    return isRounded ? rounded(value, dtype) : value;
}

ValueId Lowering::literalValue(const Number& number, ir::DType dtype) {
    KernelValue value;
    value.kind = KernelValue::Kind::Literal;
    value.dtype = dtype;
    if (const auto* real = std::get_if<double>(&number)) {
        value.text = literal(*real, dtype);
    } else if (const auto* integer = std::get_if<std::int64_t>(&number)) {
        value.text = literal(*integer, dtype);
    } else {
        value.text = literal(static_cast<std::int64_t>(std::get<bool>(number)), dtype);
    }
    const std::string key = std::string(registerType(dtype)) + value.text;
    const auto [known, isNew] = m_literals.try_emplace(key, 0);
    if (isNew) {
        known->second = add(std::move(value));
    }
    return known->second;
}

ValueId Lowering::convert(ValueId id, ir::DType dtype) {
    const ir::DType from = m_kernel.values[id].dtype;
    if (from == dtype) {
        return id;
    }
    const std::string key = std::to_string(id) + ":" + std::string(storageType(dtype));
    if (const auto known = m_conversions.find(key); known != m_conversions.end()) {
        return known->second;
    }
    ValueId result = id;
    if (dtype == ir::DType::Bool) {
        result = compute(dtype, "$0 != " + literal(std::int64_t{0}, opmathType(from)), {id});
    } else if (isInteger(dtype)) {
        result = compute(dtype, isFloating(from) ? "integer_from<{T}>($0)" : "({T})$0", {id});
    } else {
        const ir::DType wide = opmathType(dtype);
        if (registerType(from) != registerType(wide)) {
            result = compute(wide, "({T})$0", {id});
        }
        if (isSmallFloat(dtype)) {
            result = rounded(result, dtype);
        } else if (isSmallFloat(from)) {
            // The same register, as another dtype.
            result = compute(dtype, "$0", {result});
        }
    }
    m_conversions.emplace(key, result);
    return result;
}

ValueId Lowering::rounded(ValueId value, ir::DType dtype) {
    if (m_kernel.values[value].dtype == dtype) {
        return value;
    }
    if (!isSmallFloat(dtype)) {
        return convert(value, dtype);
    }
    return compute(dtype, "round_to<" + std::string(storageType(dtype)) + ">($0)", {value});
}

ValueId Lowering::compute(ir::DType dtype, std::string_view text, std::vector<ValueId> operands,
                          std::vector<IndexExpression> indices) {
    KernelValue value;
    value.dtype = dtype;
    value.text = typedText(text, dtype);
    value.level = levelOf(indices);
    for (const ValueId operand : operands) {
        value.level = std::max(value.level, m_kernel.values[operand].level);
        value.stage = std::max(value.stage, m_kernel.values[operand].stage);
    }
    value.operands = std::move(operands);
    value.indices = std::move(indices);
    value.node = m_current;
    return add(std::move(value));
}

Coordinates Lowering::reducedCoordinates(const Sizes& sizes, const std::vector<bool>& reduced,
                                         const Coordinates& kept) const {
    Sizes keptSizes;
    Sizes reducedSizes;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        (reduced[i] ? reducedSizes : keptSizes).push_back(sizes[i]);
    }
    if (kept.size() != keptSizes.size()) {
        throw CannotLower{"a reduction has other dimensions than its result"};
    }
    Coordinates columns(reducedSizes.size());
    if (product(reducedSizes) != 1) {
        const IndexExpression row = addressOf(m_rowCoordinates, contiguousStrides(m_rowSizes));
        if (!(addressOf(kept, contiguousStrides(keptSizes)) == row)) {
            throw CannotLower{"the reduction of one row is read by another"};
        }
        columns = reshaped(m_columnCoordinates, m_columnSizes, reducedSizes);
    }
    Coordinates all;
    std::size_t nextKept = 0;
    std::size_t nextReduced = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        all.push_back(reduced[i] ? columns[nextReduced++] : kept[nextKept++]);
    }
    return all;
}

ValueId Lowering::reduceValue(std::string_view operation, ValueId operand, bool single) {
    if (single) {
        return operand;
    }
    KernelValue value;
    value.kind = KernelValue::Kind::Reduce;
    value.dtype = m_kernel.values[operand].dtype;
    value.text = operation;
    value.operands = {operand};
    value.node = m_current;
    value.level = ValueLevel::Row;
    value.stage = m_kernel.values[operand].stage + 1;
    return add(std::move(value));
}

void Lowering::nameValue(ValueId value, std::string_view name) {
    if (m_kernel.values[value].name.empty()) {
        m_kernel.values[value].name = name;
    }
}

ValueId Lowering::add(KernelValue value) {
    if (!value.node.valid()) {
        value.node = m_current;
    }
    m_kernel.values.push_back(std::move(value));
    return m_kernel.values.size() - 1;
}

ValueLevel Lowering::levelOf(const std::vector<IndexExpression>& indices) const {
    ValueLevel level = ValueLevel::Constant;
    for (const IndexExpression& index : indices) {
        for (const KernelVariable& variable : m_kernel.variables) {
            if (index.uses(variable.name)) {
                level = std::max(level, variable.ofColumn ? ValueLevel::Element : ValueLevel::Row);
            }
        }
    }
    return level;
}

} // namespace aotscope::kernels
