#include "kernels/cuda_writer.h"
#include "kernels/dtype_rules.h"

#include <algorithm>

namespace aotscope::kernels {

std::string CudaWriter::reference(ValueId id, const Loop* loop) const {
    const KernelValue& value = m_kernel.values[id];
    if (value.kind == KernelValue::Kind::Literal) {
        return value.text;
    }
    if (loop != nullptr && isElement(id) && !loop->computed.contains(id)) {
        return m_names[id] + "_kept[" + keptIndex() + "]";
    }
    return m_names[id];
}

std::string CudaWriter::keptIndex() const {
    if (m_shape.lanes == 1) {
        return "item";
    }
    return m_shape.items == 1 ? "lane" : "item * " + decimal(m_shape.lanes) + " + lane";
}

std::string CudaWriter::offset(const IndexExpression& address) const {
    if (address == IndexExpression(0)) {
        return "";
    }
    if (isFlat(m_kernel, address)) {
        return m_isRow ? " + row * " + decimal(m_kernel.columns) + " + column" : " + index";
    }
    return m_isRow && isRowNumber(m_kernel, address) ? " + row" : " + " + address.text();
}

std::string CudaWriter::expression(const KernelValue& value, const Loop* loop) const {
    std::string result;
    const std::string& text = value.text;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if ((text[i] == '$' || text[i] == '#') && i + 1 < text.size()) {
            const auto which = static_cast<std::size_t>(text[i + 1] - '0');
            if (text[i] == '$') {
                const std::string operand = reference(value.operands.at(which), loop);
                const bool negative = !operand.empty() && operand[0] == '-';
                result += negative ? "(" + operand + ")" : operand;
            } else {
                result += "(" + value.indices.at(which).text() + ")";
            }
            ++i;
        } else {
            result += text[i];
        }
    }
    return result;
}

void CudaWriter::define(ValueId id, const Loop* loop) {
    const KernelValue& value = m_kernel.values[id];
    if (value.kind == KernelValue::Kind::Literal || value.kind == KernelValue::Kind::Reduce) {
        return;
    }
    std::string text;
    if (value.kind == KernelValue::Kind::Load) {
        const std::string& parameter = m_kernel.parameters[value.parameter].name;
        text = loop != nullptr && m_vectorLoads.contains(id)
                   ? m_names[id] + "_lanes[lane]"
                   : "load(" + parameter + offset(value.address) + ")";
    } else {
        text = expression(value, loop);
    }
    line("const " + std::string(registerType(value.dtype)) + " " + m_names[id] + " = " + text + ";",
         value.node);
    if (loop != nullptr && m_kept.contains(id)) {
        line(m_names[id] + "_kept[" + keptIndex() + "] = " + m_names[id] + ";", value.node);
    }
}

void CudaWriter::storeValue(const KernelStore& store, const Loop* loop) {
    const std::string& parameter = m_kernel.parameters[store.parameter].name;
    const std::string value = reference(store.value, loop);
    std::string condition;
    for (const std::string& variable : store.onlyWhereZero) {
        const bool ofColumn = std::ranges::any_of(m_kernel.variables, [&](const KernelVariable& each) {
            return each.name == variable && each.ofColumn;
        });
        if (loop != nullptr || !ofColumn) {
            condition += (condition.empty() ? "" : " && ") + variable + " == 0";
        }
    }
    const std::string text = isVectorStore(store)
                                 ? parameter + "_lanes[lane] = " + value + ";"
                                 : "store(" + parameter + offset(store.address) + ", " + value + ");";
    if (condition.empty()) {
        line(text, store.node);
        return;
    }
    open("if (" + condition + ") {");
    line(text, store.node);
    close();
}

bool CudaWriter::isVectorStore(const KernelStore& store) const {
    return store.onlyWhereZero.empty() && storesElement(store) &&
           isVector(m_kernel, store.parameter, store.address, m_shape.lanes);
}

std::string CudaWriter::digit(const KernelVariable& variable, const std::string& whole) const {
    const std::int64_t count = variable.ofColumn && m_isRow ? m_kernel.columns : m_kernel.rows;
    std::string text = variable.stride == 1 ? whole : whole + " / " + decimal(variable.stride);
    if (variable.stride * variable.size != count) {
        text += " % " + decimal(variable.size);
    }
    return text;
}

void CudaWriter::defineVariables(bool ofColumn, const std::string& whole, bool withInner, bool onlyInner) {
    const KernelVariable* inner = innermost(m_kernel);
    for (const KernelVariable& variable : m_kernel.variables) {
        const bool isInner = ofColumn && &variable == inner;
        if (variable.ofColumn == ofColumn && variable.name != whole &&
            m_usedVariables.contains(variable.name) && (isInner ? withInner : !onlyInner)) {
            line("const " + m_index + " " + variable.name + " = " + digit(variable, whole) + ";");
        }
    }
}

} // namespace aotscope::kernels
