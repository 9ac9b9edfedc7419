#pragma once

#include "aot/compiled_function.h"
#include "aot/functorch_config.h"
#include "aot/versions/torch_version.h"

#include "passes/partition_options.h"

namespace aotscope::aot {

/// Sets the partition's options to the rules of a release and to those of a configuration. All that
/// partitions a compile's joint graph goes through here.
void applyConfig(TorchVersion torch, const FunctorchConfig& config, passes::PartitionOptions& options);

/// How AOTAutograd partitions the joint graph of a trace, by the min-cut partitioner: the rules of its
/// release, its configuration, and its static inputs. What only a log tells of its symbols is missing.
[[nodiscard]] passes::PartitionOptions partitionOptionsOf(const CompiledFunction& traced);

} // namespace aotscope::aot
