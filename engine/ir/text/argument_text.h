#pragma once

#include "ir/graph.h"

#include <initializer_list>
#include <string>

/// Printing of arguments and calls, appending to a text; for the printers.
namespace aotscope::ir {

/// What a node is called in the printed text, by node id index; its own name unless the printer renames.
using NodeNames = std::vector<std::string_view>;

class ArgumentPrinter {
public:
    ArgumentPrinter(const Graph& graph, std::string& out, const NodeNames* names = nullptr,
                    bool percent = false)
        : m_graph(graph), m_out(out), m_names(names), m_percent(percent) {}

    void print(const Argument& argument);
    void printItems(const Arguments& items) { printItems({}, items, {}); }
    /// `a, b, key = c`
    void printCallArguments(const Node& node, std::size_t firstArgument = 0);
    void printName(NodeId id);
    /// The right-hand side of a node that is no placeholder and no output.
    void printCall(const Node& node);
    /// `x += y;  ` or `x[i] = y;  `: the part before a node's own name, when it is an assignment in place.
    [[nodiscard]] bool printInPlace(const Node& node);
    /// `self.a`, `getattr(self, "0")`
    void printPath(std::string_view base, std::string_view target);

private:
    void printItems(std::string_view open, const Arguments& items, std::string_view close);
    /// The first arguments, each with what comes behind it.
    void printOperands(const Node& node, std::initializer_list<std::string> after);
    void printComplex(const std::complex<double>& value);
    void printDict(const DictArgument& dict);
    void printSlice(const SliceArgument& slice);
    void printDevice(const Device& device);
    [[nodiscard]] bool printOperator(const Node& node);
    void printTarget(std::string_view target);

    const Graph& m_graph;
    std::string& m_out;
    const NodeNames* m_names;
    /// As `graph():` prints: `%x`, strings without quotes.
    bool m_percent;
};

} // namespace aotscope::ir
