#include "base/mapped.h"
#include "ops/calls.h"
#include "ops/functional.h"

#include "dispatch/failure.h"

#include "base/numbers.h"
#include "base/text_search.h"
#include "base/trimmed.h"

#include <algorithm>
#include <unordered_map>

namespace aotscope::torch::ops {

namespace {

/// A parsed parameter list.
struct ParameterList {
    std::vector<std::string> names;
    /// Nullopt: the argument is required.
    std::vector<std::optional<Value>> defaults;
    /// Parameters before this one may be positional.
    std::size_t positional = 0;
    /// The parameter that collects the remaining positional arguments.
    std::optional<std::size_t> rest;
    bool takesKeywords = false;
};

Value literal(std::string_view text) {
    if (text == "None") {
        return {};
    }
    if (text == "True" || text == "False") {
        return text == "True";
    }
    if (text.starts_with('"')) {
        return std::string(text.substr(1, text.size() - 2));
    }
    if (text == "()") {
        return Value::tuple({});
    }
    if (const auto integer = base::wholeNumber<std::int64_t>(text)) {
        return *integer;
    }
    return std::stod(std::string(text));
}

ParameterList readParameters(std::string_view text) {
    ParameterList list;
    bool keywordOnly = false;
    while (!base::trimmed(text).empty()) {
        std::string_view part = base::trimmed(base::takePart(text, ','));
        if (part == "**") {
            list.takesKeywords = true;
            continue;
        }
        if (part == "*") {
            keywordOnly = true;
            continue;
        }
        if (part.starts_with('*')) {
            list.rest = list.names.size();
            list.names.emplace_back(part.substr(1));
            list.defaults.emplace_back(Value::tuple({}));
            keywordOnly = true;
            continue;
        }
        const std::size_t equals = part.find('=');
        list.names.emplace_back(part.substr(0, equals));
        list.defaults.push_back(equals == std::string_view::npos
                                    ? std::optional<Value>()
                                    : std::optional<Value>(literal(part.substr(equals + 1))));
        if (!keywordOnly) {
            list.positional = list.names.size();
        }
    }
    return list;
}

struct NameHash : std::hash<std::string_view> {
    using is_transparent = void;
};
using FunctionTable = std::unordered_map<std::string, PythonFunction, NameHash, std::equal_to<>>;

/// The functions by their full names.
const FunctionTable& functionTable() {
    static const FunctionTable table = [] {
        FunctionTable byName;
        for (const FunctionFamily family :
             {activationFunctions, attentionFunctions, creationFunctions, lossFunctions,
              normalizationFunctions, numpyFunctions, numpyReductions, numpyShapeFunctions, numpyUfuncs,
              poolingFunctions, resamplingFunctions, sparseFunctions, stateFunctions, tensorMethods,
              torchFunctions, transformFunctions}) {
            for (const PythonFunction& row : family) {
                std::string_view names = row.name;
                const std::string_view first = names.substr(0, names.find(' '));
                const std::string module(first.substr(0, first.rfind('.') + 1));
                while (!names.empty()) {
                    const std::string_view name = base::takePart(names, ' ');
                    const bool isFull = name.find('.') != std::string_view::npos;
                    const auto place = byName.emplace((isFull ? "" : module) + std::string(name), row).first;
                    place->second.name = place->first;
                }
            }
        }
        return byName;
    }();
    return table;
}

const ParameterList& parametersOf(const PythonFunction& function) {
    static const auto lists = [] {
        std::unordered_map<const PythonFunction*, ParameterList> all;
        for (const auto& [name, known] : functionTable()) {
            all.emplace(&known, readParameters(known.parameters));
        }
        return all;
    }();
    return lists.at(&function);
}

} // namespace

const Value& Bound::operator[](std::string_view name) const {
    for (std::size_t i = 0; i < m_names.size(); ++i) {
        if (m_names[i] == name) {
            return m_values[i];
        }
    }
    fail("ops.internal", "No parameter is called \"" + std::string(name) + "\".");
}

Keywords Bound::with(std::initializer_list<std::string_view> names) const {
    Keywords kwargs = m_extra;
    for (const std::string_view name : names) {
        kwargs.emplace_back(name, (*this)[name]);
    }
    return kwargs;
}

Keywords Bound::afterFirst() const {
    Keywords kwargs;
    for (std::size_t i = 1; i < m_names.size(); ++i) {
        kwargs.emplace_back(m_names[i], m_values[i]);
    }
    return kwargs;
}

Value callPython(const PythonFunction& function, Calls& calls, Values args, const Keywords& kwargs) {
    const ParameterList& list = parametersOf(function);
    const auto refuse = [&](const std::string& why) {
        fail("ops.arguments", std::string(function.name) + "(" + std::string(function.parameters) +
                                  ") does not take " + argumentTypes(args, kwargs) + ": " + why + ".");
    };
    Values values(list.names.size());
    std::vector<bool> given(list.names.size(), false);
    if (args.size() > list.positional && !list.rest) {
        refuse("too many positional arguments");
    }
    const std::size_t direct = std::min(args.size(), list.positional);
    for (std::size_t i = 0; i < direct; ++i) {
        values[i] = args[i];
        given[i] = true;
    }
    if (list.rest && args.size() > direct) {
        values[*list.rest] =
            Value::tuple(Values(args.begin() + static_cast<std::ptrdiff_t>(direct), args.end()));
        given[*list.rest] = true;
    }
    Keywords extra;
    for (const auto& [name, value] : kwargs) {
        const auto found = std::ranges::find(list.names, name);
        const auto index = static_cast<std::size_t>(found - list.names.begin());
        if (found != list.names.end() && !given[index]) {
            values[index] = value;
            given[index] = true;
        } else if (found == list.names.end() && list.takesKeywords) {
            extra.emplace_back(name, value);
        } else {
            refuse("\"" + name + "\" is " + (found == list.names.end() ? "no parameter" : "given twice"));
        }
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!given[i]) {
            if (!list.defaults[i]) {
                refuse("\"" + list.names[i] + "\" is missing");
            }
            values[i] = *list.defaults[i];
        }
    }
    return function.body(calls, Bound(function.name, list.names, std::move(values), std::move(extra)));
}

const PythonFunction* findPythonFunction(std::string_view name) {
    const auto found = functionTable().find(name);
    return found == functionTable().end() ? nullptr : &found->second;
}

std::vector<const PythonFunction*> allPythonFunctions() {
    auto all = base::mapped(functionTable(), [](const auto& each) { return &each.second; });
    std::ranges::sort(all, [](const auto* left, const auto* right) { return left->name < right->name; });
    return all;
}

} // namespace aotscope::torch::ops
