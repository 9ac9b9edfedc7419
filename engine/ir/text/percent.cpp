#include "ir/text/percent.h"

#include "ir/graph_builder.h"
#include "ir/notes.h"
#include "ir/text/annotation.h"
#include "ir/text/arguments.h"

namespace aotscope::ir {
namespace {

class PercentReader {
public:
    PercentReader(TextCursor& cursor, SymbolCache& symbols, base::Progress& progress)
        : m_cursor(cursor),
          m_symbols(symbols),
          m_progress(progress),
          m_arguments(cursor, m_names, symbols, ArgumentForm::Percent),
          m_returned(cursor, m_names, symbols) {}

    GraphBuilder read() {
        m_graph.editStyle().notes.emplace(notes::form, notes::percentForm);
        m_cursor.expect("graph(", "at the start");
        const std::string_view parameters = m_cursor.restOfLine();
        if (!parameters.ends_with(':') || parameters.find(')') == std::string_view::npos) {
            m_cursor.fail("expected '):' at the end of the line");
        }
        if (parameters != "):") {
            m_graph.editStyle().notes.emplace(notes::returnType, parameters);
        }
        for (;;) {
            m_cursor.skipBlanks();
            if (m_cursor.take("return ")) {
                output();
            } else if (m_cursor.peek() == '%') {
                line();
            } else if (m_cursor.atEnd()) {
                return std::move(m_graph);
            } else {
                m_cursor.fail("expected '%' or 'return'");
            }
            if (m_progress.stopRequested()) {
                throw ParseFailure{base::canceledError()};
            }
        }
    }

private:
    void line() {
        m_cursor.advance();
        Node node;
        const std::string_view name = m_cursor.identifier();
        if (name.empty()) {
            m_cursor.fail("expected a name after '%'");
        }
        node.name = std::string(name);
        m_cursor.expect(" : ", "after the name");
        type(node);
        const std::size_t first = m_cursor.position();
        const std::string_view op = m_cursor.identifier();
        const std::optional<Opcode> opcode = base::fromWord<ir::Opcode>(op);
        if (!opcode) {
            m_cursor.failAt(first, "'" + std::string(op) + "' is not a kind of node");
        }
        node.op = *opcode;
        m_cursor.expect("[target=", "after the node's kind");
        target(node);
        if (node.op == Opcode::Placeholder) {
            standard(node);
        } else if (node.op != Opcode::GetAttr) {
            arguments(node);
        }
        m_cursor.skipSpaces();
        if (!m_cursor.atLineEnd()) {
            m_cursor.fail("unexpected text after the node");
        }
        m_names.insert(name, m_graph.append(std::move(node)));
    }

    /// `Tensor "f32[8][1]cpu"[num_users=1] = ` or a type's name.
    void type(Node& node) {
        const std::string_view rest = m_cursor.rest();
        const std::size_t users = rest.substr(0, rest.find('\n')).find("[num_users=");
        if (users == std::string_view::npos) {
            m_cursor.fail("expected '[num_users=…] = '");
        }
        std::string_view text = rest.substr(0, users);
        while (text.ends_with(' ')) {
            text.remove_suffix(1);
        }
        m_cursor.advance(users);
        m_cursor.advance(std::string_view("[num_users=").size());
        while (isDigit(m_cursor.peek())) {
            m_cursor.advance();
        }
        m_cursor.expect("] = ", "after the number of users");
        constexpr std::string_view tensorPrefix = "Tensor \"";
        if (text.starts_with(tensorPrefix) && text.ends_with('"') && text.size() > tensorPrefix.size()) {
            const std::string_view quoted =
                text.substr(tensorPrefix.size(), text.size() - tensorPrefix.size() - 1);
            if (parseAnnotation(quoted, m_symbols, node.value)) {
                return;
            }
        }
        if (!text.empty()) {
            node.extra.emplace_back(notes::typeKey, jsonString(text));
        }
    }

    void target(Node& node) {
        const std::string_view rest = m_cursor.rest();
        const std::size_t length = rest.find_first_of("]\n");
        if (length == std::string_view::npos || rest[length] != ']') {
            m_cursor.fail("expected ']' after the target");
        }
        std::string_view text = rest.substr(0, length);
        m_cursor.advance(length + 1);
        if (node.op == Opcode::CallFunction) {
            constexpr std::string_view operators = "torch.ops.";
            constexpr std::string_view python = "operator.";
            if (text.starts_with(operators)) {
                text.remove_prefix(operators.size());
            } else if (text.starts_with(python)) {
                node.target = "_operator.";
                text.remove_prefix(python.size());
            } else if (text == "builtins.getattr") {
                text = "getattr";
            }
        }
        node.target += text;
    }

    void standard(Node& node) {
        if (m_cursor.take("(default=")) {
            node.args.push_back(m_arguments.argument());
            m_cursor.expect(")", "after the default");
        }
    }

    void arguments(Node& node) {
        m_cursor.expect("(args = ", "after the target");
        Argument args = m_arguments.argument();
        auto* tuple = std::get_if<TupleArgument>(&args.value);
        if (tuple == nullptr) {
            m_cursor.fail("expected a tuple of arguments");
        }
        node.args = std::move(tuple->items);
        m_cursor.expect(", kwargs = ", "after the arguments");
        const Argument kwargs = m_arguments.argument();
        const auto* dict = kwargs.as<std::shared_ptr<const DictArgument>>();
        if (dict == nullptr) {
            m_cursor.fail("expected a dictionary of keyword arguments");
        }
        for (const auto& [key, value] : (*dict)->items) {
            keyword(node, key, value);
        }
        m_cursor.expect(")", "after the keyword arguments");
    }

    void keyword(Node& node, const Argument& key, const Argument& value) {
        const auto* name = key.as<std::string>();
        if (name == nullptr) {
            m_cursor.fail("a keyword argument without a name");
        }
        // This form has no quotes and no `device(…)`: only the keyword tells a device from a string.
        const auto* text = value.as<std::string>();
        const std::optional<Device> device =
            text != nullptr && *name == "device" ? Device::parse(*text) : std::nullopt;
        node.kwargs.push_back({*name, device ? Argument(DeviceArgument{*device}) : value});
    }

    /// The returned value is a plain repr, in which nodes have no percent sign.
    void output() {
        Node node;
        node.op = Opcode::Output;
        node.name = unusedOutputName(m_names);
        node.target = "output";
        node.args.push_back(m_returned.argument());
        m_graph.append(std::move(node));
    }

    TextCursor& m_cursor;
    SymbolCache& m_symbols;
    base::Progress& m_progress;
    NameTable m_names;
    ArgumentReader m_arguments;
    ArgumentReader m_returned;
    GraphBuilder m_graph;
};

} // namespace

GraphBuilder readPercentForm(TextCursor& cursor, SymbolCache& symbols, base::Progress& progress) {
    return PercentReader(cursor, symbols, progress).read();
}

} // namespace aotscope::ir
