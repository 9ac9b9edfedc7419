#include "steps/value_state.h"

#include "base/formatted.h"
#include "base/joined.h"

namespace aotscope::steps {

namespace {

std::string joined(const ir::SymInts& sizes) {
    return "[" + base::joined(sizes) + "]";
}

/// "sizes [4, 3] -> [3, 4]"; empty when both are equal.
std::string metadataChange(const ValueState& before, const ValueState& after) {
    if (!before.meta || !after.meta) {
        return {};
    }
    std::string text;
    const auto add = [&text](const std::string& what) { text += (text.empty() ? "" : "; ") + what; };
    if (before.meta->shape != after.meta->shape) {
        add("sizes " + joined(before.meta->shape) + " -> " + joined(after.meta->shape));
    }
    if (before.meta->stride && after.meta->stride && *before.meta->stride != *after.meta->stride) {
        add("strides " + joined(*before.meta->stride) + " -> " + joined(*after.meta->stride));
    }
    if (before.meta->storageOffset != after.meta->storageOffset) {
        add("another storage offset");
    }
    if (before.storage != after.storage) {
        add("another storage");
    }
    if (before.meta->requiresGrad != after.meta->requiresGrad) {
        add(after.meta->requiresGrad.value_or(false) ? "requires grad now" : "requires no grad any more");
    }
    return text;
}

bool dataChanged(const ValueState& before, const ValueState& after) {
    if (before.contents && after.contents) {
        return *before.contents != *after.contents;
    }
    return before.version != after.version;
}

/// "new data", and how much of it where that is known.
std::string newDataText(const ValueState& after) {
    if (!after.change) {
        return "new data";
    }
    return "new data in " + std::to_string(after.change->changed) + " of " +
           std::to_string(after.change->elements) + " elements, by up to " +
           base::formatted("%.3g", after.change->largest);
}

ValueChange changeOfSame(const ValueState& before, std::size_t from, const ValueState& after,
                         std::size_t to) {
    ValueChange change{.kind = ValueChangeKind::Unchanged, .before = from, .after = to, .text = {}};
    change.text = metadataChange(before, after);
    const bool data = dataChanged(before, after);
    if (!change.text.empty()) {
        change.kind = data ? ValueChangeKind::DataAndMetadataMutated : ValueChangeKind::MetadataMutated;
        change.text += data ? "; " + newDataText(after) : "";
    } else if (data) {
        change.kind = ValueChangeKind::DataMutated;
        change.text = newDataText(after);
    } else if (from != to) {
        change.kind = ValueChangeKind::Moved;
        change.text = "from place " + std::to_string(from);
    }
    return change;
}

/// A value of the later list that is no object of the earlier one.
ValueChange newValue(std::span<const ValueState> before, const ValueState& after, std::size_t to) {
    ValueChange change{.kind = ValueChangeKind::Added, .before = std::nullopt, .after = to, .text = {}};
    if (!after.isTensor()) {
        return change;
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (before[i].isTensor() && before[i].storage == after.storage) {
            change.kind = ValueChangeKind::Aliased;
            change.before = i;
            change.text = "shares the storage of " + before[i].name;
            break;
        }
    }
    return change;
}

} // namespace

std::vector<ValueChange> compareValues(std::span<const ValueState> before,
                                       std::span<const ValueState> after) {
    std::vector<ValueChange> changes;
    std::vector<bool> used(before.size(), false);
    /// An object that a list holds twice is matched in order, the same place first.
    const auto matches = [&](std::size_t from, std::size_t to) {
        const ValueState& left = before[from];
        const ValueState& right = after[to];
        if (used[from] || left.isTensor() != right.isTensor()) {
            return false;
        }
        return left.isTensor() ? left.tensor == right.tensor : left.number == right.number;
    };
    for (std::size_t to = 0; to < after.size(); ++to) {
        std::size_t from = to < before.size() && matches(to, to) ? to : before.size();
        for (std::size_t i = 0; from == before.size() && i < before.size(); ++i) {
            from = matches(i, to) ? i : from;
        }
        if (from < before.size()) {
            used[from] = true;
            changes.push_back(changeOfSame(before[from], from, after[to], to));
        } else {
            changes.push_back(newValue(before, after[to], to));
        }
    }
    for (std::size_t from = 0; from < before.size(); ++from) {
        if (!used[from]) {
            changes.push_back(
                {.kind = ValueChangeKind::Removed, .before = from, .after = std::nullopt, .text = {}});
        }
    }
    return changes;
}

} // namespace aotscope::steps
