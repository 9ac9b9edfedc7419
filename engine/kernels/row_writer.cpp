#include "kernels/cuda_writer.h"
#include "kernels/dtype_rules.h"

#include <algorithm>

namespace aotscope::kernels {

namespace {

struct TypeRange {
    ir::DType dtype;
    std::string_view smallest;
    std::string_view largest;
};
/// Integers; the last row is for those that are not listed.
constexpr TypeRange typeRanges[] = {
    {ir::DType::Bool, "false", "true"},
    {ir::DType::Int8, "-128", "127"},
    {ir::DType::Int16, "-32768", "32767"},
    {ir::DType::Int32, "-2147483647 - 1", "2147483647"},
    {ir::DType::Int64, "-9223372036854775807ll - 1", "9223372036854775807ll"},
    {ir::DType::UInt8, "0", "255"},
    {ir::DType::Unknown, "0", "~0ull"},
};

std::string_view neutral(std::string_view operation, ir::DType dtype) {
    if (operation == "sum_of" || operation == "product_of") {
        return operation == "sum_of" ? "0" : "1";
    }
    const bool largest = operation == "largest_of";
    if (isFloating(dtype)) {
        return largest ? "bits_float(0xff800000u)" : "bits_float(0x7f800000u)";
    }
    const auto* known = std::ranges::find(typeRanges, dtype, &TypeRange::dtype);
    const TypeRange& range = known == std::end(typeRanges) ? std::end(typeRanges)[-1] : *known;
    return largest ? range.smallest : range.largest;
}

} // namespace

void CudaWriter::writeRows() {
    const std::string threads = decimal(m_shape.threads);
    writeConstants();
    writeAlignment();
    line("const int thread = threadIdx.x % " + threads + ";");
    if (m_shape.rowsPerBlock == 1) {
        open("for (" + m_index + " row = blockIdx.x; row < " + decimal(m_kernel.rows) +
             "; row += gridDim.x) {");
    } else {
        // Lanes beyond the last row repeat it, because all lanes of a warp exchange values.
        const std::int64_t groups = (m_kernel.rows + m_shape.rowsPerBlock - 1) / m_shape.rowsPerBlock;
        const std::string own = "rows * " + decimal(m_shape.rowsPerBlock) + " + threadIdx.x / " + threads;
        open("for (" + m_index + " rows = blockIdx.x; rows < " + decimal(groups) + "; rows += gridDim.x) {");
        line("const " + m_index + " row = " +
             (m_kernel.rows % m_shape.rowsPerBlock == 0
                  ? own
                  : "(" + m_index + ")(" + own + ") < " + decimal(m_kernel.rows) + " ? " + own + " : " +
                        decimal(m_kernel.rows - 1)) +
             ";");
    }
    defineVariables(false, "row", true, false);
    for (const ValueId id : m_kept) {
        line(std::string(registerType(m_kernel.values[id].dtype)) + " " + m_names[id] + "_kept[" +
                 decimal(m_shape.items * m_shape.lanes) + "];",
             m_kernel.values[id].node);
    }
    for (std::size_t stage = 0; stage < m_loops.size(); ++stage) {
        writeStage(stage);
    }
    close();
}

void CudaWriter::writeStage(std::size_t stage) {
    for (const ValueId id : m_needed) {
        const KernelValue& value = m_kernel.values[id];
        if (value.level == ValueLevel::Row && value.stage == stage) {
            define(id, nullptr);
        }
    }
    writeRowStores(stage);
    const Loop& loop = m_loops[stage];
    if (loop.reduces.empty() && loop.stores.empty()) {
        return;
    }
    for (const ValueId id : loop.reduces) {
        const KernelValue& value = m_kernel.values[id];
        const std::string type(registerType(value.dtype));
        line(type + " " + m_names[id] + "_part = (" + type + ")(" +
                 std::string(neutral(value.text, value.dtype)) + ");",
             value.node);
    }
    writeColumns(loop);
    for (const ValueId id : loop.reduces) {
        const KernelValue& value = m_kernel.values[id];
        line("const " + std::string(registerType(value.dtype)) + " " + m_names[id] + " = reduce_row<" +
                 decimal(m_shape.threads) + ", " + value.text + ">(" + m_names[id] + "_part);",
             value.node);
    }
}

void CudaWriter::writeRowStores(std::size_t stage) {
    std::vector<const KernelStore*> stores;
    for (const KernelStore& store : m_kernel.stores) {
        if (!storesElement(store) && m_kernel.values[store.value].stage == stage) {
            stores.push_back(&store);
        }
    }
    if (stores.empty()) {
        return;
    }
    open("if (thread == 0) {");
    for (const KernelStore* store : stores) {
        storeValue(*store, nullptr);
    }
    close();
}

void CudaWriter::writeColumns(const Loop& loop) {
    const std::int64_t lanes = m_shape.lanes;
    const std::string first = lanes == 1 ? "column" : "column_first";
    const std::string scale = lanes == 1 ? "" : " * " + decimal(lanes);
    const bool exact = m_shape.items * m_shape.threads * lanes == m_kernel.columns;
    const std::string columns = decimal(m_kernel.columns);
    if (!m_keeps) {
        open("for (" + m_index + " " + first + " = thread" + scale + "; " + first + " < " + columns + "; " +
             first + " += " + decimal(m_shape.threads * lanes) + ") {");
        writeElements(loop);
        close();
        return;
    }
    line("#pragma unroll");
    open("for (int item = 0; item < " + decimal(m_shape.items) + "; ++item) {");
    line("const " + m_index + " " + first + " = (item * " + decimal(m_shape.threads) + " + thread)" + scale +
         ";");
    if (!exact) {
        open("if (" + first + " < " + columns + ") {");
    }
    writeElements(loop);
    if (!exact) {
        close();
    }
    close();
}

} // namespace aotscope::kernels
