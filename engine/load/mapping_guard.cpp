#include "load/mapping_guard.h"

#include <cerrno>
#include <csignal>
#include <cstdint>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

namespace aotscope::load {

/// A guarded range. Ranges are reused but never freed, because the handler may read them at any moment.
struct MappingGuard::Range {
    /// Zero: the range is unused.
    std::atomic<std::uintptr_t> begin = 0;
    std::atomic<std::uintptr_t> end = 0;
    std::atomic<bool> isCut = false;
    Range* next = nullptr;
};

namespace {

std::atomic<MappingGuard::Range*> firstRange = nullptr;
std::atomic<std::uintptr_t> pageSize = 0;
std::mutex guardMutex;
struct sigaction previousAction = {};

MappingGuard::Range* findRange(std::uintptr_t address) {
    for (auto* range = firstRange.load(); range != nullptr; range = range->next) {
        const std::uintptr_t begin = range->begin;
        if (begin != 0 && begin <= address && address < range->end) {
            return range;
        }
    }
    return nullptr;
}

/// Replaces everything from the missing page on by zeros. Calls only functions that are allowed in a handler.
bool putZeros(std::uintptr_t address) {
    MappingGuard::Range* const range = findRange(address);
    if (range == nullptr) {
        return false;
    }
    const std::uintptr_t page = address / pageSize * pageSize;
    void* const put = ::mmap(reinterpret_cast<void*>(page), range->end - page, PROT_READ, // NOLINT
                             MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    range->isCut = true;
    return put != MAP_FAILED;
}

void passOn(int signal, siginfo_t* info, void* context) {
    if ((previousAction.sa_flags & SA_SIGINFO) != 0) {
        previousAction.sa_sigaction(signal, info, context);
    } else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN) {
        previousAction.sa_handler(signal);
    } else {
        // The instruction is repeated, and the program ends as it would have without a handler.
        ::sigaction(SIGBUS, &previousAction, nullptr);
    }
}

void handle(int signal, siginfo_t* info, void* context) {
    const int error = errno;
    // Handles only a missing page of a file, not a misaligned address or broken memory.
    const bool isMissing = info->si_code == BUS_ADRERR;
    if (!isMissing || !putZeros(reinterpret_cast<std::uintptr_t>(info->si_addr))) { // NOLINT
        passOn(signal, info, context);
    }
    errno = error;
}

void installHandler() {
    static std::once_flag once;
    std::call_once(once, [] {
        pageSize = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        struct sigaction action = {};
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        ::sigaction(SIGBUS, &action, &previousAction);
    });
}

MappingGuard::Range* claimRange() {
    for (auto* range = firstRange.load(); range != nullptr; range = range->next) {
        if (range->begin == 0) {
            return range;
        }
    }
    auto* const made = new MappingGuard::Range; // NOLINT: see Range
    made->next = firstRange;
    firstRange = made;
    return made;
}

} // namespace

MappingGuard::MappingGuard(void* address, std::size_t size) {
    installHandler();
    const std::scoped_lock lock(guardMutex);
    m_range = claimRange();
    const auto begin = reinterpret_cast<std::uintptr_t>(address); // NOLINT
    m_range->isCut = false;
    m_range->end = begin + (size + pageSize - 1) / pageSize * pageSize;
    m_range->begin = begin;
}

MappingGuard::~MappingGuard() {
    const std::scoped_lock lock(guardMutex);
    m_range->begin = 0;
}

bool MappingGuard::isCut() const {
    return m_range->isCut;
}

} // namespace aotscope::load
