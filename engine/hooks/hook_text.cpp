#include "hooks/hook_text.h"

#include "ir/text/parser.h"
#include "ir/text/sections.h"

#include "base/text_search.h"
#include "base/trimmed.h"

#include <algorithm>
#include <array>
#include <utility>

namespace aotscope::hooks {
namespace {

constexpr std::size_t largestText = std::size_t{1} << 20;
constexpr std::size_t mostNodes = 10'000;
constexpr std::array<std::string_view, 2> shortNames = {"pack", "unpack"};
constexpr std::array<std::string_view, 2> dynamoNames = {"saved_tensors_hooks_pack_0",
                                                         "saved_tensors_hooks_unpack_0"};

constexpr std::size_t indexOf(HookHalf half) {
    return half == HookHalf::Pack ? 0 : 1;
}

bool isNamed(std::string_view name, HookHalf half) {
    return name == shortNames[indexOf(half)] || name == dynamoNames[indexOf(half)];
}

base::Error textError(std::string message, std::size_t line = 0) {
    return {
        .code = "hooks.text",
        .message = std::move(message),
        .place = {.line = line},
        .hint =
            "Write two classes: `class pack(torch.nn.Module):` and `class unpack(torch.nn.Module):`, each "
            "with a `def forward(self, x):`."};
}

/// Calls `each(line, number)` for each line of a text, from 1, until it returns false.
template<typename Each>
void forEachLine(std::string_view text, const Each& each) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        if (!each(base::takePart(text, '\n'), number)) {
            return;
        }
    }
}

/// "class pack(" gives "pack".
std::string_view className(std::string_view line) {
    constexpr std::string_view keyword = "class ";
    const std::string_view text = base::trimmed(line);
    return text.starts_with(keyword)
               ? base::trimmed(text.substr(keyword.size(), text.find('(') - keyword.size()))
               : std::string_view();
}

/// Reads the words of `# dtypes: f32 f16`.
base::Result<void> addDtypes(std::string_view words, std::size_t line, HookText& hooks) {
    while (!(words = base::trimmed(words)).empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(word.size());
        if (word == "any") {
            continue;
        }
        const auto dtype = ir::dtypeFromShortName(word);
        if (!dtype) {
            return textError("\"" + std::string(word) + "\" is no dtype: write f32, bf16, f8e4m3fn, or any.",
                             line);
        }
        hooks.dtypes.push_back(*dtype);
    }
    return {};
}

/// Reads the comments before the first graph.
base::Result<void> readHead(std::string_view text, HookText& hooks) {
    constexpr std::string_view dtypes = "dtypes:";
    constexpr std::string_view read = "read:";
    base::Result<void> result;
    forEachLine(text, [&](std::string_view line, std::size_t number) {
        const std::string_view content = base::trimmed(line);
        if (content.empty()) {
            return true;
        }
        if (content.front() != '#') {
            return false;
        }
        const std::string_view comment = base::trimmed(content.substr(1));
        if (comment.starts_with(dtypes)) {
            result = addDtypes(comment.substr(dtypes.size()), number, hooks);
        } else if (comment.starts_with(read)) {
            hooks.keepsSignOnly = base::trimmed(comment.substr(read.size())) == "sign";
            if (!hooks.keepsSignOnly) {
                result = textError("After \"read:\" stands sign.", number);
            }
        } else {
            hooks.about += (hooks.about.empty() ? "" : " ") + std::string(comment);
        }
        return result.ok();
    });
    return result;
}

/// The graph of one hook among the sections of the text, or within one of them.
base::Result<ir::GraphPtr> readHalf(std::string_view text, HookHalf half) {
    for (const ir::NamedGraphText& section : ir::splitGraphSections(text)) {
        const std::string_view first = section.text.substr(0, section.text.find('\n'));
        const bool isIt = isNamed(className(first), half) || isNamed(section.name, half);
        const bool mayHoldIt = section.text.find(dynamoNames[indexOf(half)]) != std::string_view::npos;
        if (!isIt && !mayHoldIt) {
            continue;
        }
        auto graph = ir::parseGraphText(section.text);
        if (!graph) {
            base::Error error = std::move(graph).error();
            error.place.line += error.place.line == 0 ? 0 : section.line;
            return error;
        }
        ir::GraphPtr found = isIt ? *graph : (*graph)->trySubgraph(dynamoNames[indexOf(half)]);
        if (found) {
            return found;
        }
    }
    return textError("The text has no graph named " + std::string(shortNames[indexOf(half)]) + ".");
}

base::Result<ir::GraphPtr> checkedHalf(std::string_view text, HookHalf half) {
    auto graph = readHalf(text, half);
    if (!graph) {
        return graph;
    }
    const std::string name(shortNames[indexOf(half)]);
    const std::size_t inputs = (*graph)->placeholders().size();
    if (inputs != 1) {
        return textError("The " + name + " hook takes " + std::to_string(inputs) + " inputs and not one.",
                         lineOfNode(text, half, "forward"));
    }
    if (!(*graph)->output()) {
        return textError("The " + name + " hook returns nothing.", lineOfNode(text, half, {}));
    }
    if ((*graph)->size() > mostNodes) {
        return textError("The " + name + " hook has " + std::to_string((*graph)->size()) +
                         " nodes; at most " + std::to_string(mostNodes) + " are read.");
    }
    return graph;
}

/// Whether the line defines the name: `name = …`, `name: "…" = …`, `def name(`.
bool defines(std::string_view line, std::string_view name) {
    std::string_view text = base::trimmed(line);
    if (text.starts_with("def ")) {
        text.remove_prefix(4);
    }
    if (!text.starts_with(name)) {
        return false;
    }
    const std::string_view rest = base::trimmed(text.substr(name.size()));
    return rest.starts_with('(') || rest.starts_with(':') ||
           (rest.starts_with('=') && !rest.starts_with("=="));
}

} // namespace

base::Result<HookText> readHookText(std::string_view text) {
    if (text.size() > largestText) {
        return base::Error{.code = "hooks.text_size",
                           .message = "The text of the hooks has " + std::to_string(text.size()) +
                                      " bytes; at most " + std::to_string(largestText) + " are read."};
    }
    HookText hooks;
    AOTSCOPE_CHECK(readHead(text, hooks));
    AOTSCOPE_TRY(pack, checkedHalf(text, HookHalf::Pack));
    AOTSCOPE_TRY(unpack, checkedHalf(text, HookHalf::Unpack));
    hooks.graphs = {std::move(pack), std::move(unpack)};
    return hooks;
}

std::size_t lineOfNode(std::string_view text, HookHalf half, std::string_view node) {
    bool inside = false;
    std::size_t definition = 0;
    std::size_t returned = 0;
    forEachLine(text, [&](std::string_view line, std::size_t number) {
        if (const std::string_view name = className(line); !name.empty()) {
            inside = isNamed(name, half);
        } else if (inside && definition == 0 && !node.empty() && defines(line, node)) {
            definition = number;
        } else if (inside && base::trimmed(line).starts_with("return")) {
            returned = number;
        }
        return true;
    });
    return definition != 0 ? definition : returned;
}

} // namespace aotscope::hooks
