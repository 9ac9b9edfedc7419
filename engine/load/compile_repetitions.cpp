#include "load/compile_repetitions.h"

#include "load/record_kind.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace aotscope::load {

namespace {

RecordRole roleOfArtifact(std::string_view name) {
    if (name == "torch_version") {
        return RecordRole::Aside;
    }
    if (name == "recompile_reasons" || name == "compiled_autograd_graph_pre_reordering") {
        return RecordRole::Announces;
    }
    for (const std::string_view prefix :
         {"fx_graph_", "before_post_grad", "after_post_grad", "inductor_", "aotautograd_cache_"}) {
        if (name.starts_with(prefix)) {
            return RecordRole::Generates;
        }
    }
    return RecordRole::Part;
}

/// "torch.ops.aten.mul.Tensor(tangents_1, cos)" for each call in a text.
std::vector<std::string_view> callsIn(std::string_view text) {
    constexpr std::string_view start = "torch.ops.";
    std::vector<std::string_view> calls;
    for (std::size_t at = text.find(start); at != std::string_view::npos; at = text.find(start, at)) {
        std::string_view call = text.substr(at, text.find('\n', at) - at);
        call = call.substr(0, call.find(';'));
        call = call.substr(0, call.rfind(')'));
        calls.push_back(call);
        at += start.size();
    }
    return calls;
}

} // namespace

RecordRole roleOf(const RecordName& name) {
    return kindFromKey(name.key) == RecordKind::Artifact ? roleOfArtifact(name.artifact)
                                                         : roleOfKey(name.key);
}

std::uint32_t CompileRepetitions::compileOf(const RecordOwner& owner) {
    RecordOwner key = owner;
    key.id.attempt.reset();
    const auto number = static_cast<std::uint32_t>(m_states.size());
    const auto [at, isNew] = m_compiles.try_emplace(key, number);
    if (isNew) {
        m_states.emplace_back();
    }
    return at->second;
}

bool CompileRepetitions::isComplete(const State& state) {
    return state.hasEnd || (!state.hasStart && state.graphAttempt);
}

bool CompileRepetitions::begins(const State& state, std::int32_t attempt, RecordRole role) const {
    // An export is over as soon as something is logged outside of it.
    const bool isLeft = !state.hasStart && state.isBare && !state.isEmpty && state.outside != m_outside;
    switch (role) {
    case RecordRole::Starts:
        return state.hasStart || isComplete(state) || isLeft;
    case RecordRole::Announces:
        return isComplete(state) || isLeft;
    case RecordRole::Graph:
        // A log without dynamo_start may have a graph for each attempt.
        return state.hasEnd || isLeft ||
               (!state.hasStart && state.graphAttempt && attempt <= *state.graphAttempt);
    case RecordRole::DescribesInput:
        // Nothing describes inputs once a compile has ended, but an export of the same id does.
        return isLeft || (state.hasEnd && !state.lazy);
    case RecordRole::Describes:
        return isLeft;
    case RecordRole::Ends:
        return state.hasEnd;
    default:
        return false;
    }
}

void CompileRepetitions::begin(State& state, Move& moved) {
    moved.from = static_cast<std::uint32_t>(state.repetitions.size()) - 1;
    moved.to = moved.from + 1;
    moved.records = std::move(state.descriptions);
    const std::uint64_t outside = state.outside;
    std::vector<Backward> repetitions = std::move(state.repetitions);
    repetitions.emplace_back();
    state = State();
    state.repetitions = std::move(repetitions);
    state.outside = outside;
}

void CompileRepetitions::note(State& state, std::int32_t attempt, RecordRole role, std::uint32_t record) {
    if (role == RecordRole::Describes || role == RecordRole::DescribesInput) {
        if (isComplete(state)) {
            state.descriptions.push_back(record);
        }
        return;
    }
    state.descriptions.clear();
    if (role == RecordRole::Starts) {
        state.hasStart = true;
    } else if (role == RecordRole::Graph) {
        state.graphAttempt = attempt;
    } else if (role == RecordRole::Ends) {
        state.hasEnd = true;
    } else if (role == RecordRole::BackwardGraph) {
        ++state.repetitions.back().logged;
        state.repetitions.back().graph = record;
    }
    state.isBare = state.isBare && role == RecordRole::Graph;
}

void CompileRepetitions::startLazy(State& state) {
    state.lazyRecords.clear();
    const auto awaited = [](const Backward& backward) { return backward.isAwaited(); };
    const auto last = std::find_if(state.repetitions.rbegin(), state.repetitions.rend(), awaited);
    if (last == state.repetitions.rend()) {
        state.lazy = static_cast<std::uint32_t>(state.repetitions.size()) - 1;
        state.isLazyUnsure = false;
    } else {
        state.lazy = static_cast<std::uint32_t>(state.repetitions.rend() - last) - 1;
        state.isLazyUnsure = std::count_if(state.repetitions.begin(), state.repetitions.end(), awaited) > 1;
    }
}

std::uint32_t CompileRepetitions::placeLazy(State& state, RecordRole role, std::uint32_t record) {
    const std::uint32_t repetition = *state.lazy;
    if (state.isLazyUnsure) {
        state.lazyRecords.push_back(record);
    }
    if (role == RecordRole::BackwardEnds) {
        ++state.repetitions[repetition].compiled;
        state.lazy.reset();
        state.lazyRecords.clear();
    }
    return repetition;
}

std::uint32_t CompileRepetitions::place(std::uint32_t compile, std::int32_t attempt, RecordRole role,
                                        std::uint32_t record, Move& moved) {
    State& state = m_states[compile];
    const bool isNew = role != RecordRole::Aside && begins(state, attempt, role);
    if (isNew) {
        begin(state, moved);
    }
    const auto last = static_cast<std::uint32_t>(state.repetitions.size()) - 1;
    if (role == RecordRole::Aside) {
        if (!state.graphAttempt) {
            // torch 2.15 describes the inputs of an export under the id of the compile that follows; the
            // events of that compile have the id, too.
            state.outside = m_outside;
        }
        return last;
    }
    state.outside = m_outside;
    state.isEmpty = false;
    const bool isGenerated = role == RecordRole::Generates || role == RecordRole::BackwardEnds;
    const bool isDescription = role == RecordRole::Describes || role == RecordRole::DescribesInput;
    const bool isBareExport = !state.hasStart && !state.graphAttempt && state.isBare;
    if ((state.hasEnd || (isBareExport && last > 0)) && !isNew && !isDescription) {
        if (isGenerated && !state.lazy) {
            startLazy(state);
        }
        if (state.lazy) {
            state.descriptions.clear();
            return placeLazy(state, role, record);
        }
    }
    note(state, attempt, role, record);
    return last;
}

std::vector<CompileRepetitions::Choice> CompileRepetitions::choicesFor(std::uint32_t compile,
                                                                       std::uint32_t record) const {
    std::vector<Choice> choices;
    const State& state = m_states[compile];
    if (!state.lazy || !state.isLazyUnsure || state.lazyRecords.empty() ||
        state.lazyRecords.back() != record) {
        return choices;
    }
    for (std::uint32_t i = 0; i < state.repetitions.size(); ++i) {
        if (state.repetitions[i].isAwaited()) {
            choices.push_back({i, state.repetitions[i].graph});
        }
    }
    return choices;
}

CompileRepetitions::Move CompileRepetitions::choose(std::uint32_t compile, std::uint32_t repetition) {
    State& state = m_states[compile];
    Move move;
    move.from = *state.lazy;
    move.to = repetition;
    move.records = std::move(state.lazyRecords);
    state.lazyRecords.clear();
    state.lazy = repetition;
    state.isLazyUnsure = false;
    return move;
}

std::uint32_t likeness(std::string_view backwardGraph, std::string_view later) {
    const std::vector<std::string_view> calls = callsIn(backwardGraph);
    const std::vector<std::string_view> others = callsIn(later);
    const std::unordered_set<std::string_view> there(others.begin(), others.end());
    const auto found = static_cast<std::size_t>(
        std::count_if(calls.begin(), calls.end(), [&](auto call) { return there.contains(call); }));
    const std::size_t all = std::max(calls.size(), others.size());
    return all == 0 ? 0 : static_cast<std::uint32_t>(found * 1000 / all);
}

} // namespace aotscope::load
