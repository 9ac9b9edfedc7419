#pragma once

namespace aotscope::torch {

/// Lets graphs on `cuda:0` be traced on a machine without a GPU: LibTorch is told of a CUDA device that is
/// there and does nothing. Fake tensors have no data, so nothing ever runs on it.
///
/// Takes effect at the first call, and only where the real CUDA library is not in the process (both cannot
/// be).
void installCudaStandIn();

} // namespace aotscope::torch
