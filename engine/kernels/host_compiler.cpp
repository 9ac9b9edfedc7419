#include "kernels/host_compiler.h"

#include "kernels/file_directives.h"
#include "kernels/temporary_folder.h"

#include "base/child_process.h"
#include "base/run_child.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <optional>
#include <sstream>
#include <system_error>

namespace aotscope::kernels {

namespace {

base::Error compilerFailed(std::string what, std::vector<std::string> notes = {}) {
    return {.code = "kernels.compiler_failed",
            .message = "The C++ compiler of this machine could not be used: " + std::move(what),
            .notes = std::move(notes)};
}

/// Arguments of `env`, which runs a compiler that speaks English whatever the user's language is.
std::vector<std::string> inEnglish(std::vector<std::string> command) {
    command.insert(command.begin(), {"LC_ALL=C"});
    return command;
}

std::vector<std::string> words(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> found;
    for (std::string word; stream >> word;) {
        found.push_back(word);
    }
    return found;
}

/// The first line that a compiler gives as its version; empty: it is none.
base::Result<std::string> askVersion(std::vector<std::string> command, const base::Progress& progress) {
    command.emplace_back("--version");
    const auto run = base::runChild("env", inEnglish(std::move(command)), "",
                                    {std::chrono::seconds(20), 65536}, progress.stopToken());
    if (!run) {
        return base::isCanceled(run.error()) ? base::Result<std::string>(run.error()) : std::string();
    }
    return run->status == 0 ? run->output.substr(0, run->output.find('\n')) : std::string();
}

std::string withLineEnd(std::string text) {
    if (!text.ends_with('\n')) {
        text += '\n';
    }
    return text;
}

std::string preludeText(const HostSource& source) {
    return "#define HOST_EXPORT __attribute__((visibility(\"default\")))\n#line 1 \"prelude.h\"\n" +
           withLineEnd(source.prelude);
}

std::string kernelsText(const HostSource& source) {
    std::string text;
    for (const HostKernel& kernel : source.kernels) {
        text += "#line 1 \"" + kernelFileName(kernel.name) + "\"\n" + withLineEnd(kernel.source);
        text += "#line 1 \"launcher.h\"\n" + withLineEnd(kernel.launcher);
    }
    return text;
}

/// The compiler with all flags that make an object.
std::vector<std::string> objectCommand(const HostCompiler& compiler, const HostCompileOptions& options) {
    std::vector<std::string> arguments = inEnglish(compiler.command);
    arguments.insert(arguments.end(), {"-std=c++17", "-fPIC", "-fvisibility=hidden", "-Wall"});
    arguments.insert(arguments.end(), options.flags.begin(), options.flags.end());
    if (compiler.version.find("clang") == std::string::npos) {
        arguments.emplace_back("-fno-gnu-unique");
    }
    return arguments;
}

std::vector<std::string> libraryCommand(std::vector<std::string> object,
                                        const std::optional<std::filesystem::path>& prelude,
                                        const std::filesystem::path& output) {
    // Two kernels may have functions and variables of one name: none may be shared between libraries.
    object.insert(object.end(), {"-shared", "-Wl,-Bsymbolic"});
    if (prelude) {
        object.insert(object.end(), {"-include", prelude->string()});
    }
    object.insert(object.end(), {"-x", "c++", "-", "-o", output.string()});
    return object;
}

/// One header, as a person edits one kernel at a time.
struct KnownPrelude {
    std::vector<std::string> command;
    std::string prelude;
    std::size_t uses = 1;
    /// Nothing: not compiled yet, or that failed.
    std::optional<TemporaryFolder> folder = {};
    bool wasTried = false;
};

std::filesystem::path headerIn(const TemporaryFolder& folder) {
    return folder.path() / "prelude.h";
}

/// GCC and Clang both look for the header's name with ".gch" behind it; GCC reads the text where the flags
/// turn out to be others.
std::optional<TemporaryFolder> compiledPrelude(std::vector<std::string> command, const std::string& prelude,
                                               const base::Progress& progress) {
    auto folder = TemporaryFolder::make();
    if (!folder) {
        return std::nullopt;
    }
    const std::filesystem::path header = headerIn(*folder);
    std::ofstream(header) << prelude;
    command.insert(command.end(), {"-x", "c++-header", header.string(), "-o", header.string() + ".gch"});
    const auto run = base::runChild("env", command, "", {std::chrono::seconds(20), std::size_t{1} << 16U},
                                    progress.stopToken());
    std::error_code error;
    const bool isMade =
        run && run->status == 0 && std::filesystem::exists(header.string() + ".gch", error) && !error;
    if (!isMade) {
        return std::nullopt;
    }
    return std::move(folder).value();
}

/// The header to include in place of a prelude's text, compiled beforehand, so that the next kernels take
/// half the time. It is compiled when a process uses a prelude for the third time, as someone who edits a
/// kernel does. Nothing: not that often yet, or the compiler cannot precompile.
///
/// `command`: the compiler with the flags that make an object, which must be the same in all uses.
std::optional<std::filesystem::path> precompiledPrelude(const std::vector<std::string>& command,
                                                        const std::string& prelude,
                                                        const base::Progress& progress) {
    static std::mutex mutex;
    static std::optional<KnownPrelude> known;
    const std::lock_guard lock(mutex);
    if (!known || known->command != command || known->prelude != prelude) {
        known = KnownPrelude{command, prelude};
        return std::nullopt;
    }
    // It takes as long as two kernels, which the first change of a text should not wait for.
    constexpr std::size_t usesBefore = 2;
    if (++known->uses <= usesBefore) {
        return std::nullopt;
    }
    // A cleaner of temporary files may have deleted the header; then it is compiled again.
    std::error_code error;
    const bool isGone = known->folder && !std::filesystem::exists(headerIn(*known->folder), error);
    if (!known->wasTried || isGone) {
        known->folder = compiledPrelude(command, prelude, progress);
        known->wasTried = !progress.stopRequested();
    }
    return known->folder ? std::optional(headerIn(*known->folder)) : std::nullopt;
}

base::Result<std::shared_ptr<const HostLibrary>> openLibrary(const std::filesystem::path& path) {
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
        const char* why = ::dlerror(); // NOLINT(concurrency-mt-unsafe): of this thread
        base::Error error = compilerFailed("what it made cannot be opened.", {why == nullptr ? "" : why});
        error.hint =
            "Temporary files may be on a disk that allows no programs; set TMPDIR to a folder that does.";
        return error;
    }
    return std::make_shared<const HostLibrary>(handle);
}

} // namespace

base::Result<HostCompiler> findHostCompiler(const base::Progress& progress) {
    std::vector<std::vector<std::string>> candidates;
    // The environment is set before the program starts threads.
    if (const char* chosen = std::getenv("CXX"); chosen != nullptr) { // NOLINT(concurrency-mt-unsafe)
        if (std::vector<std::string> command = words(chosen); !command.empty()) {
            candidates.push_back(std::move(command));
        }
    }
    candidates.insert(candidates.end(), {{"c++"}, {"g++"}, {"clang++"}});
    for (std::vector<std::string>& command : candidates) {
        AOTSCOPE_TRY(version, askVersion(command, progress));
        if (!version.empty()) {
            return HostCompiler{std::move(command), std::move(version)};
        }
    }
    return base::Error{.code = "kernels.no_host_compiler",
                       .message =
                           "No C++ compiler was found: neither $CXX nor c++, g++ or clang++ can be run.",
                       .hint = "Install the package g++ (Debian, Ubuntu: apt install g++), or set CXX."};
}

base::Result<HostBuild> compileForHost(const HostCompiler& compiler, const HostSource& source,
                                       const HostCompileOptions& options, const base::Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    HostBuild build;
    for (const HostKernel& kernel : source.kernels) {
        const auto refused = fileDirectives(kernel.source, kernelFileName(kernel.name));
        build.messages.insert(build.messages.end(), refused.begin(), refused.end());
    }
    if (!build.messages.empty()) {
        return build;
    }
    AOTSCOPE_TRY(folder, TemporaryFolder::make());
    const std::filesystem::path output = folder.path() / "kernel.so";
    base::ChildLimits limits{options.limit};
    limits.messageBytes = std::size_t{1} << 20U;
    const std::vector<std::string> object = objectCommand(compiler, options);
    const std::string prelude = preludeText(source);
    const auto header = precompiledPrelude(object, prelude, progress);
    const std::string text = (header ? std::string() : prelude) + kernelsText(source);
    auto run =
        base::runChild("env", libraryCommand(object, header, output), text, limits, progress.stopToken());
    if (!run) {
        if (run.error().code == "base.program_late") {
            return base::Error{.code = "kernels.compiler_late",
                               .message = "The C++ compiler of this machine took too long with the kernel."};
        }
        return base::isCanceled(run.error()) ? run.error() : compilerFailed(run.error().message + ".");
    }
    build.messages = readCompileMessages(run->messages);
    build.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    if (run->status != 0) {
        return hasErrors(build.messages) ? base::Result<HostBuild>(std::move(build))
                                         : compilerFailed("it " + base::exitText(run->status) + ".",
                                                          {run->messages.substr(0, 2000)});
    }
    AOTSCOPE_TRY(library, openLibrary(output));
    build.library = std::move(library);
    return build;
}

} // namespace aotscope::kernels
