#include "ir/text/annotation.h"

#include "ir/cursor.h"

#include "base/numbers.h"

namespace aotscope::ir {
namespace {

constexpr std::size_t mostDimensions = 4096;

SymInt dimension(std::string_view text, SymbolCache& symbols) {
    constexpr std::size_t certainDigits = 18; // Cannot overflow.
    std::int64_t value = 0;
    std::size_t i = 0;
    while (i < text.size() && i < certainDigits && isDigit(text[i])) {
        value = value * 10 + (text[i] - '0');
        ++i;
    }
    if (i == text.size()) {
        return value;
    }
    if (const auto number = base::wholeNumber<std::int64_t>(text)) {
        return *number;
    }
    return symbols.get(text);
}

/// `[8, s0*2, Max(1, u0)]` into `result`; on success `text` begins behind it.
bool dimensions(std::string_view& text, SymbolCache& symbols, SymInts& result) {
    if (text.empty() || text.front() != '[') {
        return false;
    }
    int depth = 0;
    std::size_t first = 1;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const char c = text[i];
        if (isDigit(c)) {
            continue;
        }
        if (c == '(' || c == '[') {
            ++depth;
        } else if (depth > 0 && (c == ')' || c == ']')) {
            --depth;
        } else if (depth == 0 && (c == ',' || c == ']')) {
            if (i > first) {
                if (result.empty()) {
                    result.reserve(4);
                }
                result.push_back(dimension(text.substr(first, i - first), symbols));
            } else if (c == ',' || first > 1) {
                return false;
            }
            if (c == ']') {
                text.remove_prefix(i + 1);
                return true;
            }
            first = i + 1 < text.size() && text[i + 1] == ' ' ? i + 2 : i + 1;
            if (result.size() > mostDimensions) {
                return false;
            }
        }
    }
    return false;
}

bool tensor(std::string_view text, SymbolCache& symbols, TensorMeta& meta) {
    const std::size_t bracket = text.find('[');
    if (bracket == std::string_view::npos) {
        return false;
    }
    const std::string_view name = text.substr(0, bracket);
    const std::optional<DType> dtype = name == "f32" ? DType::Float32 : dtypeFromShortName(name);
    if (!dtype) {
        return false;
    }
    meta.dtype = *dtype;
    text.remove_prefix(bracket);
    if (!dimensions(text, symbols, meta.shape)) {
        return false;
    }
    if (!text.empty() && text.front() == '[' && !dimensions(text, symbols, meta.stride.emplace())) {
        return false;
    }
    if (!text.empty()) {
        meta.device = Device::parse(text);
        return meta.device.has_value();
    }
    return true;
}

/// Whether an expression has a float in it that no function rounds.
bool isFloat(std::string_view expression) {
    const auto has = [expression](std::string_view part) {
        return expression.find(part) != std::string_view::npos;
    };
    return !has("ToInt(") &&
           (expression.starts_with("zf") || expression.starts_with("zuf") || has("ToFloat(") ||
            has("FloatTrueDiv(") || has("IntTrueDiv(") || has("FloatPow("));
}

/// PyTorch prints the expression alone; its form tells the kind.
SymbolicMeta symbolic(std::string_view expression, SymbolCache& symbols) {
    SymbolicMeta meta;
    meta.expression = symbols.get(expression);
    const bool truth = expression.find_first_of("<>=&|~") != std::string_view::npos ||
                       expression.starts_with("Eq(") || expression.starts_with("Ne(") ||
                       expression == "True" || expression == "False";
    if (truth) {
        meta.kind = SymbolicMeta::Kind::Bool;
    } else if (isFloat(expression)) {
        meta.kind = SymbolicMeta::Kind::Float;
    }
    return meta;
}

bool known(std::string_view text, SymbolCache& symbols, ValueMeta& value) {
    const std::size_t bracket = text.find_first_of("[(");
    if (bracket == std::string_view::npos) {
        return false;
    }
    if (text[bracket] == '[') {
        return tensor(text, symbols, value.emplace<TensorMeta>());
    }
    if (text.back() != ')') {
        return false;
    }
    const std::string_view className = text.substr(0, bracket);
    const std::string_view inside = text.substr(bracket + 1, text.size() - bracket - 2);
    if (className == "Sym") {
        value = symbolic(inside, symbols);
        return !inside.empty();
    }
    auto& wrapped = value.emplace<TensorMeta>();
    if (!isIdentifier(className) || !tensor(inside, symbols, wrapped)) {
        return false;
    }
    if (className == "Parameter") {
        wrapped.isParameter = true;
    } else {
        SubclassMeta subclass;
        subclass.className = std::string(className);
        wrapped.subclass = std::make_shared<const SubclassMeta>(std::move(subclass));
    }
    return true;
}

} // namespace

bool parseAnnotation(std::string_view text, SymbolCache& symbols, ValueMeta& value) {
    if (known(text, symbols, value)) {
        return true;
    }
    value = std::monostate();
    return false;
}

} // namespace aotscope::ir
