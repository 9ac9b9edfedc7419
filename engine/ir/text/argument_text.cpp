#include "ir/text/argument_text.h"

#include "ir/cursor.h"
#include "ir/notes.h"
#include "ir/python_literal.h"
#include "ir/python_operators.h"
#include "ir/text/printer.h"

#include "base/overloaded.h"
#include "base/text_search.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace aotscope::ir {
namespace {

void appendInteger(std::string& out, std::int64_t value) {
    std::array<char, 24> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
    if (error == std::errc()) {
        out.append(buffer.data(), end);
    }
}

template<std::size_t size>
const PythonOperator* findOperator(const std::array<PythonOperator, size>& operators,
                                   std::string_view function) {
    const auto* found = std::ranges::find_if(
        operators, [function](const PythonOperator& candidate) { return candidate.function == function; });
    return found == operators.end() ? nullptr : found;
}

/// The function's name when the target is of Python's operator module.
std::string_view operatorFunction(const Node& node) {
    constexpr std::string_view module = "_operator.";
    const std::string_view target = node.target;
    return node.op == Opcode::CallFunction && target.starts_with(module) ? target.substr(module.size())
                                                                         : std::string_view();
}

std::string spaced(std::string_view sign) {
    return " " + std::string(sign) + " ";
}

} // namespace

void ArgumentPrinter::printName(NodeId id) {
    if (m_percent) {
        m_out += '%';
    }
    if (id.index() < m_graph.idBound()) {
        m_out += m_names != nullptr ? (*m_names)[id.index()] : std::string_view(m_graph.node(id).name);
    }
}

void ArgumentPrinter::print(const Argument& argument) {
    const auto put = [this](std::string_view before, std::string_view text) {
        m_out.append(before).append(text);
    };
    std::visit(base::Overloaded{
                   [&](NodeId node) { printName(node); },
                   [&](std::int64_t integer) { appendInteger(m_out, integer); },
                   [&](const ListArgument& list) { printItems("[", list.items, "]"); },
                   [&](const TupleArgument& tuple) {
                       printItems("(", tuple.items, tuple.items.size() == 1 ? ",)" : ")");
                   },
                   [&](NoneArgument) { m_out += "None"; },
                   [&](bool truth) { m_out += truth ? "True" : "False"; },
                   [&](double real) { m_out += pythonFloat(real); },
                   [&](const std::complex<double>& complex) { printComplex(complex); },
                   [&](const std::string& text) { m_out += m_percent ? text : pythonString(text); },
                   [&](DType dtype) { put("torch.", dtypeName(dtype)); },
                   [&](EllipsisArgument) { m_out += "Ellipsis"; },
                   [&](const SymbolArgument& symbol) { m_out += symbol.expression.text(); },
                   [&](const DeviceArgument& device) { printDevice(device.device); },
                   [&](const LayoutArgument& layout) { put("torch.", layout.name); },
                   [&](const MemoryFormatArgument& format) { put("torch.", format.name); },
                   [&](const OperatorArgument& target) { put("torch.ops.", target.target); },
                   [&](const OpaqueArgument& opaque) { m_out += opaque.text; },
                   [&](const std::shared_ptr<const SliceArgument>& slice) { printSlice(*slice); },
                   [&](const std::shared_ptr<const DictArgument>& dict) { printDict(*dict); },
               },
               argument.value);
}

void ArgumentPrinter::printComplex(const std::complex<double>& value) {
    // As literals, these would lose the sign of a zero, or not be numbers.
    const bool isCall = value.real() == 0 || value.imag() == 0 || !std::isfinite(value.real()) ||
                        !std::isfinite(value.imag());
    if (!isCall || !m_graph.style().notes.contains(notes::complexCalls)) {
        m_out += pythonComplex(value);
        return;
    }
    m_out.append("complex(").append(pythonFloat(value.real())).append(", ");
    m_out.append(pythonFloat(value.imag())).append(")");
}

void ArgumentPrinter::printItems(std::string_view open, const Arguments& items, std::string_view close) {
    m_out += open;
    bool first = true;
    for (const Argument& item : items) {
        m_out += std::exchange(first, false) ? "" : ", ";
        print(item);
    }
    m_out += close;
}

void ArgumentPrinter::printDict(const DictArgument& dict) {
    m_out += '{';
    bool first = true;
    for (const auto& [key, value] : dict.items) {
        m_out += std::exchange(first, false) ? "" : ", ";
        print(key);
        m_out += ": ";
        print(value);
    }
    m_out += '}';
}

/// Python writes a slice itself, in either form.
void ArgumentPrinter::printSlice(const SliceArgument& slice) {
    const bool percent = std::exchange(m_percent, false);
    printItems("slice(", {slice.start, slice.stop, slice.step}, ")");
    m_percent = percent;
}

void ArgumentPrinter::printDevice(const Device& device) {
    if (m_percent) {
        m_out += device.text();
        return;
    }
    m_out.append("device(type='").append(device.type).append("'");
    if (device.index >= 0) {
        m_out += ", index=";
        appendInteger(m_out, device.index);
    }
    m_out += ')';
}

void ArgumentPrinter::printCallArguments(const Node& node, std::size_t firstArgument) {
    bool first = true;
    for (std::size_t i = firstArgument; i < node.args.size(); ++i) {
        m_out += std::exchange(first, false) ? "" : ", ";
        print(node.args[i]);
    }
    for (const KeywordArgument& keyword : node.kwargs) {
        m_out += std::exchange(first, false) ? "" : ", ";
        m_out.append(keyword.name).append(" = ");
        print(keyword.value);
    }
}

/// As FX's _format_target: what is no identifier goes through getattr.
void ArgumentPrinter::printPath(std::string_view base, std::string_view target) {
    std::string path(base);
    while (!target.empty()) {
        const std::string_view element = base::takePart(target, '.');
        if (isIdentifier(element)) {
            path.append(".").append(element);
        } else {
            path.insert(0, "getattr(").append(", \"").append(element).append("\")");
        }
    }
    m_out += path;
}

/// The dots of Python's own modules become underscores in FX's global names; PyTorch's stay.
void ArgumentPrinter::printTarget(std::string_view target) {
    const bool python =
        target.starts_with("_operator.") || target.starts_with("math.") || target.starts_with("builtins.");
    if (python) {
        const std::size_t first = m_out.size();
        m_out += target;
        std::replace(m_out.begin() + static_cast<std::ptrdiff_t>(first), m_out.end(), '.', '_');
        return;
    }
    if (target.find('.') != std::string_view::npos && !target.starts_with("torch.")) {
        m_out += "torch.ops.";
    }
    m_out += target;
}

void ArgumentPrinter::printOperands(const Node& node, std::initializer_list<std::string> after) {
    auto argument = node.args.begin();
    for (const std::string& text : after) {
        print(*argument++);
        m_out += text;
    }
}

bool ArgumentPrinter::printInPlace(const Node& node) {
    const std::string_view function = operatorFunction(node);
    if (function == "setitem" && node.args.size() == 3) {
        printOperands(node, {"[", "] = ", ";  "});
        return true;
    }
    const PythonOperator* known = findOperator(inPlaceOperators, function);
    if (known == nullptr || node.args.size() != 2) {
        return false;
    }
    printOperands(node, {spaced(known->sign), ";  "});
    return true;
}

bool ArgumentPrinter::printOperator(const Node& node) {
    const std::string_view function = operatorFunction(node);
    if (function.empty() || !node.kwargs.empty()) {
        return false;
    }
    if (function == "getitem" && node.args.size() == 2) {
        printOperands(node, {"[", "]"});
        return true;
    }
    if (const PythonOperator* infix = findOperator(infixOperators, function);
        infix != nullptr && node.args.size() == 2) {
        printOperands(node, {spaced(infix->sign), ""});
        return true;
    }
    if (const PythonOperator* prefix = findOperator(prefixOperators, function);
        prefix != nullptr && node.args.size() == 1) {
        m_out += prefix->sign;
        print(node.args[0]);
        return true;
    }
    const bool inPlace = (function == "setitem" && node.args.size() == 3) ||
                         (findOperator(inPlaceOperators, function) != nullptr && node.args.size() == 2);
    if (inPlace) {
        print(node.args[0]);
    }
    return inPlace;
}

void ArgumentPrinter::printCall(const Node& node) {
    std::size_t firstArgument = 0;
    if (node.op == Opcode::GetAttr || node.op == Opcode::CallModule) {
        printPath("self", node.target);
        if (node.op == Opcode::GetAttr) {
            return;
        }
    } else if (node.op == Opcode::CallMethod) {
        std::string self;
        if (!node.args.empty()) {
            ArgumentPrinter(m_graph, self, m_names, m_percent).print(node.args[0]);
        }
        printPath(self, node.target);
        firstArgument = 1;
    } else {
        if (printOperator(node)) {
            return;
        }
        const bool isAttribute = node.target == "getattr" && node.args.size() == 2 && node.kwargs.empty();
        const auto* attribute = isAttribute ? node.args[1].as<std::string>() : nullptr;
        if (attribute != nullptr && isIdentifier(*attribute)) {
            print(node.args[0]);
            m_out.append(".").append(*attribute);
            return;
        }
        printTarget(node.target);
    }
    m_out += '(';
    printCallArguments(node, firstArgument);
    m_out += ')';
}

std::string argumentText(const Graph& graph, const Argument& argument) {
    std::string text;
    ArgumentPrinter(graph, text).print(argument);
    return text;
}

std::string callText(const Graph& graph, NodeId id) {
    const Node& node = graph.node(id);
    std::string text;
    ArgumentPrinter printer(graph, text);
    if (node.op == Opcode::Placeholder) {
        return node.target;
    }
    if (node.op == Opcode::Output) {
        text = "return ";
        printer.printItems(node.args);
        return text;
    }
    if (printer.printInPlace(node)) {
        text.resize(text.size() - std::string_view(";  ").size());
        return text;
    }
    printer.printCall(node);
    return text;
}

} // namespace aotscope::ir
