#pragma once

#include "contract/partition_snapshot.h"

#include "base/result.h"

#include <memory>
#include <string_view>
#include <vector>

namespace aotscope::session {

/// Chooses saved tensors by a line of text. Its terms stand between spaces and must all hold:
///
///     bytes>1MB          bytes, share, from, last: > >= < <= = != and a number. Bytes take B, kB, MB, GB
///                        (1000) and KiB, MiB, GiB (1024); share takes % (share>5%).
///     module:attn*       name, module, dtype, shape, reason, source, category hold the pattern. * stands for
///                        any text, ? for one character; a pattern with either begins where a part of the
///                        text does (attn* is found in layers.0.attn.out) and goes to its end.
///     name=mm_1          with = the whole text
///     dtype:bf16         PyTorch's short names are known, too.
///     op:mm              the operator that computes it: mm, aten.mm, aten.mm.default or a pattern
///     relu "two words"   found in any of the texts
///     -module:head       a term with - before it must not hold
///
/// Letters' case does not matter. The empty line chooses everything.
class SavedFilter {
public:
    SavedFilter();

    /// Errors: session.filter; `place.column` is the 1-based column in the line.
    [[nodiscard]] static base::Result<SavedFilter> parse(std::string_view line);
    [[nodiscard]] bool matches(const SavedTensor& tensor) const;
    [[nodiscard]] bool isEmpty() const;

    struct Term;

private:
    std::vector<std::shared_ptr<const Term>> m_terms;
};

} // namespace aotscope::session
