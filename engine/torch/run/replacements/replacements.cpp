#include "run/replacements/replacements.h"

#include "dispatch/failure.h"

#include "base/text_search.h"

#include <algorithm>
#include <string>

namespace aotscope::torch {

const Replacement* findReplacement(std::string_view target) {
    for (const std::span<const Replacement> table :
         {primitiveReplacements(), collectiveReplacements(), attentionReplacements(),
          normalizationReplacements(), quantizedReplacements()}) {
        const auto found = std::find_if(table.begin(), table.end(),
                                        [&](const Replacement& entry) { return entry.target == target; });
        if (found != table.end()) {
            return &*found;
        }
    }
    return nullptr;
}

c10::IValue callReplacement(const Replacement& replacement, std::string_view target,
                            std::vector<c10::IValue> args, const NamedValues& kwargs, RunContext& context) {
    std::vector<std::string_view> names;
    for (std::string_view rest = replacement.parameters; !rest.empty();) {
        names.push_back(base::takePart(rest, ' '));
    }
    if (args.size() > names.size()) {
        fail("run.arguments", std::string(target) + " takes at most " + std::to_string(names.size()) +
                                  " arguments, but was given " + std::to_string(args.size()) + ".");
    }
    args.resize(names.size());
    for (const auto& [name, value] : kwargs) {
        const auto place = std::find(names.begin(), names.end(), name);
        if (place == names.end()) {
            fail("run.arguments", std::string(target) + " has no argument \"" + name + "\".");
        }
        args[static_cast<std::size_t>(place - names.begin())] = value;
    }
    return replacement.compute(args, context);
}

} // namespace aotscope::torch
