#include "load/log_index.h"
#include "load/payload_text.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

namespace aotscope::load {

namespace {

constexpr std::size_t batch = 256;
constexpr unsigned int mostVerifiers = 4;

} // namespace

void LogIndex::verifyPayloads(std::string_view text, const base::Progress& progress) {
    std::atomic<std::size_t> next = 0;
    std::mutex mutex;
    std::vector<std::uint32_t> bad;
    const auto work = [&] {
        EnvelopeReader reader;
        base::Progress untold({}, progress.stopToken());
        // `conclude` verifies the last record.
        const std::size_t count = recordCount() - std::min<std::size_t>(recordCount(), 1);
        for (std::size_t begin = 0; (begin = next.fetch_add(batch)) < count && !progress.stopRequested();) {
            for (std::size_t i = begin; i < std::min(begin + batch, count); ++i) {
                constexpr std::uint8_t both = PayloadAnnounced | PayloadPresent;
                if ((m_flags[i] & both) != both || (m_flags[i] & Faulty) != 0) {
                    continue;
                }
                const RecordText record = cutRecord(region(i, text), m_flags[i]);
                const std::string digest(reader.read(envelopeText(record)).digest);
                if (checkPayload(record, digest, untold).state == PayloadState::Bad &&
                    !progress.stopRequested()) {
                    const std::scoped_lock lock(mutex);
                    bad.push_back(static_cast<std::uint32_t>(i));
                }
            }
        }
    };
    {
        std::vector<std::jthread> threads;
        const auto useful =
            static_cast<unsigned int>(std::min<std::size_t>(recordCount() / batch + 1, mostVerifiers));
        for (unsigned int i = 1; i < std::clamp(std::thread::hardware_concurrency(), 1U, useful); ++i) {
            threads.emplace_back(work);
        }
        work();
    }
    std::sort(bad.begin(), bad.end());
    for (const std::uint32_t record : bad) {
        addProblem(problemOf(record, "load.payload_md5",
                             "the payload doesn't match its md5: it was changed or is incomplete"));
    }
}

} // namespace aotscope::load
