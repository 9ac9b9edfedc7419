#include "kernels/cuda_writer.h"
#include "kernels/dtype_rules.h"

#include "base/joined.h"

#include <algorithm>
#include <cctype>

namespace aotscope::kernels {

void CudaWriter::write() {
    m_isRow = m_kernel.kind == KernelKind::RowReduction;
    m_index = needsWideIndex() ? "int64" : "int";
    nameValues();
    planLoops();
    writeHead();
    if (m_isRow) {
        writeRows();
    } else {
        writePointwise();
    }
    close();
}

void CudaWriter::nameValues() {
    std::set<std::string> taken;
    for (ValueId id = 0; id < m_kernel.values.size(); ++id) {
        const KernelValue& value = m_kernel.values[id];
        std::string name = "t" + decimal(static_cast<std::int64_t>(id));
        if (!m_plain && !value.name.empty()) {
            std::string readable = "v_";
            for (const char letter : value.name) {
                readable += std::isalnum(static_cast<unsigned char>(letter)) != 0 ? letter : '_';
            }
            name = taken.contains(readable) ? readable + "_" + name : readable;
        }
        taken.insert(name);
        m_names.push_back(std::move(name));
    }
}

bool CudaWriter::needsWideIndex() const {
    constexpr std::int64_t narrow = std::int64_t{1} << 30;
    bool wide = m_kernel.rows * m_kernel.columns >= narrow;
    for (const KernelParameter& parameter : m_kernel.parameters) {
        wide = wide || parameter.reach() >= narrow;
    }
    return wide;
}

void CudaWriter::line(const std::string& text, ir::NodeId node) {
    if (!text.empty() && text[0] != '#') {
        source.append(static_cast<std::size_t>(m_indent) * 4, ' ');
    }
    source += text;
    source += '\n';
    ++m_line;
    if (node.valid()) {
        lines.push_back({m_line, node});
    }
}

std::string CudaWriter::harmless(std::string text) {
    std::ranges::replace_if(
        text, [](char letter) { return letter == '\\' || (letter >= 0 && letter < ' '); }, ' ');
    return text;
}

void CudaWriter::comment(const std::string& text, ir::NodeId node) {
    if (!m_plain) {
        line("// " + text, node);
    }
}

void CudaWriter::open(const std::string& text) {
    line(text);
    ++m_indent;
}

void CudaWriter::close() {
    --m_indent;
    line("}");
}

bool CudaWriter::mentions(const std::string& word, std::size_t from) const {
    const auto isPart = [this](std::size_t at) {
        return at < source.size() &&
               (std::isalnum(static_cast<unsigned char>(source[at])) != 0 || source[at] == '_');
    };
    for (std::size_t at = source.find(word, from); at != std::string::npos; at = source.find(word, at + 1)) {
        if (!isPart(at - 1) && !isPart(at + word.size())) {
            return true;
        }
    }
    return false;
}

void CudaWriter::eraseLine(std::size_t begin, std::size_t end) {
    const auto number = static_cast<std::size_t>(
        std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1);
    source.erase(begin, end - begin);
    --m_line;
    for (KernelLine& each : lines) {
        each.line -= each.line > number ? 1 : 0;
    }
}

void CudaWriter::writeHead() {
    comment(m_name + ": " +
            (m_isRow ? decimal(m_kernel.rows) + " rows of " + decimal(m_kernel.columns) + " elements"
                     : decimal(m_kernel.rows) + " elements"));
    for (const ir::NodeId node : m_nodes) {
        comment("  " + nodeText(node), node);
    }
    const std::string bounds = "__launch_bounds__(" + decimal(m_shape.block) + ")";
    line("extern \"C\" __global__ void " + bounds + " " + m_name + "(");
    ++m_indent;
    for (std::size_t i = 0; i < m_kernel.parameters.size(); ++i) {
        const KernelParameter& parameter = m_kernel.parameters[i];
        std::string text = parameter.written ? "" : "const ";
        text += std::string(storageType(parameter.layout.dtype)) + "* __restrict__ " + parameter.name;
        text += i + 1 == m_kernel.parameters.size() ? ") {" : ",";
        if (!m_plain) {
            text += "  // " + harmless(m_graph.node(parameter.tensor.node).name) + " [" +
                    base::joined(parameter.layout.sizes) + "]";
            if (parameter.layout.strides != contiguousStrides(parameter.layout.sizes)) {
                text += " strides [" + base::joined(parameter.layout.strides) + "]";
            }
        }
        line(text, parameter.tensor.node);
    }
}

std::string CudaWriter::nodeText(ir::NodeId id) const {
    const ir::Node& node = m_graph.node(id);
    std::string text = node.name + " = " + node.target;
    if (node.origin && node.origin->source) {
        text += "  " + node.origin->source->file + ":" + decimal(node.origin->source->line);
    }
    return harmless(text);
}

FusedKernel writeKernel(const ir::Graph& graph, std::string name, std::vector<ir::NodeId> nodes,
                        LoweredKernel lowered) {
    FusedKernel kernel;
    kernel.kind = lowered.kind;
    CudaWriter readable(graph, name, nodes, lowered, false);
    readable.write();
    CudaWriter plain(graph, "fused", nodes, lowered, true);
    plain.write();
    kernel.source = std::move(readable.source);
    kernel.lines = std::move(readable.lines);
    kernel.launch = readable.launch();
    kernel.bodyKey = std::move(plain.source);
    kernel.name = std::move(name);
    kernel.rows = lowered.rows;
    kernel.columns = lowered.columns;
    kernel.parameters = std::move(lowered.parameters);
    kernel.nodes = std::move(nodes);
    return kernel;
}

} // namespace aotscope::kernels
