#include "cache/cache_key.h"

#include "aot/function_fields_json.h"
#include "aot/partition_fields_json.h"
#include "ir/json/graph_json.h"
#include "load/md5.h"

#include <algorithm>
#include <set>

namespace aotscope::aot::detail {

template<>
struct Fields<cache::CompileEnvironment> {
    static constexpr void visit(auto& field, auto& environment) {
        field("libtorch", environment.libTorch);
        field("engine", environment.engine);
        field("partition", environment.partition);
        field("hooks", environment.hooks);
        field("chosen_hooks", environment.chosenHooks);
        field("hook_filter", environment.hookFilter);
    }
};

static_assert(listsAllMembers<RetraceRequest>);
static_assert(listsAllMembers<CompiledFunction>);
static_assert(listsAllMembers<cache::CompileEnvironment>);

} // namespace aotscope::aot::detail

namespace aotscope::cache {

namespace {

using Json = aot::detail::Json;
using aot::detail::NotInKey;

/// Inputs that share memory and have symbolic sizes: whether they overlap is computed from the symbols'
/// values, without a guard.
bool overlapDependsOnValues(const aot::RetraceRequest& request) {
    if (request.program->symbols().empty()) {
        return false;
    }
    std::set<std::int64_t> storages;
    return std::ranges::any_of(request.inputs, [&](const aot::RetraceInput& input) {
        return input.storage >= 0 && !storages.insert(input.storage).second;
    });
}

/// A text that is the same for no other list of components.
std::string joined(const std::vector<KeyComponent>& components) {
    std::string text;
    for (const KeyComponent& component : components) {
        text += component.name + " " + std::to_string(component.text.size()) + "\n" + component.text + "\n";
    }
    return text;
}

/// Visits the list of a struct's members: each becomes a component, but for those marked as no part of a key.
class MemberComponents {
public:
    void operator()(const char* name, const auto& value) {
        m_components.push_back({name, textOf(toJson(value, m_context))});
    }
    void operator()(const char* /*name*/, const auto& /*value*/, NotInKey /*mark*/) {}
    void elsewhere(const auto& /*value*/, NotInKey /*mark*/) {}
    /// The graph that is compiled, first (CacheKey::components), and as the text that it is already.
    void operator()(const char* /*name*/, const ir::GraphPtr& graph) {
        m_components.insert(m_components.begin(), {"program", ir::graphToJson(*graph)});
    }
    void operator()(const char* /*name*/, const aot::CompileConfiguration& configuration) {
        addMembers(configuration);
    }
    template<typename T>
    void addMembers(const T& value) {
        aot::detail::Fields<T>::visit(*this, value);
    }
    [[nodiscard]] std::vector<KeyComponent> take() { return std::move(m_components); }

private:
    static std::string textOf(const Json& json) {
        if (json.is_null()) {
            return "none";
        }
        return json.is_string() ? json.get<std::string>()
                                : json.dump(-1, ' ', false, Json::error_handler_t::replace);
    }

    aot::detail::JsonContext m_context = {.forKey = true};
    std::vector<KeyComponent> m_components;
};

CacheKey keyOfMembers(MemberComponents components, const CompileEnvironment& environment) {
    components.addMembers(environment);
    components("format", formatVersion);
    return keyFrom(components.take());
}

} // namespace

CacheKey keyOf(const aot::RetraceRequest& request, const CompileEnvironment& environment) {
    aot::RetraceRequest asked = request;
    asked.program = ir::withSymbolHints(request.program, {});
    asked.functorch = request.functorch.value_or(aot::defaultConfig(request.torch));
    MemberComponents components;
    components.addMembers(asked);
    components("values", overlapDependsOnValues(request) ? std::optional(request.symbolHints) : std::nullopt);
    return keyOfMembers(std::move(components), environment);
}

CacheKey keyOfPartition(const aot::CompiledFunction& traced, const CompileEnvironment& environment) {
    MemberComponents components;
    components.addMembers(traced);
    return keyOfMembers(std::move(components), environment);
}

CacheKey keyFrom(std::vector<KeyComponent> components) {
    CacheKey key;
    key.components = std::move(components);
    key.digest = load::md5Of(joined(key.components));
    key.programDigest = key.components.empty() ? std::string() : load::md5Of(key.components.front().text);
    return key;
}

std::string graphKey(const ir::GraphPtr& graph) {
    return load::md5Of(ir::graphToJson(*ir::withSymbolHints(graph, {})));
}

std::string componentsApart(const CacheKey& stored, const CacheKey& requested) {
    constexpr std::size_t longest = 60;
    std::string text;
    for (std::size_t i = 0; i < std::max(stored.components.size(), requested.components.size()); ++i) {
        const KeyComponent none;
        const KeyComponent& left = i < stored.components.size() ? stored.components[i] : none;
        const KeyComponent& right = i < requested.components.size() ? requested.components[i] : none;
        if (left == right) {
            continue;
        }
        text += (text.empty() ? "" : ", ") + (right.name.empty() ? left.name : right.name);
        if (left.text.size() <= longest && right.text.size() <= longest) {
            text += " (stored " + left.text + ", requested " + right.text + ")";
        }
    }
    return text;
}

} // namespace aotscope::cache
