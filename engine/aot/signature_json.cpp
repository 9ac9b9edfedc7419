#include "aot/graph_signature.h"

#include "base/described_json.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace aotscope::aot {
namespace {

using Json = nlohmann::ordered_json;
using base::toJson;

constexpr std::array<std::string_view, std::variant_size_v<ArgumentSpec>> argumentClasses = {
    "TensorArgument",   "SymIntArgument",    "SymFloatArgument", "SymBoolArgument",
    "ConstantArgument", "CustomObjArgument", "TokenArgument"};

/// A context of base::toJson.
struct SignatureContext {};

Json toJson(const ArgumentSpec& argument, SignatureContext&) {
    Json json{{"class", argumentClasses[argument.index()]}, {"name", argumentName(argument)}};
    if (const auto* object = std::get_if<CustomObjArgument>(&argument)) {
        json["class_fqn"] = object->classFqn;
    }
    if (const auto* constant = std::get_if<ConstantArgument>(&argument)) {
        json["value"] = std::visit(
            [](const auto& value) {
                if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>) {
                    return Json(nullptr);
                } else {
                    return Json(value);
                }
            },
            constant->value);
    }
    return json;
}

/// Reads the specs in order; `wrong` keeps the first mistake.
class Reader {
public:
    std::string wrong;

    template<typename Spec>
    void specs(const Json& json, const char* key, std::vector<Spec>& into) {
        if (!json.contains(key) || !json[key].is_array()) {
            wrong = std::string("there is no list \"") + key + '"';
            return;
        }
        for (const Json& each : json[key]) {
            m_place = std::string(key) + "[" + std::to_string(into.size()) + "]";
            Spec spec;
            spec.kind = kind<decltype(spec.kind)>(text(each, "kind").value_or(""));
            spec.arg = argument(each.is_object() && each.contains("arg") ? each["arg"] : Json());
            spec.target = text(each, "target");
            if constexpr (requires { spec.persistent; }) {
                if (each.is_object() && each.contains("persistent") && each["persistent"].is_boolean()) {
                    spec.persistent = each["persistent"].get<bool>();
                }
                if (spec.kind == InputKind::Buffer && !spec.persistent) {
                    complain("does not say whether the buffer is persistent");
                }
            }
            into.push_back(std::move(spec));
        }
    }

private:
    void complain(const std::string& what) {
        if (wrong.empty()) {
            wrong = m_place + " " + what;
        }
    }

    static std::optional<std::string> text(const Json& json, const char* key) {
        return json.is_object() && json.contains(key) && json[key].is_string()
                   ? std::optional(json[key].get<std::string>())
                   : std::nullopt;
    }

    template<typename Kind>
    Kind kind(const std::string& name) {
        const auto read = base::fromWord<Kind>(name);
        if (!read) {
            complain("is of the unknown kind \"" + name + '"');
        }
        return read.value_or(Kind());
    }

    ArgumentSpec argument(const Json& json) {
        const std::string className = text(json, "class").value_or("");
        const auto name = text(json, "name");
        const auto found = std::ranges::find(argumentClasses, className);
        if (found == argumentClasses.end() || !name) {
            complain("has no argument of a known class with a name");
            return {};
        }
        if (className == "ConstantArgument") {
            return ConstantArgument{*name, value(json.contains("value") ? json["value"] : Json())};
        }
        if (className == "CustomObjArgument") {
            return CustomObjArgument{*name, text(json, "class_fqn").value_or("")};
        }
        return named<0>(static_cast<std::size_t>(found - argumentClasses.begin()), *name);
    }

    /// The argument class at `index`, among those that hold only a name.
    template<std::size_t Index>
    static ArgumentSpec named(std::size_t index, const std::string& name) {
        using Argument = std::variant_alternative_t<Index, ArgumentSpec>;
        if (index == Index) {
            Argument argument;
            argument.name = name;
            return argument;
        }
        if constexpr (Index + 1 < std::variant_size_v<ArgumentSpec>) {
            return named<Index + 1>(index, name);
        } else {
            return {};
        }
    }

    ConstantValue value(const Json& json) {
        if (json.is_boolean()) {
            return json.get<bool>();
        }
        if (json.is_number_integer()) {
            return json.get<std::int64_t>();
        }
        if (json.is_number()) {
            return json.get<double>();
        }
        if (json.is_string()) {
            return json.get<std::string>();
        }
        if (!json.is_null()) {
            complain("has a constant that is not a plain value");
        }
        return std::monostate();
    }

    std::string m_place;
};

base::Error notASignature(const std::string& why) {
    return {.code = "aot.signature", .message = "This is not a signature: " + why + "."};
}

} // namespace

std::string signatureToJson(const GraphSignature& signature) {
    SignatureContext context;
    return toJson(signature, context).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

base::Result<GraphSignature> signatureFromJson(std::string_view text) {
    const Json json = Json::parse(text, nullptr, false);
    if (!json.is_object()) {
        return base::Error{.code = "ir.json_syntax", .message = "The signature is not a JSON object."};
    }
    Reader reader;
    GraphSignature signature;
    reader.specs(json, "input_specs", signature.inputSpecs);
    reader.specs(json, "output_specs", signature.outputSpecs);
    if (!reader.wrong.empty()) {
        return notASignature(reader.wrong);
    }
    if (std::ranges::count(signature.outputSpecs, OutputKind::LossOutput, &OutputSpec::kind) > 1) {
        return notASignature("more than one output is the loss");
    }
    return signature;
}

} // namespace aotscope::aot
