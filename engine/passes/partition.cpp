#include "passes/partition.h"

#include "passes/pass_manager.h"

#include <utility>

namespace aotscope::passes {

base::Result<Partition> partitionJointGraph(const ir::GraphPtr& joint, const PartitionOptions& options,
                                            base::Progress progress, const PassObserver& observer) {
    Splitting split{.options = options, .partition = {}};
    split.partition.joint = joint;
    split.partition.rules = options.rules;
    split.partition.donatesBuffers = options.donatesBuffers;
    auto halves = runPasses(partitionPasses(), std::move(split), std::move(progress), observer);
    return halves ? base::Result<Partition>(std::move(halves->partition)) : std::move(halves).error();
}

} // namespace aotscope::passes
