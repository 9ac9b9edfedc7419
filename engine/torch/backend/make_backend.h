#pragma once

#include "session/backend.h"

/// The module's only symbol: a backend that runs graphs through LibTorch on the CPU. The caller owns it.
extern "C" aotscope::session::Backend* aotscopeMakeTorchBackend();
