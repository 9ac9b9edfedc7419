#include "kernels/nvrtc.h"

#include "base/joined.h"
#include "kernels/compile_wire.h"
#include "kernels/file_directives.h"

#include "base/child_process.h"
#include "base/run_child.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <optional>
#include <sys/wait.h>
#include <thread>

namespace aotscope::kernels {

namespace {

constexpr std::array<const char*, 3> libraryNames{"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"};
/// As many as one child process gets at once.
constexpr std::size_t mostInTurn = 16;
/// Maximum size of a source.
constexpr std::size_t mostText = std::size_t{1} << 20U;

/// The folder of the library that holds this function.
std::filesystem::path ownFolder() {
    Dl_info facts{};
    if (::dladdr(reinterpret_cast<void*>(&ownFolder), &facts) == 0 || facts.dli_fname == nullptr) { // NOLINT
        return {};
    }
    std::error_code failed;
    return std::filesystem::absolute(facts.dli_fname, failed).parent_path();
}

void addPlace(std::vector<std::string>& candidates, const std::filesystem::path& place) {
    std::error_code failed;
    if (std::filesystem::is_directory(place, failed)) {
        for (const char* name : libraryNames) {
            if (std::filesystem::exists(place / name, failed)) {
                candidates.push_back((place / name).string());
            }
        }
    } else {
        candidates.push_back(place.string());
    }
}

std::vector<std::string> candidatesOf(const NvrtcSearch& search) {
    std::vector<std::string> candidates;
    // The environment is set before the program starts threads.
    const char* chosen = std::getenv("AOTSCOPE_NVRTC"); // NOLINT(concurrency-mt-unsafe)
    if (chosen != nullptr && *chosen != '\0') {
        addPlace(candidates, chosen);
    }
    for (const std::filesystem::path& place : search.places) {
        addPlace(candidates, place);
    }
    candidates.insert(candidates.end(), libraryNames.begin(), libraryNames.end());
    return candidates;
}

base::Error programFailed(const std::string& what, std::string_view words) {
    base::Error error{.code = "kernels.compiler_failed",
                      .message = "The program that compiles kernels " + what + ".",
                      .hint =
                          "aotscope-kernel-compiler lies beside the program's libraries and must be of the "
                          "same build."};
    if (!words.empty()) {
        error.notes.emplace_back(words);
    }
    return error;
}

/// What a run of the child process brought.
struct Conversation {
    WireGreeting greeting;
    std::vector<WireAnswer> answers;
    int status = 0;
    std::string words;
};

/// Starts the child with these requests and reads its answers, which are fewer where one of them ended it.
base::Result<Conversation> converse(const std::filesystem::path& program,
                                    const std::vector<std::string>& candidates, std::string_view requests,
                                    std::size_t count, const CudaCompileLimits& limits,
                                    const std::stop_token& stop) {
    std::vector<std::string> arguments{std::to_string(std::max<long long>(limits.time.count(), 1)),
                                       std::to_string(limits.memoryBytes)};
    arguments.insert(arguments.end(), candidates.begin(), candidates.end());
    // It ends itself before; this is for a child that does not get that far.
    const auto longest = (limits.time + std::chrono::seconds(10)) * (count + 1);
    base::ChildLimits bounds{longest, std::size_t{1} << 30U};
    const auto run = base::runChild(program.string(), arguments, requests, bounds, stop);
    if (!run) {
        return base::isCanceled(run.error())
                   ? run.error()
                   : programFailed("cannot be used: " + run.error().message, program.string());
    }
    std::string_view wire = run->output;
    auto greeting = takeGreeting(wire);
    if (!greeting) {
        return programFailed(base::exitText(run->status), run->messages);
    }
    Conversation conversation{*std::move(greeting), {}, run->status, run->messages};
    while (auto answer = takeAnswer(wire)) {
        conversation.answers.push_back(*std::move(answer));
    }
    return conversation;
}

CudaBuild refused(std::string why) {
    CudaBuild build;
    build.messages.push_back({.text = std::move(why)});
    return build;
}

/// The build of the request at which the child ended.
CudaBuild ended(const Conversation& conversation, const CudaCompileLimits& limits) {
    if (WIFSIGNALED(conversation.status) && WTERMSIG(conversation.status) == SIGALRM) {
        return refused("NVRTC needed more than " + std::to_string(limits.time.count()) +
                       " s for this text and was stopped.");
    }
    CudaBuild build =
        refused("NVRTC did not survive this text: its process " + base::exitText(conversation.status) + ".");
    build.log = conversation.words;
    return build;
}

/// What is refused before NVRTC sees it.
std::optional<CudaBuild> refusedAtOnce(const CudaRequest& request) {
    if (request.text.size() > mostText) {
        return refused("The text has more than " + std::to_string(mostText) + " bytes.");
    }
    if (request.text.find('\0') != std::string::npos) {
        return refused("The text holds a zero byte, where a compiler would end reading.");
    }
    CudaBuild build;
    build.messages = fileDirectives(request.source, kernelFileName(request.name));
    return build.messages.empty() ? std::nullopt : std::optional(std::move(build));
}

void appendTo(std::string& wire, const CudaRequest& request) {
    WireRequest sent{
        request.text,
        {"--gpu-architecture=" + request.architecture, "-lineinfo", "--ptxas-options=-v", "-default-device"}};
    sent.options.insert(sent.options.end(), request.options.begin(), request.options.end());
    appendRequest(wire, sent);
}

/// Hands requests out to threads, each with one child process, and collects the builds.
class Compilation {
public:
    Compilation(std::filesystem::path program, std::string library, const std::vector<CudaRequest>& requests,
                const CudaCompileLimits& limits, std::stop_token stop)
        : m_program(std::move(program)),
          m_library(std::move(library)),
          m_requests(requests),
          m_limits(limits),
          m_stop(std::move(stop)),
          m_builds(requests.size()) {
        for (std::size_t i = 0; i < requests.size(); ++i) {
            if (auto build = refusedAtOnce(requests[i])) {
                m_builds[i] = *std::move(build);
            } else {
                m_waiting.push_back(i);
            }
        }
        m_inTurn = std::clamp<std::size_t>(m_waiting.size() / (4 * processes()), 1, mostInTurn);
    }

    base::Result<std::vector<CudaBuild>> run(base::Progress& progress) {
        {
            std::vector<std::jthread> threads;
            const std::size_t count = std::min(processes(), m_waiting.size());
            m_working = count;
            for (std::size_t i = 0; i < count; ++i) {
                threads.emplace_back([this] { work(); });
            }
            std::unique_lock lock(m_mutex);
            while (m_working > 0) {
                m_changed.wait(lock);
                progress.report("compiling kernels", m_done, m_waiting.size());
            }
        }
        if (m_error) {
            return *m_error;
        }
        return std::move(m_builds);
    }

private:
    [[nodiscard]] std::size_t processes() const {
        const std::size_t half = std::max(1U, std::thread::hardware_concurrency() / 2);
        return m_limits.processes > 0 ? m_limits.processes : std::min<std::size_t>(half, 4);
    }

    /// Takes requests until there are none, or one thread failed.
    void work() {
        for (std::vector<std::size_t> turn = takeTurn(); !turn.empty(); turn = takeTurn()) {
            while (!turn.empty()) {
                if (auto failed = compileSome(turn)) {
                    const std::lock_guard lock(m_mutex);
                    m_error = std::move(failed);
                    break;
                }
            }
        }
        const std::lock_guard lock(m_mutex);
        --m_working;
        m_changed.notify_all();
    }

    std::vector<std::size_t> takeTurn() {
        const std::lock_guard lock(m_mutex);
        if (m_error) {
            return {};
        }
        const std::size_t count = std::min(m_inTurn, m_waiting.size() - m_taken);
        const auto from = m_waiting.begin() + static_cast<std::ptrdiff_t>(m_taken);
        m_taken += count;
        return {from, from + static_cast<std::ptrdiff_t>(count)};
    }

    /// Runs a child with these requests and removes those from the list that are done: all, or those up to
    /// the one that ended the child.
    std::optional<base::Error> compileSome(std::vector<std::size_t>& turn) {
        std::string wire;
        for (const std::size_t i : turn) {
            appendTo(wire, m_requests[i]);
        }
        AOTSCOPE_TRY(conversation, converse(m_program, {m_library}, wire, turn.size(), m_limits, m_stop));
        std::size_t done = 0;
        for (WireAnswer& answer : conversation.answers) {
            if (done < turn.size()) {
                m_builds[turn[done++]] = buildOf(std::move(answer));
            }
        }
        if (done < turn.size()) {
            if (!conversation.greeting.troubles.empty()) {
                return programFailed("cannot open NVRTC any more", conversation.greeting.troubles.front());
            }
            m_builds[turn[done++]] = ended(conversation, m_limits);
        }
        turn.erase(turn.begin(), turn.begin() + static_cast<std::ptrdiff_t>(done));
        const std::lock_guard lock(m_mutex);
        m_done += done;
        m_changed.notify_all();
        return std::nullopt;
    }

    std::filesystem::path m_program;
    std::string m_library;
    const std::vector<CudaRequest>& m_requests;
    CudaCompileLimits m_limits;
    std::stop_token m_stop;
    /// Each is written by the thread that took its request.
    std::vector<CudaBuild> m_builds;
    std::vector<std::size_t> m_waiting;
    std::size_t m_inTurn = 1;

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::size_t m_taken = 0;
    std::size_t m_done = 0;
    std::size_t m_working = 0;
    std::optional<base::Error> m_error;
};

bool isArchitecture(std::string_view text) {
    return text.starts_with("sm_") && std::ranges::all_of(text.substr(3), [](char c) {
               return (c >= '0' && c <= '9') || c == 'a' || c == 'f';
           });
}

} // namespace

CudaBuild buildOf(WireAnswer answer) {
    CudaBuild build;
    build.log = std::move(answer.answer.log);
    build.messages = readCompileMessages(build.log);
    build.seconds = static_cast<double>(answer.microseconds) * 1e-6;
    if (answer.answer.compiled) {
        build.cubin = std::move(answer.answer.cubin);
        build.ptx = std::move(answer.answer.ptx);
    } else if (!answer.answer.failure.empty() || !hasErrors(build.messages)) {
        build.messages.push_back(
            {.text = "NVRTC failed: " + (answer.answer.failure.empty() ? build.log : answer.answer.failure)});
    }
    return build;
}

base::Result<Nvrtc> Nvrtc::find(const NvrtcSearch& search, const base::Progress& progress) {
    Nvrtc nvrtc;
    nvrtc.m_program = search.program.empty() ? ownFolder() / "aotscope-kernel-compiler" : search.program;
    std::error_code failed;
    if (!std::filesystem::exists(nvrtc.m_program, failed)) {
        return base::Error{
            .code = "kernels.no_compiler_program",
            .message = "The program that compiles kernels is not there: " + nvrtc.m_program.string() + ".",
            .hint = "It is built and installed beside the program's libraries (target "
                    "aotscope-kernel-compiler)."};
    }
    const std::vector<std::string> candidates = candidatesOf(search);
    AOTSCOPE_TRY(conversation, converse(nvrtc.m_program, candidates, {}, 0, {}, progress.stopToken()));
    WireGreeting& greeting = conversation.greeting;
    if (greeting.library.empty()) {
        base::Error error = nvrtcMissing();
        error.notes = std::move(greeting.troubles);
        return error;
    }
    nvrtc.m_library = greeting.library;
    nvrtc.m_version = greeting.version;
    std::ranges::sort(greeting.architectures);
    for (const int number : greeting.architectures) {
        nvrtc.m_architectures.push_back("sm_" + std::to_string(number));
    }
    return nvrtc;
}

base::Result<void> Nvrtc::accepts(std::string_view architecture) const {
    const std::string_view plain = architecture.substr(0, architecture.find_last_not_of("af") + 1);
    if (isArchitecture(architecture) && std::ranges::find(m_architectures, plain) != m_architectures.end()) {
        return {};
    }
    return base::Error{.code = "kernels.no_architecture",
                       .message = "NVRTC " + m_version + " does not compile for \"" +
                                  std::string(architecture) + "\".",
                       .hint = "It compiles for " + base::joined(m_architectures) + "."};
}

base::Result<std::vector<CudaBuild>> Nvrtc::compile(const std::vector<CudaRequest>& requests,
                                                    const CudaCompileLimits& limits,
                                                    base::Progress progress) const {
    for (const CudaRequest& request : requests) {
        AOTSCOPE_CHECK(accepts(request.architecture));
    }
    Compilation compilation(m_program, m_library.string(), requests, limits, progress.stopToken());
    return compilation.run(progress);
}

} // namespace aotscope::kernels
