#include "ir/text_annotation.h"

#include "ir/text_cursor.h"

#include <charconv>

namespace aotscope::ir {
namespace {

constexpr std::size_t mostDimensions = 4096;

SymInt dimension(std::string_view text, SymbolCache& symbols) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc() && end == text.data() + text.size()) {
        return value;
    }
    return symbols.get(text);
}

/// `[8, s0*2, Max(1, u0)]`; on success `text` begins behind it.
std::optional<SymInts> dimensions(std::string_view& text, SymbolCache& symbols) {
    if (text.empty() || text.front() != '[') {
        return std::nullopt;
    }
    SymInts result;
    int depth = 0;
    std::size_t first = 1;
    for (std::size_t i = 1; i < text.size(); ++i) {
        const char c = text[i];
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
                return std::nullopt;
            }
            if (c == ']') {
                text.remove_prefix(i + 1);
                return result;
            }
            first = i + 1 < text.size() && text[i + 1] == ' ' ? i + 2 : i + 1;
            if (result.size() > mostDimensions) {
                return std::nullopt;
            }
        }
    }
    return std::nullopt;
}

std::optional<TensorMeta> tensor(std::string_view text, SymbolCache& symbols) {
    const std::size_t bracket = text.find('[');
    if (bracket == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view name = text.substr(0, bracket);
    std::optional<DType> dtype = name == "f32" ? DType::Float32 : dtypeFromShortName(name);
    if (!dtype) {
        return std::nullopt;
    }
    TensorMeta meta;
    meta.dtype = *dtype;
    text.remove_prefix(bracket);
    std::optional<SymInts> shape = dimensions(text, symbols);
    if (!shape) {
        return std::nullopt;
    }
    meta.shape = *std::move(shape);
    if (!text.empty() && text.front() == '[') {
        meta.stride = dimensions(text, symbols);
        if (!meta.stride) {
            return std::nullopt;
        }
    }
    if (!text.empty()) {
        meta.device = Device::parse(text);
        if (!meta.device) {
            return std::nullopt;
        }
    }
    return meta;
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
    } else if (expression.starts_with("zf") || expression.starts_with("zuf") ||
               expression.starts_with("ToFloat(")) {
        meta.kind = SymbolicMeta::Kind::Float;
    }
    return meta;
}

} // namespace

std::optional<ValueMeta> parseAnnotation(std::string_view text, SymbolCache& symbols) {
    const std::size_t bracket = text.find_first_of("[(");
    if (bracket == std::string_view::npos) {
        return std::nullopt;
    }
    if (text[bracket] == '[') {
        std::optional<TensorMeta> plain = tensor(text, symbols);
        return plain ? std::optional<ValueMeta>(*std::move(plain)) : std::nullopt;
    }
    if (text.back() != ')') {
        return std::nullopt;
    }
    const std::string_view className = text.substr(0, bracket);
    const std::string_view inside = text.substr(bracket + 1, text.size() - bracket - 2);
    if (className == "Sym") {
        return inside.empty() ? std::nullopt : std::optional<ValueMeta>(symbolic(inside, symbols));
    }
    std::optional<TensorMeta> wrapped = tensor(inside, symbols);
    if (!wrapped || !isIdentifier(className)) {
        return std::nullopt;
    }
    if (className == "Parameter") {
        wrapped->isParameter = true;
    } else {
        SubclassMeta subclass;
        subclass.className = std::string(className);
        wrapped->subclass = std::make_shared<const SubclassMeta>(std::move(subclass));
    }
    return ValueMeta(*std::move(wrapped));
}

} // namespace aotscope::ir
