#include "kernels/lowering.h"

#include "kernels/operator_rules.h"

#include <algorithm>
#include <numeric>

namespace aotscope::kernels {

namespace {

/// The dimensions, those of the largest stride first, so that neighbouring threads write neighbours.
std::vector<std::size_t> memoryOrder(const TensorLayout& layout) {
    std::vector<std::size_t> order(layout.sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t left, std::size_t right) {
        return layout.strides[left] > layout.strides[right];
    });
    return order;
}

} // namespace

std::optional<RowSpace> rowSpaceOf(const OpCall& call) {
    const OperatorRule* rule = operatorRule(call);
    if (rule == nullptr || rule->reduced == nullptr) {
        return std::nullopt;
    }
    RowSpace space;
    Sizes sizes;
    const std::vector<bool> reduced = rule->reduced(call, sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        (reduced[i] ? space.columnSizes : space.rowSizes).push_back(sizes[i]);
    }
    return product(space.columnSizes) == 1 ? std::nullopt : std::optional(std::move(space));
}

Lowering::Lowering(const LoweringRequest& request)
    : m_facts(request.facts),
      m_outputs(request.outputs),
      m_nodes(request.nodes.begin(), request.nodes.end()) {}

LoweredKernel Lowering::lower() {
    chooseSpace();
    storeOutputs();
    for (const KernelStore& store : m_kernel.stores) {
        m_kernel.stages = std::max(m_kernel.stages, m_kernel.values[store.value].stage + 1);
    }
    m_kernel.foldedViews.assign(m_folded.begin(), m_folded.end());
    putInputsFirst();
    return std::move(m_kernel);
}

void Lowering::putInputsFirst() {
    std::vector<KernelParameter> ordered;
    std::vector<std::size_t> places(m_kernel.parameters.size());
    for (const bool written : {false, true}) {
        for (std::size_t i = 0; i < places.size(); ++i) {
            if (m_kernel.parameters[i].written == written) {
                places[i] = ordered.size();
                ordered.push_back(std::move(m_kernel.parameters[i]));
            }
        }
    }
    m_kernel.parameters = std::move(ordered);
    for (KernelValue& value : m_kernel.values) {
        value.parameter = value.kind == KernelValue::Kind::Load ? places[value.parameter] : 0;
    }
    for (KernelStore& store : m_kernel.stores) {
        store.parameter = places[store.parameter];
    }
}

void Lowering::addVariables(const Sizes& sizes, std::string_view prefix, bool ofColumn,
                            std::span<const std::int64_t> strides, Coordinates& into) {
    const auto wide = std::ranges::count_if(sizes, [](std::int64_t size) { return size > 1; });
    const std::string_view whole = m_kernel.kind == KernelKind::Pointwise ? "index"
                                   : ofColumn                             ? "column"
                                                                          : "row";
    std::size_t next = 0;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (sizes[i] == 1) {
            into.emplace_back(0);
            continue;
        }
        const std::string name =
            wide == 1 ? std::string(whole) : std::string(prefix) + std::to_string(next++);
        into.push_back(IndexExpression::variable(name, sizes[i]));
        m_kernel.variables.push_back({name, sizes[i], strides[i], ofColumn});
    }
}

void Lowering::chooseSpace() {
    for (const ir::NodeId node : m_nodes) {
        auto space = rowSpaceOf(OpCall(m_facts, node));
        if (!space) {
            continue;
        }
        const std::int64_t rows = product(space->rowSizes);
        const std::int64_t columns = product(space->columnSizes);
        if (m_kernel.kind == KernelKind::RowReduction) {
            if (rows != m_kernel.rows || columns != m_kernel.columns) {
                throw CannotLower{"they reduce rows of different numbers or lengths"};
            }
            continue;
        }
        m_kernel.kind = KernelKind::RowReduction;
        m_kernel.rows = rows;
        m_kernel.columns = columns;
        m_rowSizes = std::move(space->rowSizes);
        m_columnSizes = std::move(space->columnSizes);
    }
    if (m_kernel.kind == KernelKind::RowReduction) {
        addVariables(m_rowSizes, "r", false, contiguousStrides(m_rowSizes), m_rowCoordinates);
        addVariables(m_columnSizes, "c", true, contiguousStrides(m_columnSizes), m_columnCoordinates);
        m_sizes = m_rowSizes;
        m_sizes.insert(m_sizes.end(), m_columnSizes.begin(), m_columnSizes.end());
        m_coordinates = m_rowCoordinates;
        m_coordinates.insert(m_coordinates.end(), m_columnCoordinates.begin(), m_columnCoordinates.end());
        return;
    }
    const TensorLayout* largest = nullptr;
    for (const TensorName& output : m_outputs) {
        const TensorLayout* layout = m_facts.layout(output);
        if (layout == nullptr) {
            throw CannotLower{"the size of a result is unknown"};
        }
        if (largest == nullptr || layout->elements() >= largest->elements()) {
            largest = layout;
        }
    }
    if (largest == nullptr) {
        throw CannotLower{"nothing reads its results"};
    }
    const std::vector<std::size_t> order = memoryOrder(*largest);
    Sizes ordered;
    for (const std::size_t dimension : order) {
        ordered.push_back(largest->sizes[dimension]);
    }
    Coordinates coordinates;
    addVariables(ordered, "i", true, contiguousStrides(ordered), coordinates);
    m_sizes = largest->sizes;
    m_coordinates.resize(m_sizes.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        m_coordinates[order[i]] = coordinates[i];
    }
    m_kernel.rows = product(m_sizes);
}

void Lowering::storeOutputs() {
    std::vector<TensorName> later;
    for (auto output = m_outputs.rbegin(); output != m_outputs.rend(); ++output) {
        if (!storeInPlace(*output)) {
            later.push_back(*output);
        }
    }
    // Those of other sizes may have been computed on the way to others.
    for (const TensorName& output : later) {
        if (!storeInPlace(output)) {
            storeSingle(output);
        }
    }
}

bool Lowering::storeInPlace(TensorName output) {
    const TensorLayout* layout = m_facts.layout(output);
    if (layout == nullptr) {
        throw CannotLower{"the size of a result is unknown"};
    }
    const std::int64_t elements = layout->elements();
    for (const Instance& instance : m_instances[output]) {
        if (addressOf(instance.at, contiguousStrides(layout->sizes)).covers(elements)) {
            store(output, instance.value, instance.at);
            return true;
        }
    }
    const bool whole = elements == m_kernel.rows * m_kernel.columns;
    const bool perRow = m_kernel.kind == KernelKind::RowReduction && elements == m_kernel.rows;
    if (!whole && !perRow) {
        return false;
    }
    const Coordinates at = whole ? reshaped(m_coordinates, m_sizes, layout->sizes)
                                 : reshaped(m_rowCoordinates, m_rowSizes, layout->sizes);
    store(output, computed(output, at), at);
    return true;
}

void Lowering::storeSingle(TensorName output) {
    const TensorLayout* layout = m_facts.layout(output);
    if (layout->elements() == 1 && !rowSpaceOf(OpCall(m_facts, output.node))) {
        // A single number beside many: the thread of the first element stores it.
        const Coordinates first(layout->sizes.size());
        store(output, computed(output, first), first);
        return;
    }
    throw CannotLower{"their results have different numbers of elements"};
}

void Lowering::store(TensorName output, ValueId value, const Coordinates& at) {
    KernelStore result;
    const TensorLayout& layout = *m_facts.layout(output);
    result.value = convert(value, layout.dtype);
    result.parameter = parameterOf(output, true);
    result.address = addressOf(at, layout.strides);
    result.node = output.node;
    for (const KernelVariable& variable : m_kernel.variables) {
        const bool used = std::ranges::any_of(
            at, [&](const IndexExpression& coordinate) { return coordinate.uses(variable.name); });
        if (!used) {
            result.onlyWhereZero.push_back(variable.name);
        }
    }
    m_kernel.stores.push_back(std::move(result));
}

base::Result<LoweredKernel> lowerGroup(const LoweringRequest& request) {
    try {
        return Lowering(request).lower();
    } catch (const CannotLower& cannot) {
        return base::Error{"kernels.not_one_kernel", cannot.why};
    }
}

} // namespace aotscope::kernels
