#include "session/worker.h"

#include "base/log.h"

#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace aotscope::session {

namespace {

enum LaneNumber : std::size_t { ReadingLane, RunningLane, SplittingLane, SweepingLane, LaneCount };

LaneNumber laneOf(const Command& command) {
    if (std::holds_alternative<RunGraph>(command) || std::holds_alternative<RunStep>(command) ||
        std::holds_alternative<Retrace>(command)) {
        return RunningLane;
    }
    if (std::holds_alternative<PartitionStep>(command) || std::holds_alternative<FindAlternative>(command) ||
        std::holds_alternative<MarkSplit>(command)) {
        return SplittingLane;
    }
    return std::holds_alternative<SweepBudgets>(command) ? SweepingLane : ReadingLane;
}

struct Job {
    std::uint64_t number = 0;
    std::string tag;
    Command command;
    std::stop_source stop = {};
};

/// What others may know of the job in execution, whose command stays with its thread.
struct RunningJob {
    std::uint64_t number = 0;
    std::string tag;
    std::string command;
    std::stop_source stop;
    std::chrono::steady_clock::time_point since;
};

struct Lane {
    std::deque<Job> queue;
    std::optional<RunningJob> running;
};

bool isEnd(const EventBody& body) {
    return std::holds_alternative<Finished>(body) || std::holds_alternative<Canceled>(body) ||
           std::holds_alternative<Failed>(body);
}

void requestAll(std::vector<std::stop_source>& stops) {
    for (std::stop_source& stop : stops) {
        stop.request_stop();
    }
}

} // namespace

struct Worker::State {
    State(BackendFactory backendFactory, Sink eventSink, SessionOptions options)
        : session(std::move(backendFactory), std::move(options)), sink(std::move(eventSink)) {}

    void work(LaneNumber number);
    std::optional<Job> nextJob(Lane& lane);
    void execute(Lane& lane, Job& job);
    template<typename Wanted>
    [[nodiscard]] std::vector<std::stop_source> stopsOf(Wanted&& wanted) const;

    Session session;
    const Sink sink;

    mutable std::mutex mutex;
    std::condition_variable wake;
    std::array<Lane, LaneCount> lanes;
    std::uint64_t lastNumber = 0;
    bool closing = false;

    /// Last, so that the threads end before what they use.
    std::array<std::jthread, LaneCount> threads;
};

/// Waits for work; nothing when the worker closes and the lane's queue is empty.
std::optional<Job> Worker::State::nextJob(Lane& lane) {
    std::unique_lock lock(mutex);
    lane.running.reset();
    wake.wait(lock, [&] { return closing || !lane.queue.empty(); });
    if (lane.queue.empty()) {
        return std::nullopt;
    }
    Job job = std::move(lane.queue.front());
    lane.queue.pop_front();
    lane.running = RunningJob{job.number, job.tag, std::string(commandName(job.command)), job.stop,
                              std::chrono::steady_clock::now()};
    return job;
}

void Worker::State::execute(Lane& lane, Job& job) {
    const auto emit = [&](EventBody body) {
        if (isEnd(body)) {
            // Whoever is told of the end must not find the job among the running ones.
            const std::lock_guard lock(mutex);
            lane.running.reset();
        }
        sink(Event{job.number, job.tag, std::move(body)});
    };
    if (job.stop.stop_requested()) {
        emit(Canceled{});
        return;
    }
    session.execute(job.command, emit, job.stop.get_token());
}

void Worker::State::work(LaneNumber number) {
    while (std::optional<Job> job = nextJob(lanes[number])) {
        // Only the sink's own exceptions come here; the lane must outlive them.
        try {
            execute(lanes[number], *job);
        } catch (const std::exception& exception) {
            base::logError("aotscope.session",
                           std::string("the receiver of events threw: ") + exception.what());
        }
    }
}

/// Of the queued and running jobs that are wanted by number and tag. Stops are requested without the lock,
/// because whoever listens to them runs on the requesting thread. A stopped job that is still queued ends
/// when its turn comes, at once.
template<typename Wanted>
std::vector<std::stop_source> Worker::State::stopsOf(Wanted&& wanted) const {
    std::vector<std::stop_source> stops;
    for (const Lane& lane : lanes) {
        if (lane.running && wanted(lane.running->number, lane.running->tag)) {
            stops.push_back(lane.running->stop);
        }
        for (const Job& job : lane.queue) {
            if (wanted(job.number, job.tag)) {
                stops.push_back(job.stop);
            }
        }
    }
    return stops;
}

Worker::Worker(BackendFactory backendFactory, Sink sink, SessionOptions options)
    : m_state(std::make_unique<State>(std::move(backendFactory), std::move(sink), std::move(options))) {
    for (const LaneNumber number : {ReadingLane, RunningLane, SplittingLane, SweepingLane}) {
        m_state->threads[number] = std::jthread([state = m_state.get(), number] { state->work(number); });
    }
}

Worker::~Worker() {
    {
        const std::lock_guard lock(m_state->mutex);
        m_state->closing = true;
    }
    cancelAll();
    m_state->wake.notify_all();
    for (std::jthread& thread : m_state->threads) {
        thread.join();
    }
}

std::uint64_t Worker::send(Command command, std::string tag) {
    std::vector<std::stop_source> superseded;
    std::uint64_t number = 0;
    {
        const std::lock_guard lock(m_state->mutex);
        if (m_state->closing) {
            return 0;
        }
        if (!tag.empty()) {
            superseded = m_state->stopsOf(
                [&](std::uint64_t /*number*/, const std::string& other) { return other == tag; });
        }
        number = ++m_state->lastNumber;
        Lane& lane = m_state->lanes[laneOf(command)];
        lane.queue.push_back(Job{number, std::move(tag), std::move(command)});
    }
    m_state->wake.notify_all();
    requestAll(superseded);
    return number;
}

void Worker::cancel(std::uint64_t job) {
    std::vector<std::stop_source> stops;
    {
        const std::lock_guard lock(m_state->mutex);
        stops =
            m_state->stopsOf([&](std::uint64_t number, const std::string& /*tag*/) { return number == job; });
    }
    requestAll(stops);
}

void Worker::cancelAll() {
    std::vector<std::stop_source> stops;
    {
        const std::lock_guard lock(m_state->mutex);
        stops = m_state->stopsOf([](std::uint64_t /*number*/, const std::string& /*tag*/) { return true; });
    }
    requestAll(stops);
}

std::vector<Worker::Running> Worker::running() const {
    const std::lock_guard lock(m_state->mutex);
    std::vector<Running> all;
    for (const Lane& lane : m_state->lanes) {
        if (lane.running) {
            all.push_back({lane.running->number, lane.running->command, lane.running->since});
        }
    }
    return all;
}

} // namespace aotscope::session
