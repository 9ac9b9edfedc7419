#include "kernels/cuda_writer.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

/// Blocks beyond these only repeat the loop's setup.
constexpr std::int64_t mostBlocks = 65535;

/// The number of the row, or of the element in all rows.
IndexExpression numberOf(const LoweredKernel& kernel, bool ofElement) {
    IndexExpression number;
    for (const KernelVariable& variable : kernel.variables) {
        if (ofElement || !variable.ofColumn) {
            const std::int64_t rowLength = ofElement && !variable.ofColumn ? kernel.columns : 1;
            number = number +
                     IndexExpression::variable(variable.name, variable.size) * (variable.stride * rowLength);
        }
    }
    return number;
}

/// As many as the widest dtype allows of what lies as the iteration space does; else of what is vectors at
/// all.
std::int64_t chosenLanes(const LoweredKernel& kernel) {
    std::int64_t widestFlat = 0;
    std::int64_t widest = 0;
    const auto look = [&](std::size_t parameter, const IndexExpression& address) {
        const auto bytes =
            static_cast<std::int64_t>(ir::dtypeBytes(kernel.parameters[parameter].layout.dtype));
        if (isVector(kernel, parameter, address, 16 / bytes)) {
            widest = std::max(widest, bytes);
            widestFlat = isFlat(kernel, address) ? std::max(widestFlat, bytes) : widestFlat;
        }
    };
    for (const KernelValue& value : kernel.values) {
        if (value.kind == KernelValue::Kind::Load && value.level == ValueLevel::Element) {
            look(value.parameter, value.address);
        }
    }
    for (const KernelStore& store : kernel.stores) {
        if (store.onlyWhereZero.empty()) {
            look(store.parameter, store.address);
        }
    }
    const std::int64_t decides = widestFlat != 0 ? widestFlat : widest;
    return decides == 0 ? 1 : 16 / decides;
}

} // namespace

const KernelVariable* innermost(const LoweredKernel& kernel) {
    for (const KernelVariable& variable : kernel.variables) {
        if (variable.ofColumn && variable.stride == 1) {
            return &variable;
        }
    }
    return nullptr;
}

bool isFlat(const LoweredKernel& kernel, const IndexExpression& address) {
    return !address.isConstant() && address == numberOf(kernel, true);
}

bool isRowNumber(const LoweredKernel& kernel, const IndexExpression& address) {
    return !address.isConstant() && address == numberOf(kernel, false);
}

bool isVector(const LoweredKernel& kernel, std::size_t parameter, const IndexExpression& address,
              std::int64_t lanes) {
    const KernelVariable* inner = innermost(kernel);
    const auto bytes = static_cast<std::int64_t>(ir::dtypeBytes(kernel.parameters[parameter].layout.dtype));
    if (inner == nullptr || lanes < 2 || bytes * lanes > 16) {
        return false;
    }
    if (isFlat(kernel, address)) {
        return kernel.kind == KernelKind::Pointwise ? kernel.rows >= lanes : kernel.columns % lanes == 0;
    }
    return inner->size % lanes == 0 && address.coefficient(inner->name) == 1 && !address.hides(inner->name) &&
           address.without(inner->name).isMultipleOf(lanes);
}

WorkShape workShape(const LoweredKernel& kernel) {
    WorkShape shape;
    shape.lanes = chosenLanes(kernel);
    if (kernel.kind == KernelKind::Pointwise) {
        const std::int64_t chunks = (kernel.rows + shape.lanes - 1) / shape.lanes;
        shape.grid = std::clamp<std::int64_t>((chunks + shape.block - 1) / shape.block, 1, mostBlocks);
        return shape;
    }
    const std::int64_t chunks = (kernel.columns + shape.lanes - 1) / shape.lanes;
    const std::int64_t wanted = chunks <= 32 ? chunks : (chunks + 3) / 4;
    while (shape.threads < wanted && shape.threads < 1024) {
        shape.threads *= 2;
    }
    if (chunks > 32) {
        shape.threads = std::max<std::int64_t>(shape.threads, 32);
    }
    shape.block = std::max<std::int64_t>(shape.threads, 128);
    shape.rowsPerBlock = shape.threads > 32 ? 1 : shape.block / shape.threads;
    if (shape.threads > 32) {
        shape.block = shape.threads;
    }
    shape.items = (chunks + shape.threads - 1) / shape.threads;
    shape.grid =
        std::clamp<std::int64_t>((kernel.rows + shape.rowsPerBlock - 1) / shape.rowsPerBlock, 1, mostBlocks);
    return shape;
}

} // namespace aotscope::kernels
