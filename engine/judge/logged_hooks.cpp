#include "judge/logged_hooks.h"

#include "ir/text/parser.h"
#include "ir/text/sections.h"
#include "load/record_kind.h"

#include <string>
#include <utility>

namespace aotscope::judge {

/// They follow each other as pack and unpack of one tensor.
std::vector<passes::InlinedHook> loggedHooks(std::string_view record) {
    std::vector<passes::InlinedHook> found;
    for (const ir::NamedGraphText& section : ir::splitGraphSections(record)) {
        const bool isPack = section.name.starts_with(load::packSection);
        if (!isPack && !section.name.starts_with(load::unpackSection)) {
            continue;
        }
        const std::string saved =
            section.name.substr((isPack ? load::packSection : load::unpackSection).size());
        auto graph = ir::parseGraphText(section.text);
        if (isPack) {
            found.push_back({saved, nullptr, nullptr});
        }
        if (graph && !found.empty() && found.back().saved == saved) {
            (isPack ? found.back().pack : found.back().unpack) = std::move(graph).value();
        }
    }
    return found;
}

} // namespace aotscope::judge
