#pragma once

#include "aot/functorch_config.h"

#include "base/verdict.h"

namespace aotscope::aot {

/// Takes back "differs" where an option can be the reason of the difference: "not supported" where one that
/// touches what was compared is not followed, "not comparable" where one is only assumed (see
/// assumedOptions). The reason names the option; the difference becomes a line of what was not compared.
/// `release`: the one whose defaults hold; `touched`: flags of aot::touches.
void doubtDifference(base::Verdict& verdict, const FunctorchConfig& config, TorchVersion release,
                     unsigned touched);
/// Only the first of both: for halves that a person's choices change anyway.
void doubtNotFollowed(base::Verdict& verdict, const FunctorchConfig& config, TorchVersion release,
                      unsigned touched);

} // namespace aotscope::aot
