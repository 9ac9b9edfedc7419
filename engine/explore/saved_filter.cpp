#include "explore/saved_filter.h"

#include "base/joined.h"
#include "ir/dtype.h"
#include "ir/written_place.h"

#include "base/numbers.h"

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

namespace aotscope::session {
namespace {

using Comparison = bool (*)(double left, double right);

std::string lower(std::string_view text) {
    std::string out(text);
    std::ranges::transform(out, out.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return out;
}

bool isPartEnd(char c) {
    return c == '.' || c == '/' || c == ' ' || c == '[' || c == ',' || c == ':';
}

/// Escapes everything except `*` (any text) and `?` (one character), for example the brackets of module
/// paths.
std::string globOf(std::string_view pattern) {
    std::string glob;
    for (const char c : pattern) {
        glob += c == '[' || c == '\\' ? std::string{'\\', c} : std::string{c};
    }
    return glob;
}

bool textMatches(std::string_view pattern, std::string_view given) {
    const std::string text = lower(given);
    if (pattern.find_first_of("*?") == std::string_view::npos) {
        return text.find(pattern) != std::string::npos;
    }
    const std::string glob = globOf(pattern);
    for (std::size_t begin = 0; begin <= text.size(); ++begin) {
        const bool startsPart = begin == 0 || isPartEnd(text[begin - 1]);
        if (startsPart && ::fnmatch(glob.c_str(), text.c_str() + begin, 0) == 0) {
            return true;
        }
    }
    return false;
}

struct NumberField {
    std::string_view name;
    double (*value)(const SavedTensor&);
};
constexpr std::array<NumberField, 4> numberFields{{
    {"bytes", [](const SavedTensor& tensor) { return static_cast<double>(tensor.bytes); }},
    {"share", [](const SavedTensor& tensor) { return tensor.shareOfPeak; }},
    {"from", [](const SavedTensor& tensor) { return static_cast<double>(tensor.from); }},
    {"last", [](const SavedTensor& tensor) { return static_cast<double>(tensor.last); }},
}};

struct TextField {
    std::string_view name;
    std::string (*value)(const SavedTensor&);
};
constexpr std::array<TextField, 8> textFields{{
    {"name", [](const SavedTensor& tensor) { return tensor.name; }},
    {"module", [](const SavedTensor& tensor) { return tensor.module; }},
    {"dtype",
     [](const SavedTensor& tensor) {
         const auto dtype = ir::dtypeFromName(tensor.dtype);
         return dtype ? tensor.dtype + " " + std::string(ir::dtypeShortName(*dtype)) : tensor.dtype;
     }},
    {"shape", [](const SavedTensor& tensor) { return tensor.shape; }},
    {"reason", [](const SavedTensor& tensor) { return tensor.reason; }},
    {"source", [](const SavedTensor& tensor) { return tensor.source; }},
    {"category", [](const SavedTensor& tensor) { return std::string(base::wordOf(tensor.category)); }},
    {"op", [](const SavedTensor& tensor) { return tensor.op; }},
}};

/// `op:mm` is aten.mm.default and not aten.addmm.default: a pattern without wildcards is a part of the name.
bool opMatches(std::string_view pattern, std::string_view given) {
    const std::string op = lower(given);
    return pattern.find_first_of("*?") == std::string_view::npos ? ir::isOperatorNamed(op, pattern)
                                                                 : textMatches(pattern, op);
}

template<typename Fields>
auto fieldNamed(const Fields& fields, std::string_view name) -> decltype(fields.data()) {
    const auto found =
        std::ranges::find_if(fields, [&](const auto& field) { return field.name == lower(name); });
    return found == fields.end() ? nullptr : &*found;
}

template<typename Fields>
std::string namesOf(const Fields& fields) {
    return base::joined(fields, ", ", [](const auto& field) { return field.name; });
}

std::optional<double> bytesOfUnit(std::string_view unit) {
    constexpr double k = 1000;
    constexpr double ki = 1024;
    constexpr std::pair<std::string_view, double> units[] = {
        {"", 1},     {"b", 1},         {"%", 0.01},          {"kb", k}, {"mb", k * k}, {"gb", k * k * k},
        {"kib", ki}, {"mib", ki * ki}, {"gib", ki * ki * ki}};
    const auto found =
        std::ranges::find(units, lower(unit), [](const auto& known) { return std::string(known.first); });
    return found == std::end(units) ? std::nullopt : std::optional(found->second);
}

std::optional<double> numberOf(std::string_view text) {
    const auto number = base::takeNumber<double>(text);
    const auto unit = number ? bytesOfUnit(text) : std::nullopt;
    return unit ? std::optional(*number * *unit) : std::nullopt;
}

base::Error filterError(std::size_t position, std::string message, std::string hint) {
    return {.code = "session.filter",
            .message = std::move(message),
            .place = {.column = position + 1},
            .hint = std::move(hint)};
}

} // namespace

struct SavedFilter::Term {
    bool negated = false;
    const NumberField* number = nullptr;
    Comparison comparison = nullptr;
    double value = 0;
    /// The field to match; null if `number` is null too: any text field.
    const TextField* text = nullptr;
    std::string pattern;
    /// The text is the pattern, and not only has it.
    bool isWhole = false;

    [[nodiscard]] bool matches(const SavedTensor& tensor) const {
        if (number != nullptr) {
            return comparison(number->value(tensor), value);
        }
        if (isWhole) {
            return lower(text->value(tensor)) == pattern;
        }
        if (text != nullptr) {
            return text->name == "op" ? opMatches(pattern, text->value(tensor))
                                      : textMatches(pattern, text->value(tensor));
        }
        return std::ranges::any_of(
            textFields, [&](const TextField& field) { return textMatches(pattern, field.value(tensor)); });
    }
};

namespace {

/// A term of the line without its quotes. Quoted spaces and operators belong to the text.
struct Word {
    std::size_t position = 0;
    std::string text;
    /// Position in `text` of the first operator outside of quotes; npos: none.
    std::size_t sign = std::string::npos;
    bool negated = false;
};

base::Result<std::vector<Word>> wordsOf(std::string_view line) {
    std::vector<Word> words;
    std::size_t at = 0;
    while ((at = line.find_first_not_of(' ', at)) != std::string_view::npos) {
        Word word;
        word.position = at;
        if (line[at] == '-') {
            word.negated = true;
            ++at;
        }
        std::size_t quote = std::string_view::npos;
        for (; at < line.size() && (line[at] != ' ' || quote != std::string_view::npos); ++at) {
            if (line[at] == '"') {
                quote = quote == std::string_view::npos ? at : std::string_view::npos;
                continue;
            }
            const bool isSign = std::string_view(":<>=!").find(line[at]) != std::string_view::npos;
            if (isSign && quote == std::string_view::npos && word.sign == std::string::npos) {
                word.sign = word.text.size();
            }
            word.text += line[at];
        }
        if (quote != std::string_view::npos) {
            return filterError(quote, "This quotation mark is not closed.",
                               "Write \" at the end of the text.");
        }
        if (word.text.empty()) {
            return filterError(word.position, "There is nothing to look for.", "Write a text after the -.");
        }
        words.push_back(std::move(word));
    }
    return words;
}

std::optional<std::pair<Comparison, std::size_t>> comparisonAt(std::string_view text) {
    constexpr std::pair<std::string_view, Comparison> signs[] = {
        {">=", [](double left, double right) { return left >= right; }},
        {"<=", [](double left, double right) { return left <= right; }},
        {"!=", [](double left, double right) { return left != right; }},
        {"==", [](double left, double right) { return left == right; }},
        {">", [](double left, double right) { return left > right; }},
        {"<", [](double left, double right) { return left < right; }},
        {"=", [](double left, double right) { return left == right; }}};
    for (const auto& [sign, comparison] : signs) {
        if (text.starts_with(sign)) {
            return std::pair(comparison, sign.size());
        }
    }
    return std::nullopt;
}

base::Result<SavedFilter::Term> numberTerm(const Word& word, const NumberField& field) {
    const std::string_view rest = std::string_view(word.text).substr(word.sign);
    const auto comparison = comparisonAt(rest);
    if (!comparison) {
        return filterError(word.position, "\"" + std::string(field.name) + "\" is a number.",
                           "Compare it: " + std::string(field.name) + ">1");
    }
    const auto value = numberOf(rest.substr(comparison->second));
    if (!value) {
        return filterError(word.position,
                           "\"" + std::string(rest.substr(comparison->second)) + "\" is not a number.",
                           "Write bytes>1MB, share>5% or from<100.");
    }
    SavedFilter::Term term;
    term.number = &field;
    term.comparison = comparison->first;
    term.value = *value;
    return term;
}

base::Result<SavedFilter::Term> termOf(const Word& word) {
    SavedFilter::Term term;
    if (word.sign == std::string::npos) {
        term.pattern = lower(word.text);
        return term;
    }
    const std::string_view text = word.text;
    const std::string_view name = text.substr(0, word.sign);
    if (const NumberField* number = fieldNamed(numberFields, name)) {
        return numberTerm(word, *number);
    }
    term.text = fieldNamed(textFields, name);
    if (term.text == nullptr) {
        return filterError(word.position, "A saved tensor has no \"" + std::string(name) + "\".",
                           "Columns: " + namesOf(numberFields) + ", " + namesOf(textFields) +
                               ". To search for : < > = themselves, put the text in \"quotes\".");
    }
    if (text[word.sign] == '=') {
        term.isWhole = true;
    } else if (text[word.sign] != ':') {
        return filterError(word.position, "\"" + std::string(term.text->name) + "\" is text, not a number.",
                           "Write " + std::string(term.text->name) + ":pattern, or = and the whole text.");
    }
    term.pattern = lower(text.substr(word.sign + 1));
    return term;
}

} // namespace

SavedFilter::SavedFilter() = default;

base::Result<SavedFilter> SavedFilter::parse(std::string_view line) {
    AOTSCOPE_TRY(words, wordsOf(line));
    SavedFilter filter;
    for (const Word& word : words) {
        AOTSCOPE_TRY(term, termOf(word));
        term.negated = word.negated;
        filter.m_terms.push_back(std::make_shared<const Term>(std::move(term)));
    }
    return filter;
}

bool SavedFilter::matches(const SavedTensor& tensor) const {
    return std::ranges::all_of(m_terms,
                               [&](const auto& term) { return term->matches(tensor) != term->negated; });
}

bool SavedFilter::isEmpty() const {
    return m_terms.empty();
}

} // namespace aotscope::session
