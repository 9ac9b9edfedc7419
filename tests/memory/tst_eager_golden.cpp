#include "memory/memory_profile.h"
#include "support/corpus_case.h"

#include "../passes/golden_partitions.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <iostream>
#include <set>

using namespace aotscope;

namespace {

/// Whether activation checkpointing is used. Then the partition saves less than eager would without it, and
/// the joint graph does not show eager's checkpoints.
bool isCheckpointed(const ir::Graph& joint) {
    return std::ranges::any_of(joint.order(), [&](ir::NodeId id) {
        const auto& origin = joint.node(id).origin;
        return origin && !origin->recompute.empty();
    });
}

/// Whether a subgraph is called. The partition splits it too, and its forward returns what it saves; eager's
/// joint graph has it as a single call.
bool callsSubgraph(const ir::Graph& joint) {
    return !joint.subgraphs().empty();
}

std::set<std::string> namesOf(const memory::LiveRange& range) {
    std::set<std::string> names(range.aliases.begin(), range.aliases.end());
    names.insert(range.name);
    return names;
}

} // namespace

// PyTorch's default partition saves what autograd reads later and recomputes nothing, like eager. So eager
// must keep what this partition saves.
TEST_CASE("eager keeps through the loss what PyTorch's default partition saves" * test::needsCorpus()) {
    int compared = 0;
    std::size_t savedValues = 0;
    test::forEachGoldenPartition([&](const test::GoldenPartition& golden) {
        const bool byDefault = golden.options.partitioner == passes::Partitioner::Default;
        if (!byDefault || golden.hooks || isCheckpointed(*golden.joint) || callsSubgraph(*golden.joint)) {
            return;
        }
        ++compared;
        const auto profile =
            memory::profileEager(*golden.joint, *golden.options.forwardOutputs, golden.options.staticInputs);
        const std::set<std::string> saved(golden.saved.begin(), golden.saved.end());
        std::set<std::string> kept;
        for (const memory::LiveRange& range : profile.ranges) {
            const std::set<std::string> names = namesOf(range);
            if (range.category == memory::Category::SavedActivation) {
                CHECK_MESSAGE(std::ranges::any_of(names, [&](auto& name) { return saved.contains(name); }),
                              golden.where << " keeps " << range.name << ", which PyTorch does not save");
            }
            if (range.from < profile.forwardEnd && range.last > profile.forwardEnd) {
                kept.insert(names.begin(), names.end());
            }
        }
        for (const std::string& name : saved) {
            const auto node = golden.joint->tryFind(name);
            if (!node || ir::asTensor(golden.joint->node(*node).value) == nullptr) {
                continue; // A number takes no memory.
            }
            ++savedValues;
            CHECK_MESSAGE(kept.contains(name), golden.where << " frees " << name << ", which PyTorch saves");
        }
    });
    std::cout << compared << " default partitions, " << savedValues << " saved tensors\n";
    CHECK(compared > 50);
}
