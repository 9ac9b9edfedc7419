#include "ir/used_symbols.h"

namespace aotscope::ir {

using Symbols = std::set<std::string>;

namespace {

void addSymbols(const SymExpr& expression, Symbols& symbols) {
    for (std::string& symbol : expression.symbols()) {
        symbols.insert(std::move(symbol));
    }
}

void addSymbols(const TensorMeta& tensor, Symbols& symbols) {
    forEachNumber(tensor, [&symbols](const SymInt& number) {
        if (number.isSymbolic()) {
            addSymbols(number.expression(), symbols);
        }
    });
    if (tensor.subclass) {
        for (const auto& [name, inner] : tensor.subclass->inner) {
            addSymbols(inner, symbols);
        }
    }
}

} // namespace

void addSymbols(const ValueMeta& value, Symbols& symbols) {
    if (const auto* tensor = std::get_if<TensorMeta>(&value)) {
        addSymbols(*tensor, symbols);
    } else if (const auto* symbolic = std::get_if<SymbolicMeta>(&value)) {
        addSymbols(symbolic->expression, symbols);
    } else if (const auto* tuple = std::get_if<std::shared_ptr<const TupleMeta>>(&value)) {
        for (const ValueMeta& element : (*tuple)->elements) {
            addSymbols(element, symbols);
        }
    }
}

void addSymbols(const Argument& argument, Symbols& symbols) {
    forEachPart(argument, [&symbols](const Argument& part) {
        if (const auto* symbol = part.as<SymbolArgument>()) {
            addSymbols(symbol->expression, symbols);
        }
    });
}

bool isUnbackedSymbol(std::string_view symbol) {
    return symbol.starts_with('u') || symbol.starts_with("zuf");
}

} // namespace aotscope::ir
