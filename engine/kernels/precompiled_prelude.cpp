#include "kernels/precompiled_prelude.h"

#include "kernels/temporary_folder.h"

#include "base/run_child.h"

#include <chrono>
#include <fstream>
#include <mutex>
#include <system_error>

namespace aotscope::kernels {

namespace {

/// One header, as a person edits one kernel at a time.
struct Known {
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
std::optional<TemporaryFolder> make(std::vector<std::string> command, const std::string& prelude,
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

} // namespace

std::optional<std::filesystem::path> precompiledPrelude(const std::vector<std::string>& command,
                                                        const std::string& prelude,
                                                        const base::Progress& progress) {
    static std::mutex mutex;
    static std::optional<Known> known;
    const std::lock_guard lock(mutex);
    if (!known || known->command != command || known->prelude != prelude) {
        known = Known{command, prelude};
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
        known->folder = make(command, prelude, progress);
        known->wasTried = !progress.stopRequested();
    }
    return known->folder ? std::optional(headerIn(*known->folder)) : std::nullopt;
}

} // namespace aotscope::kernels
