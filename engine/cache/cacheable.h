#pragma once

#include "cache/cache_key.h"

#include <string>

namespace aotscope::cache {

/// Why a compile cannot be cached, in words; empty: it can. A program is cacheable if its key tells
/// everything that its calls do: operators, builtins, PyTorch's own functions by name, methods of values
/// whose type is known, and wrapped functions with a user's cache hash. Follows torch 2.15,
/// torch/_functorch/_aot_autograd/autograd_cache.py: check_cacheable, check_node_safe; and which higher-order
/// operators are cacheable, torch/_higher_order_ops. Not seen here, because logs do not tell: inductor's
/// freezing, and a policy of selective checkpointing without a cache hash.
[[nodiscard]] std::string bypassReason(const aot::RetraceRequest& request,
                                       const CompileEnvironment& environment);

} // namespace aotscope::cache
