#include "inductor/code_builder.h"

#include "base/trimmed.h"

#include <algorithm>
#include <array>

namespace aotscope::inductor {

namespace {

struct KindName {
    std::string_view name;
    KernelKind kind;
};

/// Heuristics of torch/_inductor/runtime/triton_heuristics.py.
constexpr std::array heuristics = {
    KindName{"persistent_reduction", KernelKind::TritonPersistentReduction},
    KindName{"cooperative_reduction", KernelKind::TritonReduction},
    KindName{"reduction", KernelKind::TritonReduction},
    KindName{"pointwise", KernelKind::TritonPointwise},
    KindName{"split_scan", KernelKind::TritonSplitScan},
    KindName{"template", KernelKind::TritonTemplate},
    KindName{"foreach", KernelKind::TritonForeach},
    KindName{"combo", KernelKind::TritonForeach},
};
/// The first three letters of the category in a kernel's name.
constexpr std::array prefixes = {
    KindName{"triton_poi_", KernelKind::TritonPointwise},
    KindName{"triton_red_", KernelKind::TritonReduction},
    KindName{"triton_per_", KernelKind::TritonPersistentReduction},
    KindName{"triton_spl_", KernelKind::TritonSplitScan},
    KindName{"triton_tem_", KernelKind::TritonTemplate},
    KindName{"triton_for_", KernelKind::TritonForeach},
};

/// "pointwise" of "@triton_heuristics.pointwise(" (torch 2.0: "@pointwise("), with where its arguments begin.
struct Decorator {
    std::string_view name;
    std::size_t open = 0;
};

std::optional<Decorator> heuristicOf(std::string_view source) {
    CodeLines lines(source);
    while (const std::optional<CodeLine> line = lines.next()) {
        const std::size_t open = line->text.find('(');
        if (!line->text.starts_with('@') || open == std::string_view::npos) {
            continue;
        }
        const std::string_view path = line->text.substr(1, open - 1);
        const std::size_t dot = path.rfind('.');
        const std::string_view name = dot == std::string_view::npos ? path : path.substr(dot + 1);
        if (name != "jit") {
            return Decorator{name, line->begin + open};
        }
    }
    return std::nullopt;
}

KernelKind tritonKind(std::string_view heuristic, std::string_view kernel) {
    const auto kindIn = [](const auto& names, std::string_view text) {
        const auto* known =
            std::ranges::find_if(names, [&](const KindName& each) { return text.starts_with(each.name); });
        return known == names.end() ? std::nullopt : std::optional(known->kind);
    };
    return kindIn(heuristics, heuristic).value_or(kindIn(prefixes, kernel).value_or(KernelKind::TritonOther));
}

/// "'num_load': 2" or "num_warps=4" as a fact.
std::optional<KernelFact> factOf(std::string_view item) {
    const std::size_t sign = item.find_first_of("=:");
    if (sign == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view name = base::unquoted(base::trimmed(item.substr(0, sign)));
    return isName(name) ? std::optional(KernelFact{std::string(name),
                                                   std::string(base::trimmed(item.substr(sign + 1)))})
                        : std::nullopt;
}

/// The items of a dictionary that is written out: "{'a': 1}".
std::vector<std::string_view> dictionaryItems(std::string_view text) {
    if (!text.starts_with('{')) {
        return {};
    }
    const std::optional<std::string_view> content = bracketContent(text, 0);
    return content ? splitItems(*content) : std::vector<std::string_view>();
}

void addMetaFacts(std::string_view meta, Kernel& kernel) {
    for (const std::string_view item : dictionaryItems(meta)) {
        std::optional<KernelFact> fact = factOf(item);
        if (!fact) {
            continue;
        }
        if (fact->name == "signature" && kernel.parameters.empty()) {
            for (const std::string_view parameter :
                 dictionaryItems(base::trimmed(item.substr(item.find(':') + 1)))) {
                if (const auto sides = splitOnce(parameter, ":")) {
                    kernel.parameters.push_back({std::string(base::unquoted(base::trimmed(sides->first))),
                                                 std::string(base::unquoted(base::trimmed(sides->second)))});
                }
            }
        } else if (kernel.fact(fact->name).empty()) {
            kernel.facts.push_back(std::move(*fact));
        }
    }
}

/// `xnumel = 128` and the like, the sizes that the kernel was compiled for.
void addSizes(std::string_view source, Kernel& kernel) {
    CodeLines lines(source);
    while (const std::optional<CodeLine> line = lines.next()) {
        const auto sides = splitOnce(base::trimmed(line->text), " = ");
        if (sides && sides->first.size() <= 10 && sides->first.ends_with("numel") && isName(sides->first) &&
            kernel.fact(sides->first).empty()) {
            kernel.facts.push_back({std::string(sides->first), std::string(base::trimmed(sides->second))});
        }
    }
}

/// Older signatures have positions as keys; the names are those of the function.
void nameParameters(std::string_view source, Kernel& kernel) {
    const std::size_t jit = source.find("@triton.jit");
    const std::size_t def = jit == std::string_view::npos ? jit : source.find("def ", jit);
    const std::size_t open = def == std::string_view::npos ? def : source.find('(', def);
    const std::optional<std::string_view> content =
        open == std::string_view::npos ? std::nullopt : bracketContent(source, open);
    if (!content) {
        return;
    }
    const std::vector<std::string_view> items = splitItems(*content);
    std::vector<KernelParameter> named;
    for (std::size_t place = 0; place < items.size(); ++place) {
        const std::string name(base::trimmed(items[place].substr(0, items[place].find(':'))));
        std::string type = place < kernel.parameters.size() ? kernel.parameters[place].type : "";
        for (const KernelParameter& known : kernel.parameters) {
            if (known.name == name) {
                type = known.type;
            }
        }
        named.push_back({name, std::move(type)});
    }
    kernel.parameters = std::move(named);
}

void readTriton(std::string_view source, Kernel& kernel) {
    const std::optional<Decorator> decorator = heuristicOf(source);
    kernel.kind = tritonKind(decorator ? decorator->name : "", kernel.name);
    if (decorator) {
        const std::string_view arguments = bracketContent(source, decorator->open).value_or("");
        for (const std::string_view item : splitItems(arguments)) {
            const std::optional<KernelFact> fact = factOf(item);
            if (fact && fact->value.starts_with('{') && fact->name.ends_with("meta")) {
                addMetaFacts(fact->value, kernel);
            } else if (fact && fact->name != "filename") {
                kernel.facts.push_back(*fact);
            }
        }
    }
    nameParameters(source, kernel);
    addSizes(source, kernel);
}

} // namespace

std::vector<KernelParameter> cppParameters(std::string_view declaration) {
    std::vector<KernelParameter> parameters;
    for (const std::string_view item : splitItems(declaration)) {
        const std::size_t space = item.find_last_of(" *&");
        const std::size_t split = space == std::string_view::npos ? 0 : space + 1;
        parameters.push_back(
            {std::string(item.substr(split)), std::string(base::trimmed(item.substr(0, split)))});
    }
    return parameters;
}

void readKernelSource(std::string_view source, std::string_view family, Kernel& kernel) {
    if (family == "triton") {
        readTriton(source, kernel);
        return;
    }
    kernel.kind = family.starts_with("cpp") ? KernelKind::Cpp : KernelKind::OtherCode;
    if (kernel.kind == KernelKind::Cpp) {
        // The last one: those before it are functions that the kernel uses.
        const std::size_t function = source.rfind("extern \"C\"");
        const std::size_t open = function == std::string_view::npos ? function : source.find('(', function);
        if (open != std::string_view::npos) {
            kernel.parameters = cppParameters(bracketContent(source, open).value_or(""));
        }
    }
}

} // namespace aotscope::inductor
