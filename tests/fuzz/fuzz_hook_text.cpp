#include "hooks/hook_text.h"
#include "hooks/python_text.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

/// Arbitrary bytes as saved-tensors hooks: reading them never crashes or hangs, an error's line is one of the
/// text, and hooks that can be read can be written as Python.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace aotscope::hooks;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read = readHookText(text);
    const auto lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
    if (!read) {
        if (read.error().place.line > lines) {
            std::abort();
        }
        return 0;
    }
    for (const auto& [half, graph] :
         {std::pair(HookHalf::Pack, read->graphs.pack), std::pair(HookHalf::Unpack, read->graphs.unpack)}) {
        for (const aotscope::ir::NodeId id : graph->order()) {
            if (lineOfNode(text, half, graph->node(id).name) > lines) {
                std::abort();
            }
        }
    }
    const HookPlan plan{.rules = {}, .own = {{"mine", std::string(text)}}};
    (void)pythonText({.plan = plan, .hookOf = {{"saved", "mine"}}});
    return 0;
}
