#pragma once

#include "aot/saved_tensors_hooks.h"
#include "ir/dtype.h"

#include "base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// Saved-tensors hooks that a person writes, or that ship with the program.
namespace aotscope::hooks {

/// A pair of hooks, read from text, and the tensors that they are for.
struct HookText {
    aot::SavedTensorsHooks graphs;
    /// The comment at the top: what the hooks do.
    std::string about;
    /// Which tensors they take; empty: any.
    std::vector<ir::DType> dtypes;
    /// They keep no more of a number than whether it is above 0, so the backward may read nothing else.
    bool keepsSignOnly = false;
};

/// Reads two graphs named `pack` and `unpack` (or as Dynamo names them, `saved_tensors_hooks_pack_0`), one
/// after the other or within another graph, as FX prints them with Dynamo's calls:
///
///     # Rounds to half precision.
///     # dtypes: f64 f32
///     class pack(torch.nn.Module):
///         def forward(self, x):
///             dtype = x.dtype
///             to = x.to(torch.float16)
///             return (dtype, to)
///
///     class unpack(torch.nn.Module):
///         def forward(self, packed):
///             dtype = packed[0]
///             value = packed[1]
///             to = value.to(dtype)
///             return to
///
/// The lines `# dtypes: …` and `# read: sign` before the first graph say which tensors they are for. Errors,
/// with the line in the text: ir.text_syntax; hooks.text (one of the graphs is missing, or takes other than
/// one input, or an unknown dtype), hooks.text_size.
[[nodiscard]] base::Result<HookText> readHookText(std::string_view text);

/// The two hooks of a HookText, for places in its text.
enum class HookHalf : bool { Pack, Unpack };

/// The 1-based line where the text defines that node of one of its graphs; of an unknown or empty name the
/// line of its `return`, else 0.
[[nodiscard]] std::size_t lineOfNode(std::string_view text, HookHalf half, std::string_view node);

} // namespace aotscope::hooks
