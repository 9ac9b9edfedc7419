#include "ir/text/argument_text.h"

#include "ir/cursor.h"
#include "ir/notes.h"
#include "ir/python_literal.h"
#include "ir/python_operators.h"
#include "ir/text/printer.h"

#include "base/text_search.h"

#include <algorithm>
#include <charconv>
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
    const auto* found =
        std::find_if(operators.begin(), operators.end(),
                     [function](const PythonOperator& candidate) { return candidate.function == function; });
    return found == operators.end() ? nullptr : found;
}

/// The function's name when the target is of Python's operator module.
std::string_view operatorFunction(const Node& node) {
    constexpr std::string_view module = "_operator.";
    const std::string_view target = node.target;
    return node.op == Opcode::CallFunction && target.starts_with(module) ? target.substr(module.size())
                                                                         : std::string_view();
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
    if (const NodeId* node = argument.as<NodeId>()) {
        printName(*node);
    } else if (const auto* integer = argument.as<std::int64_t>()) {
        appendInteger(m_out, *integer);
    } else if (const auto* list = argument.as<ListArgument>()) {
        m_out += '[';
        printItems(list->items);
        m_out += ']';
    } else if (const auto* tuple = argument.as<TupleArgument>()) {
        m_out += '(';
        printItems(tuple->items);
        m_out += tuple->items.size() == 1 ? ",)" : ")";
    } else if (argument.as<NoneArgument>() != nullptr) {
        m_out += "None";
    } else if (const bool* truth = argument.as<bool>()) {
        m_out += *truth ? "True" : "False";
    } else if (const double* real = argument.as<double>()) {
        m_out += pythonFloat(*real);
    } else if (const auto* complex = argument.as<std::complex<double>>()) {
        printComplex(*complex);
    } else if (const auto* string = argument.as<std::string>()) {
        m_out += m_percent ? *string : pythonString(*string);
    } else if (const auto* dtype = argument.as<DType>()) {
        m_out.append("torch.").append(dtypeName(*dtype));
    } else if (argument.as<EllipsisArgument>() != nullptr) {
        m_out += "Ellipsis";
    } else if (const auto* symbol = argument.as<SymbolArgument>()) {
        m_out += symbol->expression.text();
    } else if (const auto* device = argument.as<DeviceArgument>()) {
        printDevice(device->device);
    } else if (const auto* layout = argument.as<LayoutArgument>()) {
        m_out.append("torch.").append(layout->name);
    } else if (const auto* format = argument.as<MemoryFormatArgument>()) {
        m_out.append("torch.").append(format->name);
    } else if (const auto* target = argument.as<OperatorArgument>()) {
        m_out.append("torch.ops.").append(target->target);
    } else if (const auto* opaque = argument.as<OpaqueArgument>()) {
        m_out += opaque->text;
    } else if (const auto* slice = argument.as<std::shared_ptr<const SliceArgument>>()) {
        printSlice(**slice);
    } else if (const auto* dict = argument.as<std::shared_ptr<const DictArgument>>()) {
        printDict(**dict);
    }
}

void ArgumentPrinter::printComplex(const std::complex<double>& value) {
    if (!m_graph.style().notes.contains(notes::complexCalls)) {
        m_out += pythonComplex(value);
        return;
    }
    m_out.append("complex(").append(pythonFloat(value.real())).append(", ");
    m_out.append(pythonFloat(value.imag())).append(")");
}

void ArgumentPrinter::printItems(const Arguments& items) {
    bool first = true;
    for (const Argument& item : items) {
        m_out += std::exchange(first, false) ? "" : ", ";
        print(item);
    }
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
    m_out += "slice(";
    print(slice.start);
    m_out += ", ";
    print(slice.stop);
    m_out += ", ";
    print(slice.step);
    m_out += ')';
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

void ArgumentPrinter::printCallArguments(const Arguments& args, std::size_t firstArgument,
                                         const std::vector<KeywordArgument>& kwargs) {
    bool first = true;
    for (std::size_t i = firstArgument; i < args.size(); ++i) {
        m_out += std::exchange(first, false) ? "" : ", ";
        print(args[i]);
    }
    for (const KeywordArgument& keyword : kwargs) {
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

bool ArgumentPrinter::printInPlace(const Node& node) {
    const std::string_view function = operatorFunction(node);
    if (function == "setitem" && node.args.size() == 3) {
        print(node.args[0]);
        m_out += '[';
        print(node.args[1]);
        m_out += "] = ";
        print(node.args[2]);
        m_out += ";  ";
        return true;
    }
    const PythonOperator* known = findOperator(inPlaceOperators, function);
    if (known == nullptr || node.args.size() != 2) {
        return false;
    }
    print(node.args[0]);
    m_out.append(" ").append(known->sign).append(" ");
    print(node.args[1]);
    m_out += ";  ";
    return true;
}

bool ArgumentPrinter::printOperator(const Node& node) {
    const std::string_view function = operatorFunction(node);
    if (function.empty() || !node.kwargs.empty()) {
        return false;
    }
    if (function == "getitem" && node.args.size() == 2) {
        print(node.args[0]);
        m_out += '[';
        print(node.args[1]);
        m_out += ']';
        return true;
    }
    if (const PythonOperator* infix = findOperator(infixOperators, function);
        infix != nullptr && node.args.size() == 2) {
        print(node.args[0]);
        m_out.append(" ").append(infix->sign).append(" ");
        print(node.args[1]);
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
    switch (node.op) {
    case Opcode::GetAttr:
        printPath("self", node.target);
        return;
    case Opcode::CallModule:
        printPath("self", node.target);
        m_out += '(';
        printCallArguments(node.args, 0, node.kwargs);
        m_out += ')';
        return;
    case Opcode::CallMethod: {
        std::string self;
        if (!node.args.empty()) {
            ArgumentPrinter(m_graph, self, m_names, m_percent).print(node.args[0]);
        }
        printPath(self, node.target);
        m_out += '(';
        printCallArguments(node.args, 1, node.kwargs);
        m_out += ')';
        return;
    }
    default:
        break;
    }
    if (printOperator(node)) {
        return;
    }
    if (node.target == "getattr" && node.args.size() == 2 && node.kwargs.empty()) {
        const auto* attribute = node.args[1].as<std::string>();
        if (attribute != nullptr && isIdentifier(*attribute)) {
            print(node.args[0]);
            m_out.append(".").append(*attribute);
            return;
        }
    }
    printTarget(node.target);
    m_out += '(';
    printCallArguments(node.args, 0, node.kwargs);
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
