#include "run/measuring/profile_run.h"

#include "dispatch/failure.h"
#include "dispatch/handled_error.h"

#include "base/log.h"
#include "timeline/node_matchers.h"

// The headers of the profiler are heavy, and read here alone.
#include <torch/csrc/autograd/profiler_kineto.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <mutex>
#include <set>

namespace aotscope::torch {

namespace {

namespace kineto = ::torch::profiler::impl;
namespace profiler = ::torch::autograd::profiler;

/// Kineto writes notes to standard error about each trace, unless this variable is set before it begins.
void quietenKineto() {
    static std::once_flag once;
    std::call_once(once, [] { ::setenv("KINETO_LOG_LEVEL", "99", 0); }); // NOLINT: before Kineto's threads
}

kineto::ProfilerConfig config() {
    return kineto::ProfilerConfig(kineto::ProfilerState::KINETO, /*report_input_shapes=*/true,
                                  /*profile_memory=*/true);
}

std::set<kineto::ActivityType> activities() {
    std::set<kineto::ActivityType> chosen{kineto::ActivityType::CPU};
    if (at::hasCUDA()) {
        chosen.insert(kineto::ActivityType::CUDA);
    }
    return chosen;
}

/// A temporary folder for one file, removed with it.
class TraceFile {
public:
    TraceFile() {
        std::string name = (std::filesystem::temp_directory_path() / "aotscope-profile-XXXXXX").string();
        if (::mkdtemp(name.data()) == nullptr) {
            fail("run.profile", "There is no temporary folder for the profiler's trace.",
                 "Set TMPDIR to a folder that can be written.");
        }
        m_folder = name;
    }
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;
    ~TraceFile() {
        std::error_code failed;
        std::filesystem::remove_all(m_folder, failed);
    }

    [[nodiscard]] std::string path() const { return (m_folder / "trace.json").string(); }
    [[nodiscard]] std::string text() const {
        std::ifstream in(path(), std::ios::binary);
        std::string text{std::istreambuf_iterator<char>(in), {}};
        if (text.empty()) {
            fail("run.profile", "LibTorch's profiler wrote no trace.", "Is the disk of " + path() + " full?");
        }
        return text;
    }

private:
    std::filesystem::path m_folder;
};

/// Since 2.15 LibTorch only warns when a profiler is ended twice, and gives a result without a trace.
void requireActive() {
    if (!kineto::profilerEnabled()) {
        fail("run.profile", "LibTorch's profiler was ended before the run.");
    }
}

} // namespace

ProfiledRun::ProfiledRun() {
    if (kineto::profilerEnabled()) {
        fail("run.profile", "LibTorch's profiler runs already in this process, and there is only one.");
    }
    quietenKineto();
    profiler::prepareProfiler(config(), activities());
    profiler::enableProfiler(config(), activities());
    m_runs = true;
}

ProfiledRun::~ProfiledRun() {
    if (!m_runs) {
        return;
    }
    try {
        discard();
    } catch (const std::exception&) {
        // An exception is on its way already.
        base::logWarning("aotscope.torch", "LibTorch's profiler cannot be ended: " +
                                               firstLine(handledError("run.profile").message));
    }
}

void ProfiledRun::discard() {
    m_runs = false;
    requireActive();
    (void)profiler::disableProfiler();
}

std::string ProfiledRun::finish() {
    m_runs = false;
    requireActive();
    const std::unique_ptr<profiler::ProfilerResult> result = profiler::disableProfiler();
    const TraceFile file;
    result->save(file.path());
    return file.text();
}

NodeRange::NodeRange(const ir::Node& node)
    : m_name(std::string(timeline::nodeMark) + node.name), m_range(at::RecordScope::USER_SCOPE) {
    if (m_range.isActive()) {
        m_range.before(m_name);
    }
}

} // namespace aotscope::torch
