#pragma once

#include "contract/partition_snapshot.h"

#include <vector>

/// A partition as table rows.
namespace aotscope::session {

/// Tensors, then symbolic integers, in the order in which the forward returns them.
[[nodiscard]] std::vector<SavedTensor> savedTensors(const GraphSnapshot& joint,
                                                    const passes::Partition& partition,
                                                    const memory::MemoryProfile& profile);

/// In the joint graph's order.
[[nodiscard]] std::vector<RecomputedValue> recomputedValues(const GraphSnapshot& joint,
                                                            const passes::Partition& partition);

} // namespace aotscope::session
