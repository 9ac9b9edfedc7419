#include "ir/text/repro_script.h"

#include "ir/graph_builder.h"
#include "ir/text/parser.h"
#include "ir/text/repro_values.h"

#include "base/numbers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotscope::ir {
namespace {

constexpr std::string_view reproClassLine = "class Repro(torch.nn.Module):";
constexpr std::string_view loadArgsLine = "def load_args(reader):";

struct ScriptBlock {
    std::string_view text;
    std::size_t firstLine = 0; // 0-based, of the script
};

std::size_t beginningOfLine(std::string_view text, std::string_view line) {
    for (std::size_t at = text.find(line); at != std::string_view::npos; at = text.find(line, at + 1)) {
        if (at == 0 || text[at - 1] == '\n') {
            return at;
        }
    }
    return std::string_view::npos;
}

/// From `begin` to the first line behind it that is not indented.
ScriptBlock scriptBlockAt(std::string_view text, std::size_t begin) {
    std::size_t end = text.find('\n', begin);
    while (end != std::string_view::npos && end + 1 < text.size() &&
           (text[end + 1] == '\n' || text[end + 1] == ' ' || text[end + 1] == '\r')) {
        end = text.find('\n', end + 1);
    }
    const std::string_view before = text.substr(0, begin);
    return {text.substr(begin, end == std::string_view::npos ? end : end + 1 - begin),
            static_cast<std::size_t>(std::ranges::count(before, '\n'))};
}

base::Error noGraph(std::string what) {
    return {.code = "ir.repro_script",
            .message = "The script cannot be read: " + std::move(what) + ".",
            .notes = {"A script of PyTorch's has a class Repro with a function forward."}};
}

/// `s77 = 8` lines at the head.
SymbolBindings headerSymbols(std::string_view text) {
    SymbolBindings symbols;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        const std::size_t equals = line.find(" = ");
        if (equals == std::string_view::npos) {
            if (!line.empty()) {
                break;
            }
        } else {
            const auto value = base::wholeNumber<std::int64_t>(line.substr(equals + 3));
            if (!value) {
                break;
            }
            symbols.emplace(line.substr(0, equals), *value);
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return symbols;
}

/// The class with its function alone, which the parser of graphs reads.
base::Result<GraphPtr> functionGraph(const ScriptBlock& block, base::Progress& progress) {
    constexpr std::string_view function = "    def forward(";
    const std::size_t begin = beginningOfLine(block.text, function);
    if (begin == std::string_view::npos) {
        return noGraph("its class Repro has no function forward");
    }
    auto parsed =
        parseGraphText(std::string(reproClassLine) + '\n' + std::string(block.text.substr(begin)), progress);
    if (parsed.ok()) {
        return parsed;
    }
    base::Error error = std::move(parsed).error();
    if (error.place.line > 1) {
        const std::string_view before = block.text.substr(0, begin);
        error.place.line += block.firstLine - 1 + static_cast<std::size_t>(std::ranges::count(before, '\n'));
    }
    return error;
}

/// The sizes as numbers, where the script's symbols tell them.
ValueMeta withNumbers(ValueMeta value, const SymbolBindings& symbols) {
    if (auto* tensor = std::get_if<TensorMeta>(&value)) {
        forEachNumber(*tensor, [&symbols](SymInt& size) {
            if (const std::optional<std::int64_t> number = size.value(symbols)) {
                size = SymInt(*number);
            }
        });
    }
    return value;
}

/// By the names that the comments of load_args tell, else by the order.
void giveInputs(GraphBuilder& graph, const std::vector<ReproInput>& inputs, const SymbolBindings& symbols) {
    const std::vector<NodeId> placeholders = graph.placeholders();
    std::map<std::string_view, NodeId> byName;
    for (const NodeId id : placeholders) {
        byName.emplace(graph.node(id).target, id);
    }
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const auto named = byName.find(inputs[i].name);
        const NodeId id = named != byName.end()     ? named->second
                          : i < placeholders.size() ? placeholders[i]
                                                    : NodeId();
        if (id.valid()) {
            graph.editMeta(id).value = withNumbers(inputs[i].value, symbols);
        }
    }
}

} // namespace

bool looksLikeReproScript(std::string_view text) {
    return beginningOfLine(text, reproClassLine) != std::string_view::npos;
}

base::Result<GraphPtr> parseReproScript(std::string_view text, base::Progress progress) {
    const std::size_t begin = beginningOfLine(text, reproClassLine);
    if (begin == std::string_view::npos) {
        return noGraph("it has no class Repro");
    }
    const ScriptBlock block = scriptBlockAt(text, begin);
    auto parsed = functionGraph(block, progress);
    if (!parsed) {
        return parsed;
    }
    GraphBuilder graph(**parsed);
    if (const std::size_t load = beginningOfLine(text, loadArgsLine); load != std::string_view::npos) {
        giveInputs(graph, reproInputs(scriptBlockAt(text, load).text), headerSymbols(text));
    }
    const std::map<std::string, TensorMeta> attributes = reproAttributes(block.text);
    for (const NodeId id : std::vector<NodeId>(graph.order().begin(), graph.order().end())) {
        const Node& node = graph.node(id);
        const auto found = node.op == Opcode::GetAttr ? attributes.find(node.target) : attributes.end();
        if (found != attributes.end()) {
            graph.editMeta(id).value = found->second;
        }
    }
    return graph.finish();
}

base::Result<GraphPtr> parseGraphOrScript(std::string_view text, base::Progress progress) {
    if (!looksLikeGraphText(text) && looksLikeReproScript(text)) {
        return parseReproScript(text, std::move(progress));
    }
    return parseGraphText(text, std::move(progress));
}

} // namespace aotscope::ir
