#pragma once

#include "ir/symbolic/relation.h"

#include <cstdint>
#include <optional>

namespace aotscope::ir {

/// The least and greatest value of a number; nothing where unbounded or unknown.
struct SymRange {
    std::optional<std::int64_t> least = {};
    std::optional<std::int64_t> most = {};

    /// The numbers that have a relation to `number`.
    [[nodiscard]] static SymRange of(SymRelation::Kind relation, std::int64_t number);
    /// Whether a number within it has the relation to 0; nothing: only some have it.
    [[nodiscard]] std::optional<bool> compared(SymRelation::Kind relation) const;

    /// The ranges of a sum and of a negated number; a bound that does not fit in 64 bits is unknown.
    friend SymRange operator+(const SymRange& left, const SymRange& right);
    friend SymRange operator-(const SymRange& range);
    /// What is in both.
    friend SymRange operator&(const SymRange& left, const SymRange& right);
};

[[nodiscard]] std::optional<bool> opposite(std::optional<bool> answer);

} // namespace aotscope::ir
