#include "kernels/kernel_writer.h"

#include "kernels/dtype_rules.h"
#include "kernels/row_shape.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace aotscope::kernels {

namespace {

/// What of a row fits into registers.
constexpr std::int64_t mostKept = 64;

std::string decimal(std::int64_t value) {
    return std::to_string(value);
}

std::string sizesText(const Sizes& sizes) {
    std::string text = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        text += (i == 0 ? "" : ", ") + decimal(sizes[i]);
    }
    return text + "]";
}

std::string_view neutral(std::string_view operation, ir::DType dtype) {
    const bool isFloat = isFloating(dtype);
    if (operation == "sum_of") {
        return "0";
    }
    if (operation == "product_of") {
        return "1";
    }
    const bool largest = operation == "largest_of";
    if (isFloat) {
        return largest ? "bits_float(0xff800000u)" : "bits_float(0x7f800000u)";
    }
    switch (dtype) {
    case ir::DType::Bool:
        return largest ? "false" : "true";
    case ir::DType::Int8:
        return largest ? "-128" : "127";
    case ir::DType::Int16:
        return largest ? "-32768" : "32767";
    case ir::DType::Int32:
        return largest ? "-2147483647 - 1" : "2147483647";
    case ir::DType::Int64:
        return largest ? "-9223372036854775807ll - 1" : "9223372036854775807ll";
    case ir::DType::UInt8:
        return largest ? "0" : "255";
    default:
        return largest ? "0" : "~0ull";
    }
}

class Writer {
public:
    /// `plain`: without comments and with names that do not depend on the graph's.
    Writer(const ir::Graph& graph, std::string name, const std::vector<ir::NodeId>& nodes,
           const LoweredKernel& kernel, bool plain)
        : m_graph(graph),
          m_name(std::move(name)),
          m_nodes(nodes),
          m_kernel(kernel),
          m_shape(workShape(kernel)),
          m_plain(plain) {}

    void write() {
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

    std::string source;
    std::vector<KernelLine> lines;
    [[nodiscard]] KernelLaunch launch() const {
        return {static_cast<std::uint32_t>(m_shape.grid), static_cast<std::uint32_t>(m_shape.block), 0};
    }

private:
    struct Loop {
        /// Values that it computes, and those it takes from registers.
        std::set<ValueId> computed;
        std::vector<std::size_t> stores;
        std::vector<ValueId> reduces;
    };

    // Names.

    void nameValues() {
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

    [[nodiscard]] bool needsWideIndex() const {
        constexpr std::int64_t narrow = std::int64_t{1} << 30;
        bool wide = m_kernel.rows * m_kernel.columns >= narrow;
        for (const KernelParameter& parameter : m_kernel.parameters) {
            wide = wide || parameter.reach() >= narrow;
        }
        return wide;
    }

    // Text.

    void line(const std::string& text, ir::NodeId node = {}) {
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
    /// A text from a file must not end its comment.
    [[nodiscard]] static std::string harmless(std::string text) {
        std::ranges::replace_if(
            text, [](char letter) { return letter == '\\' || (letter >= 0 && letter < ' '); }, ' ');
        return text;
    }
    void comment(const std::string& text, ir::NodeId node = {}) {
        if (!m_plain) {
            line("// " + text, node);
        }
    }
    void open(const std::string& text) {
        line(text);
        ++m_indent;
    }
    void close() {
        --m_indent;
        line("}");
    }

    /// Whether the text from a position on has the word.
    [[nodiscard]] bool mentions(const std::string& word, std::size_t from) const {
        const auto isPart = [this](std::size_t at) {
            return at < source.size() &&
                   (std::isalnum(static_cast<unsigned char>(source[at])) != 0 || source[at] == '_');
        };
        for (std::size_t at = source.find(word, from); at != std::string::npos;
             at = source.find(word, at + 1)) {
            if (!isPart(at - 1) && !isPart(at + word.size())) {
                return true;
            }
        }
        return false;
    }
    void eraseLine(std::size_t begin, std::size_t end) {
        const auto number = static_cast<std::size_t>(
            std::count(source.begin(), source.begin() + static_cast<std::ptrdiff_t>(begin), '\n') + 1);
        source.erase(begin, end - begin);
        --m_line;
        for (KernelLine& each : lines) {
            each.line -= each.line > number ? 1 : 0;
        }
    }

    void writeHead() {
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
                text += "  // " + harmless(m_graph.node(parameter.tensor.node).name) + " " +
                        sizesText(parameter.layout.sizes);
                if (parameter.layout.strides != contiguousStrides(parameter.layout.sizes)) {
                    text += " strides " + sizesText(parameter.layout.strides);
                }
            }
            line(text, parameter.tensor.node);
        }
    }

    [[nodiscard]] std::string nodeText(ir::NodeId id) const {
        const ir::Node& node = m_graph.node(id);
        std::string text = node.name + " = " + node.target;
        if (node.origin && node.origin->source) {
            text += "  " + node.origin->source->file + ":" + decimal(node.origin->source->line);
        }
        return harmless(text);
    }

    // Which loop computes what.

    [[nodiscard]] bool isElement(ValueId id) const {
        return m_kernel.values[id].level == ValueLevel::Element;
    }
    [[nodiscard]] bool storesElement(const KernelStore& store) const {
        if (!m_isRow) {
            return true;
        }
        const auto usesColumn = [&](const KernelVariable& variable) {
            return variable.ofColumn && (store.address.uses(variable.name) ||
                                         std::ranges::count(store.onlyWhereZero, variable.name) == 0);
        };
        return isElement(store.value) || std::ranges::any_of(m_kernel.variables, usesColumn);
    }

    void planLoops() {
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

    void fillLoops() {
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
    void addToLoop(ValueId id, Loop& loop, const std::set<ValueId>& earlier) {
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

    void markNeeded() {
        for (const KernelStore& store : m_kernel.stores) {
            need(store.value);
        }
        for (const KernelVariable& variable : m_kernel.variables) {
            const auto inIndex = [&](const IndexExpression& index) {
                return index.uses(variable.name) && !isFlat(m_kernel, index) && !isRowNumber(m_kernel, index);
            };
            bool used = false;
            for (const KernelStore& store : m_kernel.stores) {
                used = used || inIndex(store.address) ||
                       std::ranges::count(store.onlyWhereZero, variable.name) != 0;
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
    void need(ValueId id) {
        if (m_needed.insert(id).second) {
            for (const ValueId operand : m_kernel.values[id].operands) {
                need(operand);
            }
        }
    }

    // Values.

    [[nodiscard]] std::string reference(ValueId id, const Loop* loop) const {
        const KernelValue& value = m_kernel.values[id];
        if (value.kind == KernelValue::Kind::Literal) {
            return value.text;
        }
        if (loop != nullptr && isElement(id) && !loop->computed.contains(id)) {
            return m_names[id] + "_kept[" + keptIndex() + "]";
        }
        return m_names[id];
    }
    [[nodiscard]] std::string keptIndex() const {
        if (m_shape.lanes == 1) {
            return "item";
        }
        return m_shape.items == 1 ? "lane" : "item * " + decimal(m_shape.lanes) + " + lane";
    }

    /// What is added to a parameter.
    [[nodiscard]] std::string offset(const IndexExpression& address) const {
        if (address == IndexExpression(0)) {
            return "";
        }
        if (isFlat(m_kernel, address)) {
            return m_isRow ? " + row * " + decimal(m_kernel.columns) + " + column" : " + index";
        }
        return m_isRow && isRowNumber(m_kernel, address) ? " + row" : " + " + address.text();
    }

    [[nodiscard]] std::string expression(const KernelValue& value, const Loop* loop) const {
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

    void define(ValueId id, const Loop* loop) {
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

    void storeValue(const KernelStore& store, const Loop* loop) {
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
    [[nodiscard]] bool isVectorStore(const KernelStore& store) const {
        return store.onlyWhereZero.empty() && storesElement(store) &&
               isVector(m_kernel, store.parameter, store.address, m_shape.lanes);
    }

    // Variables.

    [[nodiscard]] std::string digit(const KernelVariable& variable, const std::string& whole) const {
        const std::int64_t count = variable.ofColumn && m_isRow ? m_kernel.columns : m_kernel.rows;
        std::string text = variable.stride == 1 ? whole : whole + " / " + decimal(variable.stride);
        if (variable.stride * variable.size != count) {
            text += " % " + decimal(variable.size);
        }
        return text;
    }
    void defineVariables(bool ofColumn, const std::string& whole, bool withInner, bool onlyInner) {
        const KernelVariable* inner = innermost(m_kernel);
        for (const KernelVariable& variable : m_kernel.variables) {
            const bool isInner = ofColumn && &variable == inner;
            if (variable.ofColumn == ofColumn && variable.name != whole &&
                m_usedVariables.contains(variable.name) && (isInner ? withInner : !onlyInner)) {
                line("const " + m_index + " " + variable.name + " = " + digit(variable, whole) + ";");
            }
        }
    }

    // Bodies.

    [[nodiscard]] std::string wholeName() const { return m_isRow ? "column" : "index"; }
    /// Whether a group of lanes stays within the innermost dimension.
    [[nodiscard]] bool lanesShareOthers() const {
        const KernelVariable* inner = innermost(m_kernel);
        return inner != nullptr && inner->size % m_shape.lanes == 0;
    }

    /// The elements from `NAME_first` on.
    void writeElements(const Loop& loop) {
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
                line("load_lanes<" + decimal(lanes) + ">(" + m_kernel.parameters[value.parameter].name +
                         " + " + firstAddress(value.address) + ", " + isWhole + ", " + lanesText + ", " +
                         name + ");",
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
                line("store_lanes<" + decimal(lanes) + ">(" + name + " + " + firstAddress(store.address) +
                         ", " + isWhole + ", " + lanesText + ", " + name + "_lanes);",
                     store.node);
            }
        }
        m_vectorLoads.clear();
    }

    /// Variables that all lanes share, and the innermost one's first value.
    void writeSharedVariables(const std::string& whole) {
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

    /// The address of the first lane.
    [[nodiscard]] std::string firstAddress(const IndexExpression& address) const {
        if (isFlat(m_kernel, address)) {
            return m_isRow ? "row * " + decimal(m_kernel.columns) + " + column_first" : "index_first";
        }
        const KernelVariable& inner = *innermost(m_kernel);
        const IndexExpression rest = address.without(inner.name);
        const std::string first = inner.name + "_first";
        return rest == IndexExpression(0) ? first : rest.text() + " + " + first;
    }

    void writeBody(const Loop& loop) {
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

    void writeAlignment() {
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
            const auto bytes =
                static_cast<std::int64_t>(ir::dtypeBytes(parameter.layout.dtype)) * m_shape.lanes;
            text +=
                (text.empty() ? "" : " && ") + ("is_aligned(" + parameter.name) + ", " + decimal(bytes) + ")";
        }
        line("const bool aligned = " + (text.empty() ? "false" : text) + ";");
    }

    void writeConstants() {
        for (const ValueId id : m_needed) {
            if (m_kernel.values[id].level == ValueLevel::Constant) {
                define(id, nullptr);
            }
        }
    }

    void writePointwise() {
        writeConstants();
        writeAlignment();
        const std::int64_t lanes = m_shape.lanes;
        const std::string first = lanes == 1 ? "index" : "chunk";
        open("for (" + m_index + " " + first + " = blockIdx.x * " + (m_index == "int" ? "" : "(int64)") +
             "blockDim.x + threadIdx.x; " + first + " < " + decimal((m_kernel.rows + lanes - 1) / lanes) +
             "; " + first + " += gridDim.x * blockDim.x) {");
        if (lanes > 1) {
            line("const " + m_index + " index_first = chunk * " + decimal(lanes) + ";");
        }
        writeElements(m_loops.front());
        close();
    }

    void writeRows() {
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
            open("for (" + m_index + " rows = blockIdx.x; rows < " + decimal(groups) +
                 "; rows += gridDim.x) {");
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

    void writeStage(std::size_t stage) {
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

    void writeRowStores(std::size_t stage) {
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

    void writeColumns(const Loop& loop) {
        const std::int64_t lanes = m_shape.lanes;
        const std::string first = lanes == 1 ? "column" : "column_first";
        const std::string scale = lanes == 1 ? "" : " * " + decimal(lanes);
        const bool exact = m_shape.items * m_shape.threads * lanes == m_kernel.columns;
        const std::string columns = decimal(m_kernel.columns);
        if (!m_keeps) {
            open("for (" + m_index + " " + first + " = thread" + scale + "; " + first + " < " + columns +
                 "; " + first + " += " + decimal(m_shape.threads * lanes) + ") {");
            writeElements(loop);
            close();
            return;
        }
        line("#pragma unroll");
        open("for (int item = 0; item < " + decimal(m_shape.items) + "; ++item) {");
        line("const " + m_index + " " + first + " = (item * " + decimal(m_shape.threads) + " + thread)" +
             scale + ";");
        if (!exact) {
            open("if (" + first + " < " + columns + ") {");
        }
        writeElements(loop);
        if (!exact) {
            close();
        }
        close();
    }

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

} // namespace

FusedKernel writeKernel(const ir::Graph& graph, std::string name, std::vector<ir::NodeId> nodes,
                        LoweredKernel lowered) {
    FusedKernel kernel;
    kernel.kind = lowered.kind;
    Writer readable(graph, name, nodes, lowered, false);
    readable.write();
    Writer plain(graph, "fused", nodes, lowered, true);
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
