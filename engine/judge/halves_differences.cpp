#include "judge/halves_differences.h"

#include "base/joined.h"
#include "ir/compare/first_difference.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace aotscope::judge {
namespace {

/// Where the graphs of one hook differ from the logged ones.
void addHookDifferences(const std::vector<passes::InlinedHook>& made,
                        const std::vector<passes::InlinedHook>& logged,
                        std::vector<std::string>& differences) {
    const auto compare = [&](const std::string& name, const ir::GraphPtr& ours, const ir::GraphPtr& other) {
        if (!other) {
            differences.push_back(name + ": the logged graph cannot be read");
        } else if (auto difference = differingNode(*ours, *other)) {
            differences.push_back(name + ", " + std::move(*difference));
        }
    };
    for (std::size_t i = 0; i < std::max(made.size(), logged.size()); ++i) {
        const bool areBoth = i < made.size() && i < logged.size();
        if (!areBoth || made[i].saved != logged[i].saved) {
            differences.push_back("hook " + std::to_string(i + 1) + ": made for " +
                                  (i < made.size() ? made[i].saved : "none") + ", logged for " +
                                  (i < logged.size() ? logged[i].saved : "none"));
            return;
        }
        compare("pack " + logged[i].saved, made[i].pack, logged[i].pack);
        compare("unpack " + logged[i].saved, made[i].unpack, logged[i].unpack);
    }
}

std::string fieldText(std::size_t number) {
    return std::to_string(number);
}

std::string fieldText(const std::string& text) {
    return text;
}

std::string fieldText(const std::vector<std::size_t>& numbers) {
    return "[" + base::joined(numbers) + "]";
}

std::string fieldText(const std::vector<bool>& flags) {
    return "[" + base::joined(flags, ", ", [](const bool flag) { return flag ? "True" : "False"; }) + "]";
}

} // namespace

std::optional<std::string> differingNode(const ir::Graph& made, const ir::Graph& logged) {
    // Output descriptors mark the tensors saved without a version check. The text of a joint graph does not
    // show them.
    const auto difference = ir::firstDifference(made, logged, {.ignoreOutputDescriptors = true});
    if (!difference) {
        return std::nullopt;
    }
    const auto side = [](const std::string& line) { return line.empty() ? std::string("(end)") : line; };
    return difference->what + " of node " + std::to_string(difference->position + 1) + ": made " +
           side(difference->left) + ", logged " + side(difference->right);
}

std::vector<std::string> halvesDifferences(const HalfGraphs& made, const HalfGraphs& logged, bool isText) {
    std::vector<std::string> differences;
    const auto compare = [&](const char* half, const ir::Graph& ours, const ir::Graph& other) {
        if (auto difference = differingNode(ours, other)) {
            differences.push_back(std::string(half) + ", " + std::move(*difference));
        }
    };
    compare("forward", *made.forward, *logged.forward);
    compare("backward", *made.backward, *logged.backward);
    if (areHooked(made, logged)) {
        // In a text PyTorch leaves out what the forward returns beyond the descriptors from before the hooks.
        const auto printed = ir::parseGraphText(ir::printGraph(*made.hookedForward).text);
        const bool asText = isText && printed;
        compare("forward with hooks", asText ? **printed : *made.hookedForward, *logged.hookedForward);
        compare("backward with hooks", *made.hookedBackward, *logged.hookedBackward);
        if (!logged.hooks.empty()) {
            addHookDifferences(made.hooks, logged.hooks, differences);
        }
    }
    return differences;
}

std::vector<std::string> metadataDifferences(const passes::Partition& partition, bool isTraced,
                                             const PartitionMetadata& logged) {
    const PartitionMetadata made = partitionMetadataOf(partition, isTraced);
    std::vector<std::string> differences;
    const auto compare = [&](const char* name, const auto& ours, const auto& theirs) {
        if (ours != theirs) {
            differences.push_back(std::string(name) + ": made " + (ours ? fieldText(*ours) : "None") +
                                  ", logged " + (theirs ? fieldText(*theirs) : "None"));
        }
    };
    const auto compareKnown = [&](const char* name, const auto& ours, const auto& theirs) {
        if (ours && theirs) {
            compare(name, ours, theirs);
        }
    };
    compare("num_symints_saved_for_bw", std::optional(made.savedSymInts), std::optional(logged.savedSymInts));
    // A release that does not print these may have no such field.
    if (logged.donated || logged.generatorStates) {
        compare("bw_donated_idxs", made.donated, logged.donated);
    }
    compareKnown("saved_tensor_is_graph_input", made.savedIsInput, logged.savedIsInput);
    compareKnown("num_tensors_saved_with_no_vc_check", made.savedWithoutCheck, logged.savedWithoutCheck);
    compareKnown("num_opaque_objects_saved_for_bw", made.savedOpaqueObjects, logged.savedOpaqueObjects);
    compareKnown("num_backward_tokens", made.backwardTokens, logged.backwardTokens);
    compareKnown("num_graphsafe_rng_states", made.generatorStates, logged.generatorStates);
    const bool isDeviceKnown = logged.generatorStates && (made.generatorDevice || made.generatorStates == 0U);
    if (isDeviceKnown) {
        compare("graphsafe_rng_state_index", made.generatorIndex, logged.generatorIndex);
    }
    // Not every release has it.
    if (isDeviceKnown && logged.generatorDevice) {
        compare("graphsafe_rng_device", made.generatorDevice, logged.generatorDevice);
    }
    return differences;
}

} // namespace aotscope::judge
