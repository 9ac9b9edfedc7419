#pragma once

#include "run/state/frame.h"
#include "stepping/caller_state.h"

#include "steps/checkpoint_plan.h"

#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aotscope::torch {

/// Which tensors and storages a graph was called with, without keeping them alive.
class CalledWith {
public:
    CalledWith() = default;
    explicit CalledWith(const std::vector<c10::IValue>& inputs);

    /// Index of the input; nothing: none of them.
    [[nodiscard]] std::optional<std::size_t> inputOf(const at::Tensor& tensor) const;
    [[nodiscard]] std::optional<std::size_t> inputOf(const c10::StorageImpl* storage) const;
    /// The input's version counter; nothing: nobody holds the input any more.
    [[nodiscard]] std::optional<std::uint32_t> versionOf(std::size_t input) const;

private:
    // Weak references keep an address from being used again.
    std::unordered_map<std::size_t, c10::weak_intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>>
        m_tensors;
    std::vector<c10::weak_intrusive_ptr<c10::StorageImpl>> m_storages;
    std::unordered_map<const c10::TensorImpl*, std::size_t> m_ofTensor;
    std::unordered_map<const c10::StorageImpl*, std::size_t> m_ofStorage;
};

/// The elements of an input that the graph has written to so far.
struct WrittenInput {
    std::size_t input = 0;
    at::Tensor bytes;
    /// The input's version counter: a graph that tracks views counts its writes. Nothing: nobody holds the
    /// input any more.
    std::optional<std::uint32_t> version = {};
};

/// What a graph has computed before one of its nodes: enough to continue from there in another call with
/// equal inputs. Results are kept by reference, because nodes do not write to them again; where one does,
/// `keepCopy` must be called before.
class FrameCheckpoint {
public:
    /// Keeps the values that `frame` has before the node at `position` of the graph's order.
    FrameCheckpoint(const Frame& frame, std::size_t position, const CalledWith& inputs,
                    std::vector<WrittenInput> written);

    /// Puts the values into the frame of another call, and what the graph has written into its inputs.
    /// Tensors that are inputs, or lie in their memory, are so again.
    void restore(Frame& frame, const std::vector<c10::IValue>& inputs) const;

    [[nodiscard]] std::size_t position() const { return m_position; }
    [[nodiscard]] const std::vector<WrittenInput>& written() const { return m_written; }
    /// The storages that it keeps, but for those of the callers.
    [[nodiscard]] std::vector<steps::KeptStorage> storages(const CallerState& callers) const;
    /// Whether what it keeps would change if that storage were written to.
    [[nodiscard]] bool keeps(const c10::StorageImpl* storage) const;
    /// Replaces a storage that is about to be written to by a copy.
    void keepCopy(const c10::StorageImpl* storage, const c10::Storage& copy);

private:
    /// One tensor object.
    struct Kept {
        at::Tensor tensor;
        std::uint32_t version = 0;
        /// It is that input, or lies in its memory.
        std::optional<std::size_t> input;
        std::optional<std::size_t> inputStorage;
        /// The storage is a separate copy, which a graph that continues from here may write to.
        bool copied = false;
        [[nodiscard]] bool refersTo(const c10::StorageImpl* storage) const;
    };
    [[nodiscard]] std::size_t keepTensor(const at::Tensor& tensor, const CalledWith& inputs,
                                         std::unordered_map<const c10::TensorImpl*, std::size_t>& known);

    std::size_t m_position;
    std::vector<Kept> m_tensors;
    /// Node index and value, whose tensors are those of `m_tensors`.
    std::vector<std::pair<std::size_t, c10::IValue>> m_values;
    std::vector<WrittenInput> m_written;
    ir::SymbolBindings m_symbols;
    at::Tensor m_generator;
};

/// The checkpoints of a call: states inside of its graphs' runs, from which a later passage continues instead
/// of recomputing what comes before.
class Checkpoints {
public:
    /// Storages that the callers keep anyway do not count; `callers` must outlive it.
    Checkpoints(std::int64_t limit, const CallerState& callers)
        : m_plan(limit, spacing), m_callers(callers) {}

    /// Whether there is room for one at that event.
    [[nodiscard]] bool wants(std::size_t event) const { return m_plan.wants(event); }
    [[nodiscard]] bool has(std::size_t run, std::size_t event) const { return m_all.contains({run, event}); }
    /// `run` counts the graphs' runs in the call. `isEnd`: nothing of the graph is left to run.
    void add(std::size_t run, std::size_t event, FrameCheckpoint checkpoint, bool isEnd);
    /// The last one of that run that is not behind `event`, and its event; null: none.
    [[nodiscard]] std::pair<const FrameCheckpoint*, std::size_t> lastOf(std::size_t run,
                                                                        std::size_t event) const;
    /// Whether one lies behind `from` and not behind `to`.
    [[nodiscard]] bool anyBetween(std::size_t from, std::size_t to) const;
    /// Copies what checkpoints keep of a storage that is about to be written to.
    void beforeWrite(const c10::Storage& storage);

    [[nodiscard]] const steps::CheckpointPlan& plan() const { return m_plan; }

private:
    /// Computing that many nodes again is hardly felt.
    static constexpr std::size_t spacing = 16;
    void drop(const std::vector<std::size_t>& events);

    steps::CheckpointPlan m_plan;
    const CallerState& m_callers;
    /// By run and event.
    std::map<std::pair<std::size_t, std::size_t>, FrameCheckpoint> m_all;
};

/// The tensor's version counter; 0 for one of inference mode, which counts none.
[[nodiscard]] std::uint32_t versionOf(const at::Tensor& tensor);

/// A copy of a storage's bytes in the CPU's memory.
[[nodiscard]] at::Tensor bytesOf(const c10::Storage& storage);

/// A storage with the same bytes.
[[nodiscard]] c10::Storage copyOf(const c10::Storage& storage);

} // namespace aotscope::torch
