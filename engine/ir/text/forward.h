#pragma once

#include "ir/graph_builder.h"
#include "ir/text/arguments.h"

#include "base/progress.h"

#include <map>
#include <optional>
#include <string_view>

namespace aotscope::ir {

/// Reads one `def forward(…):` with its body into a graph.
class ForwardReader {
public:
    ForwardReader(TextCursor& cursor, SymbolCache& symbols, base::Progress& progress)
        : m_cursor(cursor), m_symbols(symbols), m_progress(progress), m_arguments(cursor, m_names, symbols) {}

    /// From `def` to the first line that does not belong to the body, which starts at `bodyColumn` (0-based):
    /// one indented less by a level.
    [[nodiscard]] GraphBuilder read(std::size_t bodyColumn);

private:
    struct Parameter {
        std::string_view name;
        ValueMeta value;
        std::string_view descriptor;
        std::optional<Argument> standard;
        std::vector<std::pair<std::string, std::string>> extra;
    };

    void signature();
    void parameter();
    void annotation(ValueMeta& value, std::vector<std::pair<std::string, std::string>>& extra);
    void unquotedAnnotation(ValueMeta& value, std::vector<std::pair<std::string, std::string>>& extra);
    void comment(std::string_view text, bool indented);

    void statement();
    /// Unless they are there.
    void addPlaceholders();
    void addPlaceholder(Parameter parameter);
    void renamePlaceholder(NodeId id, std::string_view name, std::string_view parameter);
    void flattenSpec(std::size_t statementStart);
    void boxedParameters();
    void output();
    void returnedItems(Node& node, char close);
    void learnFromDeletions(Node& output);
    void addHiddenOutputs(Node& output, const std::vector<NodeId>& hidden);

    void assignment(Node&& node, std::string_view name);
    void inPlace(std::size_t statementStart);
    void rightHandSide(Node& node);
    [[nodiscard]] bool pathForm(Node& node);
    [[nodiscard]] bool path(std::string& target, NodeId& base, int depth);
    [[nodiscard]] bool isConstantOperand(std::size_t first);
    [[nodiscard]] bool functionCall(Node& node);
    void operatorForm(Node& node);
    void endOfStatement();
    NodeId append(Node&& node, std::string_view name);
    void expectMoreNodes();

    TextCursor& m_cursor;
    SymbolCache& m_symbols;
    base::Progress& m_progress;
    NameTable m_names;
    ArgumentReader m_arguments;

    GraphBuilder m_graph;
    /// The number of nodes that room is reserved for.
    std::size_t m_expected = 0;
    std::size_t m_bodyStart = 0;
    std::vector<Parameter> m_parameters;
    bool m_placeholdersAdded = false;
    bool m_returned = false;
    /// `name: "…"` lines before the fx_pytree line.
    std::map<std::string_view, Parameter> m_declared;
    std::shared_ptr<const NodeOrigin> m_origin;
    std::string_view m_originText;
    /// Values set to None, and the names of those that are by the statement which makes them.
    std::vector<NodeId> m_deleted;
    std::vector<std::string_view> m_deletedAtOnce;
};

} // namespace aotscope::ir
