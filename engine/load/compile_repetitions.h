#pragma once

#include "load/scan.h"

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace aotscope::load {

/// What a record says about where its compile begins and ends.
enum class RecordRole : std::uint8_t {
    /// Nothing, but it belongs to the compile that is going on.
    Part,
    /// Nothing: it is written at any time, without an id or with the id of a compile that has ended.
    Aside,
    /// Describes an input; comes before the graph that it is for.
    DescribesInput,
    /// Describes a symbol or a guard; comes before the graph that it is for, or later.
    Describes,
    /// Comes before the record that starts a compile, or before its graph.
    Announces,
    Starts,
    /// Dynamo's graph, or compiled autograd's.
    Graph,
    BackwardGraph,
    /// Code generation, which a backward may have after its compile has ended.
    Generates,
    Ends,
    BackwardEnds,
};

[[nodiscard]] RecordRole roleOf(const RecordName& name);

/// Tells compiles of the same id apart by the order of the records. PyTorch counts ids from 0/0 again after
/// torch._dynamo.reset(), and the log has no record of that. A compile starts with dynamo_start and ends with
/// compilation_metrics; what starts afterwards, or starts again, is another one. torch.export writes neither:
/// it has ended when records without an id follow. A backward that is compiled lazily writes its records
/// after its own compile has ended, and perhaps after others of the same id began. Follows torch 2.11 and
/// 2.15, torch/_dynamo/convert_frame.py: get_compile_id, _compile; torch/_functorch/_aot_autograd/
/// runtime_wrappers.py: the lazily compiled backward; torch/export/_trace.py.
class CompileRepetitions {
public:
    /// Records that turned out to belong to another repetition than they were assigned to.
    struct Move {
        std::vector<std::uint32_t> records;
        std::uint32_t from = 0;
        std::uint32_t to = 0;
    };

    /// The ids without the attempt, as a number.
    [[nodiscard]] std::uint32_t compileOf(const RecordOwner& owner);

    /// The repetition that the next record of the log belongs to. `moved` are earlier records that belong to
    /// it too; for most records none.
    std::uint32_t place(std::uint32_t compile, std::int32_t attempt, RecordRole role, std::uint32_t record,
                        Move& moved);
    /// Counts a record without ids.
    void placeOutside() { ++m_outside; }

    /// The graphs among which the payload of this record decides, in the order of the repetitions: it is of
    /// a backward that may belong to several compiles. Empty: there is nothing to decide.
    struct Choice {
        std::uint32_t repetition = 0;
        /// The record of the backward graph.
        std::uint32_t graph = 0;
    };
    [[nodiscard]] std::vector<Choice> choicesFor(std::uint32_t compile, std::uint32_t record) const;
    /// Decides: the records of this backward, and those that follow, belong to `repetition`.
    [[nodiscard]] Move choose(std::uint32_t compile, std::uint32_t repetition);

private:
    struct Backward {
        /// The record of the last backward graph.
        std::uint32_t graph = 0;
        std::uint32_t logged = 0;
        std::uint32_t compiled = 0;
        [[nodiscard]] bool isAwaited() const { return compiled < logged; }
    };
    struct State {
        /// One per repetition.
        std::vector<Backward> repetitions = std::vector<Backward>(1);
        bool hasStart = false;
        bool hasEnd = false;
        /// The attempt that the last graph belongs to.
        std::optional<std::int32_t> graphAttempt;
        /// It has nothing but descriptions and a graph, as an export.
        bool isBare = true;
        bool isEmpty = true;
        /// m_outside at its last record.
        std::uint64_t outside = 0;
        /// Descriptions since the compile is complete: perhaps those of the next.
        std::vector<std::uint32_t> descriptions;
        /// The backward that is being compiled after the end: its compile, its records, and whether another
        /// compile is as likely.
        std::optional<std::uint32_t> lazy;
        std::vector<std::uint32_t> lazyRecords;
        bool isLazyUnsure = false;
    };

    [[nodiscard]] static bool isComplete(const State& state);
    [[nodiscard]] bool begins(const State& state, std::int32_t attempt, RecordRole role) const;
    static void begin(State& state, Move& moved);
    static void note(State& state, std::int32_t attempt, RecordRole role, std::uint32_t record);
    static void startLazy(State& state);
    static std::uint32_t placeLazy(State& state, RecordRole role, std::uint32_t record);

    std::vector<State> m_states;
    std::unordered_map<RecordOwner, std::uint32_t, RecordOwnerHash> m_compiles;
    std::uint64_t m_outside = 0;
};

/// How many of a backward graph's calls are in the text of generated code or of a later graph, among 1000.
[[nodiscard]] std::uint32_t likeness(std::string_view backwardGraph, std::string_view later);

} // namespace aotscope::load
