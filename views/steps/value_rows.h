#pragma once

#include "steps/call_record.h"
#include "steps/value_state.h"

#include <QString>

#include <cstdint>
#include <optional>
#include <vector>

namespace aotscope::views {

/// The bytes of its storage that a tensor spans, from its first element to its last.
struct StorageSpan {
    std::uint64_t storage = 0;
    std::int64_t from = 0;
    /// Exclusive.
    std::int64_t to = 0;
    std::int64_t storageBytes = 0;
    friend bool operator==(const StorageSpan&, const StorageSpan&) = default;
};

/// Nothing for what is no strided tensor with known offset, and for a tensor without elements.
[[nodiscard]] std::optional<StorageSpan> spanOf(const steps::ValueState& value);

/// "f32[4, 3]", "8"
[[nodiscard]] QString valueWords(const steps::ValueState& value);
/// Everything about it, one fact a line.
[[nodiscard]] QString valueTip(const steps::ValueState& value);

/// A value before and after a wrapper, or at one of these moments.
struct ValueRow {
    std::optional<steps::ValueState> before;
    std::optional<steps::ValueState> after;
    steps::ValueChangeKind kind = steps::ValueChangeKind::Unchanged;
    /// What changed, in words.
    QString words;
};

/// Two lists side by side.
struct ValueSection {
    /// "Arguments → passed on"
    QString title;
    /// "3 → 2: 1 removed, 1 data mutated"
    QString summary;
    std::vector<ValueRow> rows;
};

/// What a wrapper did: to its arguments on the way in, to what it got back on the way out, and to its
/// arguments during the call. Lists that are not known yet are left out.
[[nodiscard]] std::vector<ValueSection> valueSections(const steps::WrapperCall& call);

/// "+", "−", "~", "⧉", "↕", "="
[[nodiscard]] QString changeGlyph(steps::ValueChangeKind kind);
[[nodiscard]] QString changeWord(steps::ValueChangeKind kind);

} // namespace aotscope::views
