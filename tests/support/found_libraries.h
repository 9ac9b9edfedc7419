#pragma once

#include "base/run_child.h"

#include <doctest/doctest.h>

#include <chrono>

/// What a machine that only runs the engine may lack. A case that needs it says that it is skipped.
namespace aotscope::test {

/// Whether .npz files are read and written.
inline bool hasZip() {
#ifdef AOTSCOPE_HAVE_ZIP
    return true;
#else
    MESSAGE("skipped: this build is without libzip");
    return false;
#endif
}

/// Whether Graphviz's dot can be started.
inline bool hasDot() {
    static const bool isThere = base::runChild("dot", {"-V"}, "", {std::chrono::seconds(60)}, {}).ok();
    if (!isThere) {
        MESSAGE("skipped: dot is not there");
    }
    return isThere;
}

} // namespace aotscope::test
