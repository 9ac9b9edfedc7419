#include "ir/fx_names.h"

#include "base/characters.h"
#include "base/numbers.h"
#include "base/text_search.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <unordered_set>

namespace aotscope::ir {

namespace {

/// Python 3.11's keywords and builtins, and the names FX's generated code uses itself.
constexpr std::string_view reservedNames =
    "ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError "
    "BrokenPipeError BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError "
    "ConnectionRefusedError ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning "
    "EnvironmentError Exception ExceptionGroup False FileExistsError FileNotFoundError FloatingPointError "
    "FutureWarning GeneratorExit IOError ImportError ImportWarning IndentationError IndexError "
    "InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError MemoryError "
    "ModuleNotFoundError NameError None NoneType NotADirectoryError NotImplemented NotImplementedError "
    "OSError OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError "
    "ReferenceError ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration "
    "SyntaxError SyntaxWarning SystemError SystemExit TabError TimeoutError True TypeError "
    "UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError UnicodeTranslateError "
    "UnicodeWarning UserWarning ValueError Warning ZeroDivisionError __build_class__ __debug__ __doc__ "
    "__import__ __loader__ __name__ __package__ __spec__ abs aiter all and anext any as ascii assert "
    "async await bin bool break breakpoint bytearray bytes callable chr class classmethod compile complex "
    "continue copyright credits def del delattr device dict dir divmod elif else enumerate eval except "
    "exec exit filter finally float for format from frozenset fx_pytree getattr global globals hasattr "
    "hash help hex id if import in inf input int is isinstance issubclass iter lambda len license list "
    "locals map max memoryview min nan next nonlocal not object oct open or ord pass pow print property "
    "pytree quit raise range repr return reversed round set setattr slice sorted staticmethod str sum "
    "super torch try tuple type vars while with yield zip";

struct NumberedName {
    std::string_view base;
    std::optional<std::int64_t> number;
    /// Whether the number is written as FX writes it: "add_3", not "add_03".
    bool isPlain = false;
};

bool isReservedName(std::string_view name) {
    static const std::unordered_set<std::string_view> names = [] {
        std::unordered_set<std::string_view> found;
        for (std::string_view rest = reservedNames; !rest.empty();) {
            found.insert(base::takePart(rest, ' '));
        }
        return found;
    }();
    return names.contains(name);
}

/// Illegal characters become "_", and a leading digit gets a prefix.
std::string legalName(std::string_view candidate) {
    std::string name;
    name.reserve(candidate.size());
    bool illegal = false;
    for (const char c : candidate) {
        if (base::isWordCharacter(c)) {
            name += c;
            illegal = false;
        } else if (!illegal) {
            name += '_';
            illegal = true;
        }
    }
    if (name.empty()) {
        name = "_unnamed";
    }
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
        name.insert(name.begin(), '_');
    }
    return name;
}

/// The name must outlive what it is taken apart into.
NumberedName numberedName(std::string_view name) {
    std::size_t digits = name.size();
    while (digits > 0 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0) {
        --digits;
    }
    // The base has at least one character; "_7" alone is a base without number.
    if (digits == name.size() || digits < 2 || name[digits - 1] != '_') {
        return {name, std::nullopt, false};
    }
    const auto number = base::wholeNumber<std::int64_t>(name.substr(digits));
    if (!number) {
        return {name, std::nullopt, false};
    }
    const bool isPlain = name[digits] != '0' || digits + 1 == name.size();
    return {name.substr(0, digits - 1), number, isPlain};
}

} // namespace

bool FxNames::Base::uses(std::int64_t number) const {
    return (number > 0 && number <= full) || others.contains(number);
}

void FxNames::Base::use(std::int64_t number) {
    if (number != full + 1) {
        others.insert(number);
        return;
    }
    ++full;
    while (!others.empty() && others.erase(full + 1) > 0) {
        ++full;
    }
}

bool FxNames::isUsed(const std::string& name) const {
    const NumberedName parts = numberedName(name);
    const auto found = m_bases.find(parts.isPlain ? std::string(parts.base) : name);
    return found != m_bases.end() &&
           (parts.isPlain ? found->second.uses(*parts.number) : found->second.isUsed);
}

void FxNames::use(const std::string& name) {
    const NumberedName parts = numberedName(name);
    if (parts.isPlain) {
        m_bases[std::string(parts.base)].use(*parts.number);
    } else {
        m_bases[name].isUsed = true;
    }
}

std::string FxNames::create(std::string_view candidate) {
    std::string legal = legalName(candidate);
    const NumberedName parts = numberedName(legal);
    // Elements of the table stay where they are when others are added.
    Base& base = m_bases[std::string(parts.base)];
    const bool isTaken = parts.number ? isUsed(legal) : base.isUsed;
    const bool isReserved = !parts.number && !isTaken && isReservedName(legal);
    if (!isTaken && !isReserved) {
        if (parts.number) {
            use(legal);
        } else {
            base.isUsed = true;
        }
        base.count = parts.number.value_or(base.count);
        return legal;
    }
    // The search begins after the last number of the whole name, taken as a base.
    const auto whole = parts.number ? m_bases.find(legal) : m_bases.end();
    std::int64_t number = !parts.number ? base.count : whole == m_bases.end() ? 0 : whole->second.count;
    ++number;
    if (isTaken || base.uses(number)) {
        number = std::max(isTaken ? number - 1 : number, base.full);
        do {
            ++number;
        } while (base.uses(number));
    }
    base.use(number);
    base.count = number;
    std::string name(parts.base);
    name += '_';
    return name += std::to_string(number);
}

void FxNames::reserve(const std::string& base, std::int64_t number) {
    use(number == 0 ? base : base + '_' + std::to_string(number));
    std::int64_t& count = m_bases[base].count;
    count = std::max(count, number);
}

std::string_view withoutMagic(std::string_view name) {
    constexpr std::string_view mark = "__";
    const bool magic = name.size() > 2 * mark.size() && name.starts_with(mark) && name.ends_with(mark);
    return magic ? name.substr(mark.size(), name.size() - 2 * mark.size()) : name;
}

std::string snakeCase(std::string_view name) {
    std::string text;
    text.reserve(name.size());
    for (std::size_t i = 0; i < name.size(); ++i) {
        const auto c = static_cast<unsigned char>(name[i]);
        if (i > 0 && std::isupper(c) != 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0) {
            text += '_';
        }
        text += static_cast<char>(std::tolower(c));
    }
    return text;
}

} // namespace aotscope::ir
