#include "ir/op_schema.h"

#include "base/mapped.h"
#include "base/trimmed.h"
#include "ir/operator_name.h"
#include "ir/operator_texts.h"
#include "ir/quotes.h"

#include <algorithm>

namespace aotscope::ir {
namespace {

std::string_view withoutSpaces(std::string_view text) {
    return base::trimmed(text, " \r");
}

/// Splits at the commas outside of brackets and strings.
std::vector<std::string_view> splitList(std::string_view text) {
    std::vector<std::string_view> parts;
    Nesting nesting;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == ',' && nesting.outside()) {
            parts.push_back(withoutSpaces(text.substr(begin, i - begin)));
            begin = i + 1;
        }
        nesting.pass(text[i]);
    }
    const std::string_view last = withoutSpaces(text.substr(begin));
    if (!last.empty() || !parts.empty()) {
        parts.push_back(last);
    }
    return parts;
}

/// Position of the bracket that closes the one at `open`, or npos.
std::size_t closing(std::string_view text, std::size_t open) {
    Nesting nesting;
    for (std::size_t i = open; i < text.size(); ++i) {
        nesting.pass(text[i]);
        if (nesting.outside()) {
            return i;
        }
    }
    return std::string_view::npos;
}

/// "int[2] stride=[]", "Tensor(a -> *) self".
std::optional<SchemaArgument> parseArgument(std::string_view text) {
    SchemaArgument argument;
    if (const std::size_t equals = text.find('='); equals != std::string_view::npos) {
        argument.hasDefault = true;
        argument.defaultText = withoutSpaces(text.substr(equals + 1));
        text = withoutSpaces(text.substr(0, equals));
    }
    const std::size_t space = text.find_last_of(' ');
    if (space == std::string_view::npos || space == 0) {
        return std::nullopt;
    }
    argument.name = text.substr(space + 1);
    argument.type = withoutSpaces(text.substr(0, space));
    argument.isMutated = argument.type.find('!') != std::string::npos;
    return argument;
}

std::optional<OpSchema> parseTarget(std::string_view text) {
    const std::size_t colons = text.find("::");
    if (colons == std::string_view::npos || colons == 0 || colons + 2 == text.size()) {
        return std::nullopt;
    }
    OpSchema schema;
    schema.target = text.substr(0, colons);
    schema.target += '.';
    schema.target += text.substr(colons + 2);
    if (text.find('.', colons) == std::string_view::npos) {
        schema.target += ".default";
    }
    return schema;
}

std::vector<std::string> parseReturns(std::string_view text) {
    if (!text.empty() && text.front() == '(' && closing(text, 0) == text.size() - 1) {
        text = text.substr(1, text.size() - 2);
    }
    return base::mapped(splitList(text), [](const std::string_view part) { return std::string(part); });
}

/// "aten::add.Tensor", the schema files' spelling of "aten.add.Tensor"; empty: not an operator's name.
std::string schemaName(std::string_view target) {
    const OperatorName parts = splitTarget(target);
    if (parts.overload.empty()) {
        return {};
    }
    std::string name(parts.space);
    name.append("::").append(parts.name);
    if (parts.overload != "default") {
        name.append(".").append(parts.overload);
    }
    return name;
}

/// Binary search by byte offset: the tables are sorted by line, and "(" sorts before all characters of names.
std::string_view findLine(std::string_view table, std::string_view name) {
    std::size_t low = 0;
    std::size_t high = table.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        const std::size_t newline = table.rfind('\n', middle);
        const bool first = newline == std::string_view::npos || newline < low;
        std::size_t begin = first ? low : newline + 1;
        if (newline == middle) {
            // `middle` is the end of the line to compare.
            const std::size_t before = middle == 0 ? std::string_view::npos : table.rfind('\n', middle - 1);
            begin = before == std::string_view::npos || before < low ? low : before + 1;
        }
        const std::size_t end = std::min(table.find('\n', begin), table.size());
        const std::string_view line = table.substr(begin, end - begin);
        const int order = line.substr(0, line.find('(')).compare(name);
        if (order == 0) {
            return line;
        }
        if (order < 0) {
            low = end + 1;
        } else {
            high = begin;
        }
    }
    return {};
}

} // namespace

std::shared_ptr<const OpSchema> trySchema(std::string_view target) {
    const std::string name = schemaName(target);
    if (name.empty()) {
        return nullptr;
    }
    std::string_view line = findLine(detail::dispatcherSchemas(), name);
    if (line.empty()) {
        line = findLine(detail::pythonSchemas(), name);
    }
    std::optional<OpSchema> schema = parseSchema(line);
    return schema ? std::make_shared<const OpSchema>(std::move(*schema)) : nullptr;
}

std::optional<OpSchema> parseSchema(std::string_view line) {
    line = withoutSpaces(line);
    const std::size_t open = line.find('(');
    if (open == std::string_view::npos) {
        return std::nullopt;
    }
    const std::size_t close = closing(line, open);
    std::optional<OpSchema> schema = parseTarget(line.substr(0, open));
    if (!schema || close == std::string_view::npos) {
        return std::nullopt;
    }
    bool keywordOnly = false;
    for (const std::string_view part : splitList(line.substr(open + 1, close - open - 1))) {
        if (part == "*") {
            keywordOnly = true;
        } else if (part == "...") {
            schema->variadic = true;
        } else if (std::optional<SchemaArgument> argument = parseArgument(part)) {
            argument->keywordOnly = keywordOnly;
            schema->arguments.push_back(std::move(*argument));
        } else {
            return std::nullopt;
        }
    }
    std::string_view rest = withoutSpaces(line.substr(close + 1));
    if (rest.substr(0, 2) != "->") {
        return std::nullopt;
    }
    schema->returns = parseReturns(withoutSpaces(rest.substr(2)));
    return schema;
}

} // namespace aotscope::ir
