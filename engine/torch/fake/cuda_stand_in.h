#pragma once

namespace aotscope::torch {

/// Lets graphs on `cuda:0` be traced on a machine without a GPU: registers CUDA hooks and a device guard that
/// report one device and do nothing. Fake tensors have no data, so nothing ever runs on it.
///
/// Takes effect at the first call, and only if the real CUDA library is not loaded.
void installCudaStandIn();

} // namespace aotscope::torch
