#include "files/generated_code.h"

#include <algorithm>

namespace aotscope::session {

bool hasGeneratedCode(const LogSnapshot& log, load::CompileIndex compile) {
    return std::ranges::any_of(log.artifacts(compile), [](const load::Artifact& artifact) {
        return artifact.kind == load::RecordKind::InductorOutputCode;
    });
}

base::Result<GeneratedCodeSnapshotPtr>
readGeneratedCode(const LogSnapshot& log, const LoadGeneratedCode& command, base::Progress progress) {
    const auto compile = log.tryFindCompile(command.compile);
    if (!compile) {
        return base::Error{.code = "session.no_such_compile",
                           .message = "The log has no compile " + idText(command.compile) + "."};
    }
    AOTSCOPE_TRY(generated, inductor::generatedCode(*log.traceLog(), *compile, progress));
    auto snapshot = std::make_shared<GeneratedCodeSnapshot>();
    snapshot->compile = command.compile;
    for (inductor::GeneratedCode& one : generated) {
        auto part = std::make_unique<GeneratedCodeSnapshot::Part>();
        part->text = log.traceLog()->payload(one.record);
        AOTSCOPE_TRY(lines, base::TextLines::of(part->text, progress));
        part->lines = std::move(lines);
        part->generated = std::move(one);
        snapshot->parts.push_back(std::move(part));
    }
    return GeneratedCodeSnapshotPtr(std::move(snapshot));
}

} // namespace aotscope::session
