#include "kernels/cuda_writer.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

/// What of a row fits into registers.
constexpr std::int64_t mostKept = 64;

} // namespace

bool CudaWriter::isElement(ValueId id) const {
    return m_kernel.values[id].level == ValueLevel::Element;
}

bool CudaWriter::storesElement(const KernelStore& store) const {
    if (!m_isRow) {
        return true;
    }
    const auto usesColumn = [&](const KernelVariable& variable) {
        return variable.ofColumn && (store.address.uses(variable.name) ||
                                     std::ranges::count(store.onlyWhereZero, variable.name) == 0);
    };
    return isElement(store.value) || std::ranges::any_of(m_kernel.variables, usesColumn);
}

void CudaWriter::planLoops() {
    markNeeded();
    m_loops.resize(m_kernel.stages);
    for (std::size_t i = 0; i < m_kernel.stores.size(); ++i) {
        const KernelStore& store = m_kernel.stores[i];
        if (storesElement(store)) {
            m_loops[m_kernel.values[store.value].stage].stores.push_back(i);
        }
    }
    for (ValueId id = 0; id < m_kernel.values.size(); ++id) {
        if (m_needed.contains(id) && m_kernel.values[id].kind == KernelValue::Kind::Reduce) {
            m_loops[m_kernel.values[id].stage - 1].reduces.push_back(id);
        }
    }
    m_keeps = true;
    fillLoops();
    if (static_cast<std::int64_t>(m_kept.size()) * m_shape.items * m_shape.lanes > mostKept) {
        m_keeps = false;
        fillLoops();
    }
}

void CudaWriter::fillLoops() {
    m_kept.clear();
    std::set<ValueId> earlier;
    for (Loop& loop : m_loops) {
        loop.computed.clear();
        for (const std::size_t store : loop.stores) {
            addToLoop(m_kernel.stores[store].value, loop, earlier);
        }
        for (const ValueId reduce : loop.reduces) {
            addToLoop(m_kernel.values[reduce].operands[0], loop, earlier);
        }
        earlier.insert(loop.computed.begin(), loop.computed.end());
    }
}

void CudaWriter::addToLoop(ValueId id, Loop& loop, const std::set<ValueId>& earlier) {
    if (!isElement(id) || loop.computed.contains(id)) {
        return;
    }
    if (m_keeps && earlier.contains(id)) {
        m_kept.insert(id);
        return;
    }
    loop.computed.insert(id);
    for (const ValueId operand : m_kernel.values[id].operands) {
        addToLoop(operand, loop, earlier);
    }
}

void CudaWriter::markNeeded() {
    for (const KernelStore& store : m_kernel.stores) {
        need(store.value);
    }
    for (const KernelVariable& variable : m_kernel.variables) {
        const auto inIndex = [&](const IndexExpression& index) {
            return index.uses(variable.name) && !isFlat(m_kernel, index) && !isRowNumber(m_kernel, index);
        };
        bool used = false;
        for (const KernelStore& store : m_kernel.stores) {
            used =
                used || inIndex(store.address) || std::ranges::count(store.onlyWhereZero, variable.name) != 0;
        }
        for (const ValueId id : m_needed) {
            const KernelValue& value = m_kernel.values[id];
            used = used || inIndex(value.address) || std::ranges::any_of(value.indices, inIndex);
        }
        if (used) {
            m_usedVariables.insert(variable.name);
        }
    }
}

void CudaWriter::need(ValueId id) {
    if (m_needed.insert(id).second) {
        for (const ValueId operand : m_kernel.values[id].operands) {
            need(operand);
        }
    }
}

} // namespace aotscope::kernels
