#include "ir/text/descriptor_text.h"

#include "base/characters.h"
#include "ir/python_literal.h"
#include "ir/repr_scan.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace aotscope::ir {
namespace {

/// Descriptors nest as deep as subclasses do; deeper ones are kept as text.
constexpr int deepest = 32;

template<typename Class>
constexpr std::string_view nameOfDescriptorClass() {
    // "… nameOfDescriptorClass() [with Class = aotscope::ir::PlainAOTInput; …]"
    std::string_view name = __PRETTY_FUNCTION__;
    name.remove_prefix(name.find("Class = "));
    name = name.substr(0, name.find_first_of(";]"));
    return name.substr(name.rfind(':') + 1);
}

/// The name of a descriptor's class, which is PyTorch's.
template<typename Class>
constexpr std::string_view descriptorClass = nameOfDescriptorClass<Class>();
static_assert(descriptorClass<PlainAOTInput> == "PlainAOTInput");

/// Calls `visit(name, member)` for each field, named and ordered as in Python.
template<typename T, typename Visit>
void forEachField(T& descriptor, Visit&& visit) {
    if constexpr (requires { descriptor.target; }) {
        visit("target", descriptor.target);
    }
    if constexpr (requires { descriptor.base; }) {
        visit("base", descriptor.base);
    }
    if constexpr (requires { descriptor.baseOf; }) {
        visit("base_of", descriptor.baseOf);
    }
    if constexpr (requires { descriptor.output; }) {
        visit("output", descriptor.output);
    }
    if constexpr (requires { descriptor.mutatedInput; }) {
        visit("mutated_input", descriptor.mutatedInput);
    }
    if constexpr (requires { descriptor.gradOf; }) {
        visit("grad_of", descriptor.gradOf);
    }
    if constexpr (requires { descriptor.attr; }) {
        visit("attr", descriptor.attr);
    }
    if constexpr (requires { descriptor.idx; }) {
        visit("idx", descriptor.idx);
    }
}

template<typename T>
constexpr bool isUnknown = std::is_same_v<T, UnknownAOTInput> || std::is_same_v<T, UnknownAOTOutput>;

template<typename Described>
std::string printed(const Described& described);

std::string fieldText(const std::string& member) {
    return pythonString(member);
}
std::string fieldText(std::int64_t member) {
    return std::to_string(member);
}
template<typename Described>
std::string fieldText(const NestedDescriptor<Described>& member) {
    return printed(*member);
}

template<typename Described>
std::string printed(const Described& described) {
    return std::visit(
        []<typename Class>(const Class& descriptor) {
            if constexpr (isUnknown<Class>) {
                return descriptor.text;
            } else {
                std::string fields;
                forEachField(descriptor, [&](std::string_view name, const auto& member) {
                    fields.append(fields.empty() ? "" : ", ").append(name).append("=");
                    fields += fieldText(member);
                });
                return std::string(descriptorClass<Class>) + '(' + fields + ')';
            }
        },
        described.value);
}

class Parser {
public:
    explicit Parser(std::string_view text) : m_text(text) {}

    [[nodiscard]] bool atEnd() const { return m_position == m_text.size(); }

    template<typename Described>
    std::optional<Described> parse(int depth = 0) {
        const std::size_t start = m_position;
        if (depth < deepest) {
            if (auto known = parseKnown<Described>(identifier(), depth)) {
                return known;
            }
        }
        m_position = start;
        return parseUnknown<Described>();
    }

private:
    template<typename Described, std::size_t Index = 0>
    std::optional<Described> parseKnown(std::string_view name, int depth) {
        using Alternatives = typename Described::Alternatives;
        if constexpr (Index + 1 < std::variant_size_v<Alternatives>) {
            using Class = std::variant_alternative_t<Index, Alternatives>;
            return name == descriptorClass<Class> ? parseFields<Described, Class>(depth)
                                                  : parseKnown<Described, Index + 1>(name, depth);
        } else {
            return std::nullopt;
        }
    }

    template<typename Described, typename Class>
    std::optional<Described> parseFields(int depth) {
        Class descriptor = blank<Class>();
        bool good = take("(");
        bool first = true;
        forEachField(descriptor, [&](std::string_view name, auto& member) {
            good = good && (std::exchange(first, false) || take(", ")) && take(name) && take("=") &&
                   field(member, depth);
        });
        return good && take(")") ? std::optional<Described>(std::move(descriptor)) : std::nullopt;
    }

    /// One to read the fields into.
    template<typename Class>
    static Class blank() {
        if constexpr (requires(NestedDescriptor<AOTInput> nested) { Class{nested}; }) {
            return Class{AOTInput(DummyAOTInput{})};
        } else if constexpr (requires(NestedDescriptor<AOTOutput> nested) { Class{nested}; }) {
            return Class{AOTOutput(DummyAOTOutput{})};
        } else {
            return Class{};
        }
    }

    bool field(std::string& member, int /*depth*/) {
        const std::size_t start = m_position;
        if (!skipQuoted()) {
            return false;
        }
        auto value = parsePythonString(m_text.substr(start, m_position - start));
        member = value.value_or(std::string());
        return value.has_value();
    }
    bool field(std::int64_t& member, int /*depth*/) {
        const auto read = std::from_chars(rest().data(), rest().data() + rest().size(), member);
        m_position += static_cast<std::size_t>(read.ptr - rest().data());
        return read.ec == std::errc();
    }
    template<typename Described>
    bool field(NestedDescriptor<Described>& member, int depth) {
        auto nested = parse<Described>(depth + 1);
        if (!nested) {
            return false;
        }
        member = NestedDescriptor<Described>(*std::move(nested));
        return true;
    }

    /// A call of something: a name and whatever its brackets hold.
    template<typename Described>
    std::optional<Described> parseUnknown() {
        const std::size_t start = m_position;
        if (identifier().empty() || !rest().starts_with('(')) {
            return std::nullopt;
        }
        m_position = detail::endOfValue(m_text, start, detail::ValueEnd::Item);
        const std::string_view text = m_text.substr(start, m_position - start);
        if (!text.ends_with(')')) {
            return std::nullopt;
        }
        using Unknown =
            std::conditional_t<std::is_same_v<Described, AOTInput>, UnknownAOTInput, UnknownAOTOutput>;
        return Described(Unknown{std::string(text)});
    }

    [[nodiscard]] std::string_view rest() const { return m_text.substr(m_position); }

    bool take(std::string_view wanted) {
        const bool there = rest().starts_with(wanted);
        m_position += there ? wanted.size() : 0;
        return there;
    }

    std::string_view identifier() {
        const auto from = rest();
        const auto end = std::ranges::find_if_not(from, base::isWordCharacter);
        const auto name = from.substr(0, static_cast<std::size_t>(end - from.begin()));
        m_position += name.size();
        return name;
    }

    bool skipQuoted() {
        const bool isQuote = rest().starts_with('\'') || rest().starts_with('"');
        const std::size_t end =
            isQuote ? detail::endOfReprString(m_text, m_position) : std::string_view::npos;
        m_position = end == std::string_view::npos ? m_position : end;
        return end != std::string_view::npos;
    }

    std::string_view m_text;
    std::size_t m_position = 0;
};

template<typename Described, typename Unknown>
Described parsed(std::string_view text) {
    Parser parser(text);
    auto described = parser.parse<Described>();
    // A spelling that Python's repr does not have would print as another one.
    return described && parser.atEnd() && descriptorText(*described) == text
               ? *std::move(described)
               : Described(Unknown{std::string(text)});
}

template<typename Read>
Descriptor parsedOrNone(std::string_view text, Read&& read) {
    if (text.empty()) {
        return {};
    }
    return text == "None" ? Descriptor{NoneDescriptor{}} : Descriptor{read(text)};
}

} // namespace

std::string descriptorText(const AOTInput& input) {
    return printed(input);
}

std::string descriptorText(const AOTOutput& output) {
    return printed(output);
}

std::string descriptorText(const Descriptor& descriptor) {
    if (const AOTInput* input = descriptor.input()) {
        return descriptorText(*input);
    }
    if (const AOTOutput* output = descriptor.output()) {
        return descriptorText(*output);
    }
    return std::holds_alternative<NoneDescriptor>(descriptor.value) ? "None" : "";
}

AOTInput parseInputDescriptor(std::string_view text) {
    return parsed<AOTInput, UnknownAOTInput>(text);
}

AOTOutput parseOutputDescriptor(std::string_view text) {
    return parsed<AOTOutput, UnknownAOTOutput>(text);
}

Descriptor parsePlaceholderDescriptor(std::string_view text) {
    return parsedOrNone(text, parseInputDescriptor);
}

Descriptor parseReturnedDescriptor(std::string_view text) {
    return parsedOrNone(text, parseOutputDescriptor);
}

} // namespace aotscope::ir
