// Arbitrary bytes as a trace log load or are refused, everything in the result can be examined, and a log
// that grows reads like the whole.
#include "load/trace_log.h"

#include "base/progress.h"

#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace {

using namespace aotscope::load;

/// One file for all runs, because creating one per run would cost more than reading it.
class Scratch {
public:
    Scratch() {
        m_file = ::mkstemp(m_name);
        if (m_file < 0) {
            std::abort();
        }
    }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;
    ~Scratch() {
        ::close(m_file);
        ::unlink(m_name);
    }

    void write(std::string_view bytes) const {
        if (::ftruncate(m_file, 0) != 0 ||
            ::pwrite(m_file, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
            std::abort();
        }
    }
    [[nodiscard]] std::string path() const { return m_name; }

private:
    char m_name[32] = "/tmp/aotscope-fuzz-XXXXXX"; // NOLINT: mkstemp writes into it
    int m_file = -1;
};

void expect(bool condition) {
    if (!condition) {
        std::abort();
    }
}

void lookAtEverything(const TraceLog& log) {
    expect(log.totals().records == log.recordCount());
    for (std::size_t i = 0; i < log.recordCount(); ++i) {
        const RecordId id(static_cast<std::uint32_t>(i));
        expect(log.compileOf(id).index() < log.compiles().size());
        expect(log.lineOf(id) >= 1);
        const std::string payload = log.payload(id);
        expect(log.hasPayload(id) || payload.empty());
        (void)log.envelope(id);
        (void)log.kindName(id);
        (void)log.artifactName(id);
        (void)log.stack(id);
        aotscope::base::Progress untold;
        (void)log.checkedPayload(id, untold);
    }
    for (std::size_t i = 0; i < log.compiles().size(); ++i) {
        const CompileIndex index(static_cast<std::uint32_t>(i));
        expect(CompileId::parse(log.compile(index).id.text()).has_value());
        for (const Artifact& artifact : log.artifacts(index)) {
            expect(log.tryFindArtifact(index, artifact.name).has_value());
        }
        (void)log.inputTensors(index);
        (void)log.symbolValues(index);
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data,
                                      std::size_t size) { // NOLINT: libFuzzer's name
    static const Scratch scratch;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    ReadOptions options;
    options.verifyPayloads = true;
    options.maxUnpackedBytes = 16U << 20U;
    scratch.write(bytes);
    const auto whole = TraceLog::read(scratch.path(), options);
    if (!whole) {
        expect(!whole.error().code.empty() && !whole.error().message.empty());
        return 0;
    }
    lookAtEverything(**whole);
    scratch.write(bytes.substr(0, size / 2));
    const auto half = TraceLog::read(scratch.path());
    if (half && size > 1) {
        scratch.write(bytes);
        const auto grown = TraceLog::readAppended(*half);
        expect(grown.ok());
        expect((*grown)->recordCount() == (*whole)->recordCount());
        expect((*grown)->totals().lines == (*whole)->totals().lines);
    }
    return 0;
}
