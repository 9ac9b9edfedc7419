#pragma once

#include "aot/compiled_function.h"
#include "json_text.h"
#include "load/wrapper_sources.h"

#include <string>
#include <vector>

namespace aotscope::cli {

/// How the logged code of a wrapper is shown: the names of its sections, or with the code itself.
enum class SourceShown { Name, Code };

/// One line per wrapper: whether it applies and why. Below it, the state of a wrapper that applies, and which
/// of the logged `sources` are its code.
[[nodiscard]] std::string wrappersText(const std::vector<aot::WrapperStep>& wrappers,
                                       const std::vector<load::WrapperSource>& sources,
                                       SourceShown shown = SourceShown::Name);
[[nodiscard]] Json wrappersJson(const std::vector<aot::WrapperStep>& wrappers,
                                const std::vector<load::WrapperSource>& sources,
                                SourceShown shown = SourceShown::Name);

/// The wrappers that PyTorch does not make for this function, one line each with the reason.
[[nodiscard]] std::string absentWrappersText(const aot::CompiledFunction& function);
[[nodiscard]] Json absentWrappersJson(const aot::CompiledFunction& function);

/// The logged sources that belong to none of these wrappers, with their code.
[[nodiscard]] Json otherSourcesJson(const std::vector<aot::WrapperStep>& wrappers,
                                    const std::vector<load::WrapperSource>& sources);

/// The code of a section, each line indented.
[[nodiscard]] std::string codeText(const load::WrapperSource& source);

} // namespace aotscope::cli
