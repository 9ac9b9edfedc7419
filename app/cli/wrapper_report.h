#pragma once

#include "answer.h"

#include "aot/compiled_function.h"
#include "load/wrapper_sources.h"

#include <string>
#include <string_view>
#include <vector>

namespace aotscope::cli {

/// How the logged code of a wrapper is shown: the names of its sections, or with the code itself.
enum class SourceShown { Name, Code };

struct WrapperAnswer {
    /// PyTorch's class.
    std::string wrapper;
    bool applies = false;
    std::string reason;
    /// Its members as aot::wrappersToJson writes them.
    Json state;
    /// The logged code of it.
    std::vector<load::WrapperSource> sources = {};
};
AOTSCOPE_MEMBERS(WrapperAnswer, wrapper, applies, reason, state, sources)

/// A wrapper that PyTorch does not make, and why.
struct AbsentWrapper {
    std::string wrapper;
    std::string reason;
};
AOTSCOPE_MEMBERS(AbsentWrapper, wrapper, reason)

/// One line per wrapper: whether it applies and why. Below it, the state of a wrapper that applies, and which
/// of the logged `sources` are its code.
[[nodiscard]] std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers,
                                       const std::vector<load::WrapperSource>& sources,
                                       SourceShown shown = SourceShown::Name);
[[nodiscard]] std::vector<WrapperAnswer> wrapperAnswers(const std::vector<aot::WrapperStep>& wrappers,
                                                        const std::vector<load::WrapperSource>& sources);

/// In the order of the wrappers, and the same as a line each.
[[nodiscard]] std::vector<AbsentWrapper> absentWrappers(const aot::CompiledFunction& function);
[[nodiscard]] std::string absentWrappersText(const aot::CompiledFunction& function);

/// The logged sources that belong to none of these wrappers, with their code.
[[nodiscard]] std::vector<load::WrapperSource> otherSources(const std::vector<aot::WrapperStep>& wrappers,
                                                            std::vector<load::WrapperSource> sources);

/// The code of a section, each line indented.
[[nodiscard]] std::string codeText(std::string_view code);

} // namespace aotscope::cli
