#include "kernels/cuda_writer.h"
#include "kernels/dtype_rules.h"

namespace aotscope::kernels {

std::string CudaWriter::wholeName() const {
    return m_isRow ? "column" : "index";
}

bool CudaWriter::lanesShareOthers() const {
    const KernelVariable* inner = innermost(m_kernel);
    return inner != nullptr && inner->size % m_shape.lanes == 0;
}

void CudaWriter::writeElements(const Loop& loop) {
    const std::string whole = wholeName();
    const std::int64_t lanes = m_shape.lanes;
    if (lanes == 1) {
        defineVariables(true, whole, true, false);
        writeBody(loop);
        return;
    }
    const bool shared = lanesShareOthers();
    const std::int64_t count = m_isRow ? m_kernel.columns : m_kernel.rows;
    const bool hasTail = count % lanes != 0;
    const std::string lanesText = hasTail ? "lanes" : decimal(lanes);
    if (hasTail) {
        line("const int lanes = (int)(" + decimal(count) + " - " + whole + "_first < " + decimal(lanes) +
             " ? " + decimal(count) + " - " + whole + "_first : " + decimal(lanes) + ");");
    }
    const std::string isWhole = hasTail ? "aligned && lanes == " + decimal(lanes) : "aligned";
    if (shared) {
        writeSharedVariables(whole);
    }
    m_vectorLoads.clear();
    for (const ValueId id : loop.computed) {
        const KernelValue& value = m_kernel.values[id];
        if (value.kind == KernelValue::Kind::Load &&
            isVector(m_kernel, value.parameter, value.address, lanes)) {
            m_vectorLoads.insert(id);
            const std::string name = m_names[id] + "_lanes";
            line(std::string(registerType(value.dtype)) + " " + name + "[" + decimal(lanes) + "];",
                 value.node);
            line("load_lanes<" + decimal(lanes) + ">(" + m_kernel.parameters[value.parameter].name + " + " +
                     firstAddress(value.address) + ", " + isWhole + ", " + lanesText + ", " + name + ");",
                 value.node);
        }
    }
    for (const std::size_t index : loop.stores) {
        const KernelStore& store = m_kernel.stores[index];
        if (isVectorStore(store)) {
            const KernelParameter& parameter = m_kernel.parameters[store.parameter];
            line(std::string(registerType(parameter.layout.dtype)) + " " + parameter.name + "_lanes[" +
                     decimal(lanes) + "];",
                 store.node);
        }
    }
    line("#pragma unroll");
    open("for (int lane = 0; lane < " + decimal(lanes) + "; ++lane) {");
    if (hasTail) {
        open("if (lane >= lanes) {");
        line("break;");
        close();
    }
    const std::size_t beginning = source.size();
    line("const " + m_index + " " + whole + " = " + whole + "_first + lane;");
    const std::size_t afterIndex = source.size();
    defineVariables(true, whole, true, shared);
    writeBody(loop);
    if (!mentions(whole, afterIndex)) {
        eraseLine(beginning, afterIndex);
    }
    close();
    for (const std::size_t index : loop.stores) {
        const KernelStore& store = m_kernel.stores[index];
        if (isVectorStore(store)) {
            const std::string& name = m_kernel.parameters[store.parameter].name;
            line("store_lanes<" + decimal(lanes) + ">(" + name + " + " + firstAddress(store.address) + ", " +
                     isWhole + ", " + lanesText + ", " + name + "_lanes);",
                 store.node);
        }
    }
    m_vectorLoads.clear();
}

void CudaWriter::writeSharedVariables(const std::string& whole) {
    const KernelVariable& inner = *innermost(m_kernel);
    const std::string first = whole + "_first";
    for (const KernelVariable& variable : m_kernel.variables) {
        if (!variable.ofColumn || !m_usedVariables.contains(variable.name) || variable.name == whole) {
            continue;
        }
        const std::string name = variable.name == inner.name ? inner.name + "_first" : variable.name;
        line("const " + m_index + " " + name + " = " + digit(variable, first) + ";");
    }
}

std::string CudaWriter::firstAddress(const IndexExpression& address) const {
    if (isFlat(m_kernel, address)) {
        return m_isRow ? "row * " + decimal(m_kernel.columns) + " + column_first" : "index_first";
    }
    const KernelVariable& inner = *innermost(m_kernel);
    const IndexExpression rest = address.without(inner.name);
    const std::string first = inner.name + "_first";
    return rest == IndexExpression(0) ? first : rest.text() + " + " + first;
}

void CudaWriter::writeBody(const Loop& loop) {
    for (const ValueId id : loop.computed) {
        define(id, &loop);
    }
    for (const ValueId id : loop.reduces) {
        const KernelValue& value = m_kernel.values[id];
        line(m_names[id] + "_part = " + value.text + "()(" + m_names[id] + "_part, " +
                 reference(value.operands[0], &loop) + ");",
             value.node);
    }
    for (const std::size_t index : loop.stores) {
        storeValue(m_kernel.stores[index], &loop);
    }
}

void CudaWriter::writeAlignment() {
    if (m_shape.lanes == 1) {
        return;
    }
    std::set<std::size_t> parameters;
    for (const ValueId id : m_needed) {
        const KernelValue& value = m_kernel.values[id];
        if (value.kind == KernelValue::Kind::Load && value.level == ValueLevel::Element &&
            isVector(m_kernel, value.parameter, value.address, m_shape.lanes)) {
            parameters.insert(value.parameter);
        }
    }
    for (const KernelStore& store : m_kernel.stores) {
        if (isVectorStore(store)) {
            parameters.insert(store.parameter);
        }
    }
    std::string text;
    for (const std::size_t index : parameters) {
        const KernelParameter& parameter = m_kernel.parameters[index];
        const auto bytes = static_cast<std::int64_t>(ir::dtypeBytes(parameter.layout.dtype)) * m_shape.lanes;
        text += (text.empty() ? "" : " && ") + ("is_aligned(" + parameter.name) + ", " + decimal(bytes) + ")";
    }
    line("const bool aligned = " + (text.empty() ? "false" : text) + ";");
}

void CudaWriter::writeConstants() {
    for (const ValueId id : m_needed) {
        if (m_kernel.values[id].level == ValueLevel::Constant) {
            define(id, nullptr);
        }
    }
}

void CudaWriter::writePointwise() {
    writeConstants();
    writeAlignment();
    const std::int64_t lanes = m_shape.lanes;
    const std::string first = lanes == 1 ? "index" : "chunk";
    open("for (" + m_index + " " + first + " = blockIdx.x * " + (m_index == "int" ? "" : "(int64)") +
         "blockDim.x + threadIdx.x; " + first + " < " + decimal((m_kernel.rows + lanes - 1) / lanes) + "; " +
         first + " += gridDim.x * blockDim.x) {");
    if (lanes > 1) {
        line("const " + m_index + " index_first = chunk * " + decimal(lanes) + ";");
    }
    writeElements(m_loops.front());
    close();
}

} // namespace aotscope::kernels
