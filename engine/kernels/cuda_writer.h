#pragma once

#include "kernels/kernel_values.h"

#include "ir/graph.h"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace aotscope::kernels {

/// How the work of a kernel is shared out among threads.
struct WorkShape {
    /// Neighbouring elements that a thread takes at once; 1: no vectors.
    std::int64_t lanes = 1;
    /// Of rows: threads of one row, a power of two; rows of one block; turns that a thread takes along the
    /// row.
    std::int64_t threads = 1;
    std::int64_t rowsPerBlock = 1;
    std::int64_t items = 1;
    std::int64_t block = 256;
    std::int64_t grid = 1;
};

[[nodiscard]] WorkShape workShape(const LoweredKernel& kernel);
/// Whether neighbouring elements of the iteration space are neighbours at this address, in aligned groups of
/// `lanes`, which are at most 16 bytes of the parameter's dtype.
[[nodiscard]] bool isVector(const LoweredKernel& kernel, std::size_t parameter,
                            const IndexExpression& address, std::int64_t lanes);
/// Whether the address counts the elements of the iteration space one by one.
[[nodiscard]] bool isFlat(const LoweredKernel& kernel, const IndexExpression& address);
/// Whether the address counts the rows.
[[nodiscard]] bool isRowNumber(const LoweredKernel& kernel, const IndexExpression& address);
/// The variable whose neighbours are neighbouring elements; null: there is a single element.
[[nodiscard]] const KernelVariable* innermost(const LoweredKernel& kernel);

[[nodiscard]] inline std::string decimal(std::int64_t value) {
    return std::to_string(value);
}

/// Writes one kernel. Its parts lie in files by what they write: names, lines and the head in
/// kernel_writer.cpp, which loop computes what in loop_plan.cpp, one value in value_writer.cpp, elements and
/// their lanes in pointwise_writer.cpp, reduced rows in row_writer.cpp.
class CudaWriter {
public:
    /// `plain`: without comments and with names that do not depend on the graph's.
    CudaWriter(const ir::Graph& graph, std::string name, const std::vector<ir::NodeId>& nodes,
               const LoweredKernel& kernel, bool plain)
        : m_graph(graph),
          m_name(std::move(name)),
          m_nodes(nodes),
          m_kernel(kernel),
          m_shape(workShape(kernel)),
          m_plain(plain) {}

    void write();

    std::string source;
    std::vector<KernelLine> lines;
    [[nodiscard]] KernelLaunch launch() const {
        return {static_cast<std::uint32_t>(m_shape.grid), static_cast<std::uint32_t>(m_shape.block), 0};
    }

private:
    /// A turn over the elements of a row, or over all.
    struct Loop {
        /// Values that it computes, and those it takes from registers.
        std::set<ValueId> computed;
        std::vector<std::size_t> stores;
        std::vector<ValueId> reduces;
    };

    // Names.
    void nameValues();
    [[nodiscard]] bool needsWideIndex() const;

    // Text.
    void line(const std::string& text, ir::NodeId node = {});
    /// A text from a file must not end its comment.
    [[nodiscard]] static std::string harmless(std::string text);
    void comment(const std::string& text, ir::NodeId node = {});
    void open(const std::string& text);
    void close();
    /// Whether the text from a position on has the word.
    [[nodiscard]] bool mentions(const std::string& word, std::size_t from) const;
    void eraseLine(std::size_t begin, std::size_t end);
    void writeHead();
    [[nodiscard]] std::string nodeText(ir::NodeId id) const;

    // Which loop computes what.
    [[nodiscard]] bool isElement(ValueId id) const;
    [[nodiscard]] bool storesElement(const KernelStore& store) const;
    void planLoops();
    void fillLoops();
    void addToLoop(ValueId id, Loop& loop, const std::set<ValueId>& earlier);
    void markNeeded();
    void need(ValueId id);

    // Values.
    [[nodiscard]] std::string reference(ValueId id, const Loop* loop) const;
    [[nodiscard]] std::string keptIndex() const;
    /// What is added to a parameter.
    [[nodiscard]] std::string offset(const IndexExpression& address) const;
    [[nodiscard]] std::string expression(const KernelValue& value, const Loop* loop) const;
    void define(ValueId id, const Loop* loop);
    void storeValue(const KernelStore& store, const Loop* loop);
    [[nodiscard]] bool isVectorStore(const KernelStore& store) const;

    // Variables.
    [[nodiscard]] std::string digit(const KernelVariable& variable, const std::string& whole) const;
    void defineVariables(bool ofColumn, const std::string& whole, bool withInner, bool onlyInner);

    // Bodies.
    [[nodiscard]] std::string wholeName() const;
    /// Whether a group of lanes stays within the innermost dimension.
    [[nodiscard]] bool lanesShareOthers() const;
    /// The elements from `NAME_first` on.
    void writeElements(const Loop& loop);
    /// Variables that all lanes share, and the innermost one's first value.
    void writeSharedVariables(const std::string& whole);
    /// The address of the first lane.
    [[nodiscard]] std::string firstAddress(const IndexExpression& address) const;
    void writeBody(const Loop& loop);
    void writeAlignment();
    void writeConstants();
    void writePointwise();
    void writeRows();
    void writeStage(std::size_t stage);
    void writeRowStores(std::size_t stage);
    void writeColumns(const Loop& loop);

    const ir::Graph& m_graph;
    std::string m_name;
    const std::vector<ir::NodeId>& m_nodes;
    const LoweredKernel& m_kernel;
    WorkShape m_shape;
    bool m_plain;
    bool m_isRow = false;
    bool m_keeps = true;
    std::string m_index;
    std::vector<std::string> m_names;
    std::vector<Loop> m_loops;
    std::set<ValueId> m_needed;
    std::set<ValueId> m_kept;
    std::set<ValueId> m_vectorLoads;
    std::set<std::string> m_usedVariables;
    int m_indent = 0;
    std::size_t m_line = 0;
};

} // namespace aotscope::kernels
