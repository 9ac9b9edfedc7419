#include "fake/relation_text.h"

#include "base/characters.h"
#include "base/numbers.h"
#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace aotscope::torch {

namespace {

using Kind = SymbolRelation::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 6> kFunctions = {{{"Eq(", Kind::Equal},
                                                                          {"Ne(", Kind::NotEqual},
                                                                          {"Lt(", Kind::Less},
                                                                          {"Le(", Kind::LessEqual},
                                                                          {"Gt(", Kind::Greater},
                                                                          {"Ge(", Kind::GreaterEqual}}};
/// Longer operators first, because `<` is a prefix of `<=`.
constexpr std::array<std::pair<std::string_view, Kind>, 6> kOperators = {{{"==", Kind::Equal},
                                                                          {"!=", Kind::NotEqual},
                                                                          {"<=", Kind::LessEqual},
                                                                          {">=", Kind::GreaterEqual},
                                                                          {"<", Kind::Less},
                                                                          {">", Kind::Greater}}};

Kind negation(Kind kind) {
    constexpr Kind opposites[] = {Kind::NotEqual, Kind::Equal,     Kind::GreaterEqual,
                                  Kind::Greater,  Kind::LessEqual, Kind::Less};
    return opposites[static_cast<std::size_t>(kind)];
}

/// The same relation with its sides exchanged.
Kind mirrored(Kind kind) {
    constexpr Kind mirrors[] = {Kind::Equal,        Kind::NotEqual, Kind::Greater,
                                Kind::GreaterEqual, Kind::Less,     Kind::LessEqual};
    return mirrors[static_cast<std::size_t>(kind)];
}

bool isSymbol(std::string_view text) {
    return !text.empty() && !base::isDigit(text.front()) &&
           std::all_of(text.begin(), text.end(), base::isWordCharacter);
}

/// A bound of a symbol that a number is added to (`s0 + 2 <= 10`), solved for the symbol.
std::optional<SymbolRelation> solvedBound(Kind kind, std::string_view sum, std::string_view bound) {
    const std::size_t at = sum.find_first_of("+-", 1);
    const auto limit = base::wholeNumber<std::int64_t>(bound);
    if (at == std::string_view::npos || !limit || kind == Kind::Equal || kind == Kind::NotEqual) {
        return std::nullopt;
    }
    const std::string_view symbol = base::trimmed(sum.substr(0, at));
    const auto added = base::wholeNumber<std::int64_t>(base::trimmed(sum.substr(at + 1)));
    std::int64_t number = 0;
    if (!isSymbol(symbol) || !added ||
        (sum[at] == '+' ? __builtin_sub_overflow(*limit, *added, &number)
                        : __builtin_add_overflow(*limit, *added, &number))) {
        return std::nullopt;
    }
    return SymbolRelation{kind, std::string(symbol), {}, number};
}

std::optional<SymbolRelation> relationOf(Kind kind, std::string_view left, std::string_view right) {
    if (!isSymbol(left) && isSymbol(right)) {
        std::swap(left, right);
        kind = mirrored(kind);
    }
    if (!isSymbol(left)) {
        const auto solved = solvedBound(kind, left, right);
        return solved ? solved : solvedBound(mirrored(kind), right, left);
    }
    if (const auto number = base::wholeNumber<std::int64_t>(right)) {
        return SymbolRelation{kind, std::string(left), {}, *number};
    }
    return isSymbol(right) ? std::optional(SymbolRelation{kind, std::string(left), std::string(right), 0})
                           : std::nullopt;
}

/// Where `part` first is outside of brackets; npos: nowhere, or the brackets do not match.
std::size_t findOutside(std::string_view text, std::string_view part) {
    std::size_t found = std::string_view::npos;
    int depth = 0;
    for (std::size_t at = 0; at < text.size() && depth >= 0; ++at) {
        if (found == std::string_view::npos && depth == 0 && text.substr(at).starts_with(part)) {
            found = at;
        }
        depth += text[at] == '(' ? 1 : text[at] == ')' ? -1 : 0;
    }
    return depth == 0 ? found : std::string_view::npos;
}

std::optional<RelationSides> splitAt(std::string_view sign, Kind kind, std::string_view text) {
    const std::size_t at = findOutside(text, sign);
    return at == std::string_view::npos
               ? std::nullopt
               : std::optional(RelationSides{kind, base::trimmed(text.substr(0, at)),
                                             base::trimmed(text.substr(at + sign.size()))});
}

base::Error notTaken(const std::string& fact, std::string why, std::string hint) {
    return {.code = "trace.fact", .message = "\"" + fact + "\" " + std::move(why), .hint = std::move(hint)};
}

std::string hintsText(const ir::SymbolBindings& hints) {
    std::string text;
    for (const auto& [name, value] : hints) {
        text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
    }
    return text;
}

} // namespace

std::optional<RelationSides> relationSides(std::string_view text) {
    text = base::trimmed(text);
    bool isNegated = false;
    for (; text.starts_with("Not(") && text.ends_with(")"); isNegated = !isNegated) {
        text = base::trimmed(text.substr(4, text.size() - 5));
    }
    const auto known = [isNegated](Kind kind) { return isNegated ? negation(kind) : kind; };
    for (const auto& [name, kind] : kFunctions) {
        if (text.starts_with(name) && text.ends_with(")")) {
            return splitAt(",", known(kind), text.substr(name.size(), text.size() - name.size() - 1));
        }
    }
    for (const auto& [sign, kind] : kOperators) {
        if (const auto sides = splitAt(sign, known(kind), text)) {
            return sides;
        }
    }
    return std::nullopt;
}

std::optional<SymbolRelation> symbolRelation(std::string_view text) {
    const auto sides = relationSides(text);
    return sides ? relationOf(sides->kind, sides->left, sides->right) : std::nullopt;
}

bool pinsFloat(std::string_view guard) {
    const auto sides = relationSides(guard);
    if (!sides || sides->kind != Kind::Equal) {
        return false;
    }
    // A literal float ("0.25", "-1.0e-5"): with a point or an exponent.
    return base::wholeNumber<double>(sides->right) && !base::wholeNumber<std::int64_t>(sides->right);
}

base::Result<void> checkFact(const std::string& fact, const ir::SymbolBindings& hints) {
    if (hints.empty()) {
        return notTaken(fact, "cannot apply: this trace has no symbols, every size is a number.", {});
    }
    const ir::SymExpr expression(fact);
    const std::vector<std::string> symbols = expression.symbols();
    for (const std::string& name : symbols) {
        if (!hints.contains(name)) {
            return notTaken(fact, "names " + name + ", which is not a symbol of this trace.",
                            "The symbols are " + hintsText(hints) + ".");
        }
    }
    const auto value = expression.evaluate(hints);
    if (!value) {
        return notTaken(fact, "cannot be read: " + value.error().message,
                        "Write a relation between symbols, such as Eq(s0, 8) or s0 >= 2.");
    }
    const bool* holds = std::get_if<bool>(&*value);
    if (holds == nullptr || symbols.empty()) {
        return notTaken(fact, "is not a relation between symbols.",
                        "Write a relation, such as Eq(s0, 8) or s0 >= 2.");
    }
    if (!*holds) {
        return notTaken(fact, "does not hold for the sizes in the log: " + hintsText(hints) + ".",
                        "The trace follows these sizes: write a relation that holds for them.");
    }
    return {};
}

bool KnownRanges::imply(const SymbolRelation& question) const {
    std::int64_t least = std::numeric_limits<std::int64_t>::min();
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    bool excluded = false;
    for (const SymbolRelation& fact : m_relations) {
        const bool sameSymbols = fact.symbol == question.symbol && fact.otherSymbol == question.otherSymbol;
        if (!sameSymbols) {
            continue;
        }
        if (!fact.otherSymbol.empty()) {
            if (fact.kind == question.kind) {
                return true;
            }
            continue;
        }
        switch (fact.kind) {
        case Kind::Equal:
            least = most = fact.number;
            break;
        case Kind::NotEqual:
            excluded = excluded || (question.kind == Kind::NotEqual && question.number == fact.number);
            break;
        case Kind::Less:
            most = std::min(most, fact.number - 1);
            break;
        case Kind::LessEqual:
            most = std::min(most, fact.number);
            break;
        case Kind::Greater:
            least = std::max(least, fact.number + 1);
            break;
        case Kind::GreaterEqual:
            least = std::max(least, fact.number);
            break;
        }
    }
    if (!question.otherSymbol.empty()) {
        return false;
    }
    // Without bounds, nothing follows.
    const bool hasLeast = least != std::numeric_limits<std::int64_t>::min();
    const bool hasMost = most != std::numeric_limits<std::int64_t>::max();
    switch (question.kind) {
    case Kind::Equal:
        return least == most && least == question.number;
    case Kind::NotEqual:
        return excluded || question.number < least || question.number > most;
    case Kind::Less:
        return hasMost && most < question.number;
    case Kind::LessEqual:
        return hasMost && most <= question.number;
    case Kind::Greater:
        return hasLeast && least > question.number;
    case Kind::GreaterEqual:
        return hasLeast && least >= question.number;
    }
    return false;
}

std::optional<std::int64_t> KnownRanges::least(std::string_view symbol) const {
    std::optional<std::int64_t> bound;
    for (const SymbolRelation& fact : m_relations) {
        const bool limits =
            fact.kind == Kind::Equal || fact.kind == Kind::Greater || fact.kind == Kind::GreaterEqual;
        if (limits && fact.symbol == symbol && fact.otherSymbol.empty()) {
            const std::int64_t number = fact.number + (fact.kind == Kind::Greater ? 1 : 0);
            bound = std::max(bound.value_or(number), number);
        }
    }
    return bound;
}

bool KnownRanges::isBounded(std::string_view symbol) const {
    return std::any_of(m_relations.begin(), m_relations.end(), [&](const SymbolRelation& fact) {
        const bool limits =
            fact.kind == Kind::Equal || fact.kind == Kind::Less || fact.kind == Kind::LessEqual;
        return limits && fact.symbol == symbol && fact.otherSymbol.empty();
    });
}

} // namespace aotscope::torch
