#pragma once

#include "base/describe.h"

/// What the partitioners do differently from one release of torch to the next. Which release does what stands
/// in aot/versions alone; defaults are those of torch 2.11.
namespace aotscope::passes {

struct PartitionRules {
    // Which equal calls become one.

    /// A call that the backward needs is not merged with one that it does not need: merged, the value would
    /// be saved for the backward although only the forward reads it.
    bool mergesWithinAHalf = false;
    /// No impure call and no call of any random operator is merged; otherwise those of a short list are not.
    bool mergesPureCallsAlone = false;
    /// What a functional wrapper of a mutation writes to (auto_functionalized, auto_functionalized_v2,
    /// triton_kernel_wrapper_functional) is not merged: two buffers stay two.
    bool keepsMutatedBuffersApart = false;
    /// Floating-point arguments are equal if their bits are; otherwise by Python's ==.
    bool comparesFloatsByBits = false;

    // Properties of operators.

    /// Attention called with dropout 0 draws no random numbers, so no generator's state is kept for it.
    bool attentionDrawsOnlyForDropout = false;
    /// leaky_relu, _conj_physical and the in-place forms of some activations are pointwise.
    bool leakyReluIsPointwise = false;
    /// prims.prepare_softmax_online may be recomputed.
    bool onlineSoftmaxIsRecomputable = false;
    /// streams.record_stream stays although nothing uses its result.
    bool recordStreamHasEffect = false;

    // What is saved, and what cannot be.

    /// The default partition never saves aten._assert_async.
    bool asyncAssertionsAreNeverSaved = false;
    /// A condition that nothing but assertions reads is not saved: it is asserted in the forward.
    bool assertedConditionsAreNotSaved = false;
    /// For a collective that returns several tensors, each tensor is marked instead of the tuple.
    bool marksElementsOfCollectives = false;
    /// The results of effectful operators are saved even if a checkpoint prefers to recompute them, and it is
    /// an error if it must.
    bool effectsAreNeverRecomputed = false;
    /// An input that is overwritten after the forward has returned cannot be saved.
    bool overwrittenInputsCannotBeSaved = false;
    /// If there is nothing for the knapsack to choose from, the last cut stands; otherwise the inputs and
    /// what must be saved are saved.
    bool emptyKnapsackKeepsTheCut = false;
    /// Only the node that creates an unbacked symbol binds it, not each node whose value it is.
    bool onlyMakersBindSymbols = false;
    /// For the sizes of a saved value also those symbols are saved that were found to be equal to others: a
    /// size keeps the symbol of the input that it comes from.
    bool savesSymbolsOfEqualSizes = false;
    /// A symbol without an example value counts as 4096 only within the bounds that the graph asserts.
    bool guessesWithinAssertedBounds = false;

    // The cost of recomputation.

    /// Attention on the CPU has a count of operations, flex_attention has one too, and packed attention
    /// without lengths takes sequences before heads.
    bool countsAllAttention = false;

    // Symbolic floats, and calls of subgraphs.

    /// Numbers in pow, clamp_min and clamp_max become tensors too, keyword arguments are kept, and the number
    /// in a tensor of one element with dimensions becomes one without.
    bool tensorifiesMore = false;
    /// Calls of a subgraph and of its backward belong together by the `call_id` in their annotations, and a
    /// forward call may have no backward.
    bool pairsCallsById = false;

    friend bool operator==(const PartitionRules&, const PartitionRules&) = default;
};
AOTSCOPE_MEMBERS(PartitionRules, mergesWithinAHalf, mergesPureCallsAlone, keepsMutatedBuffersApart,
                 comparesFloatsByBits, attentionDrawsOnlyForDropout, leakyReluIsPointwise,
                 onlineSoftmaxIsRecomputable, recordStreamHasEffect, asyncAssertionsAreNeverSaved,
                 assertedConditionsAreNotSaved, marksElementsOfCollectives, effectsAreNeverRecomputed,
                 overwrittenInputsCannotBeSaved, emptyKnapsackKeepsTheCut, onlyMakersBindSymbols,
                 savesSymbolsOfEqualSizes, guessesWithinAssertedBounds, countsAllAttention, tensorifiesMore,
                 pairsCallsById)

} // namespace aotscope::passes
