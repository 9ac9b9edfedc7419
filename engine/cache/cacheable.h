#pragma once

#include "cache/cache_key.h"

#include <string>
#include <string_view>

namespace aotscope::cache {

/// Why a compile cannot be cached, in words; empty: it can. A program is cacheable if its key tells
/// everything that its calls do: operators, builtins, PyTorch's own functions by name, methods of values
/// whose type is known, and wrapped functions with a user's cache hash. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/autograd_cache.py: check_cacheable, check_node_safe; and which higher-order
/// operators are cacheable, torch/_higher_order_ops. Not seen here, because logs do not tell: inductor's
/// freezing, and a policy of selective checkpointing without a cache hash.
[[nodiscard]] std::string bypassReason(const aot::RetraceRequest& request,
                                       const CompileEnvironment& environment);

namespace detail {
/// resources/cacheable_functions.txt: Python functions that PyTorch's cache accepts by name, one a line;
/// embedded at build time.
[[nodiscard]] std::string_view cacheableFunctions();
} // namespace detail

} // namespace aotscope::cache
