#pragma once

#include "contract/backend.h"

/// The module's only exported symbol. Returns a new backend that runs and traces graphs through LibTorch on
/// the CPU; the caller owns it.
extern "C" aotscope::session::Backend* aotscopeMakeTorchBackend();
