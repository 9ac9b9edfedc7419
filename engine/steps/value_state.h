#pragma once

#include "ir/value.h"

#include "base/describe.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What a wrapper does to the values that pass through it, as plain values that a window can draw.
namespace aotscope::steps {

/// How the elements of a tensor differ from what they were before a call.
struct DataChange {
    /// How many have other bits, of how many.
    std::int64_t changed = 0;
    std::int64_t elements = 0;
    /// The largest finite difference of a number.
    double largest = 0;
    friend bool operator==(const DataChange&, const DataChange&) = default;
};
AOTSCOPE_MEMBERS(DataChange, changed, elements, largest)

/// A value in a list of arguments or results, as it was at one moment of a call.
struct ValueState {
    /// What it is in that list: the text of its descriptor, or the name of a placeholder.
    std::string name;
    /// Number of the tensor object, from 1 and the same wherever the object appears in a call. 0: no tensor.
    std::uint64_t tensor = 0;
    /// Number of its storage, from 1 and the same for all tensors that share it.
    std::uint64_t storage = 0;
    std::int64_t storageBytes = 0;
    /// Dtype, device, sizes, strides, storage offset and requires_grad, all concrete. Nothing: no tensor.
    std::optional<ir::TensorMeta> meta;
    bool isLeaf = true;
    /// Class of its node in autograd's graph ("AddBackward0"); empty: none.
    std::string gradFn;
    /// Its version counter, which every write to it increases.
    std::uint32_t version = 0;
    /// Number of the tensor that it is a view of (`_base`); 0: it is no view.
    std::uint64_t base = 0;
    /// Hash of its elements; nothing: not computed. Two moments with different hashes differ in data.
    std::optional<std::uint64_t> contents = {};
    /// The text of a value that is no tensor ("8", "None").
    std::string number = {};
    /// How an argument changed during the call; nothing: the call did not write to it.
    std::optional<DataChange> change = {};

    [[nodiscard]] bool isTensor() const { return tensor != 0; }
    friend bool operator==(const ValueState&, const ValueState&) = default;
};
AOTSCOPE_MEMBERS(ValueState, name, tensor, storage, storageBytes, meta, isLeaf, gradFn, version, base,
                 contents, number, change)

/// What happened to one value between two lists.
enum class ValueChangeKind : std::uint8_t {
    /// Same object, same metadata, same data.
    Unchanged,
    /// Only in the later list.
    Added,
    /// Only in the earlier list.
    Removed,
    /// Only in the later list, but in a storage of the earlier one: a view, a base, a detached tensor.
    Aliased,
    /// Same object; its elements changed.
    DataMutated,
    /// Same object; its sizes, strides, offset or storage changed.
    MetadataMutated,
    DataAndMetadataMutated,
    /// Same object, at another place in the list.
    Moved,
};
AOTSCOPE_WORDS(ValueChangeKind, "unchanged", "added", "removed", "aliased", "data mutated",
               "metadata mutated", "data and metadata mutated", "moved")

struct ValueChange {
    ValueChangeKind kind = ValueChangeKind::Unchanged;
    /// Positions in the two lists; nothing: not in that list.
    std::optional<std::size_t> before;
    std::optional<std::size_t> after;
    /// In words ("sizes 4x3 -> 3x4", "shares the storage of arg 0 from byte 24").
    std::string text;
    friend bool operator==(const ValueChange&, const ValueChange&) = default;
};

/// Compares two lists, such as a wrapper's arguments with those that it passes on. One entry per value of the
/// later list, in its order, then one per value that only the earlier list has. Values that are no tensors
/// are matched by position and text.
[[nodiscard]] std::vector<ValueChange> compareValues(std::span<const ValueState> before,
                                                     std::span<const ValueState> after);

} // namespace aotscope::steps
