#include "session/worker.h"

#include "base/log.h"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <deque>
#include <exception>
#include <iterator>
#include <mutex>
#include <stop_token>
#include <thread>
#include <utility>

namespace aotscope::session {

namespace {

constexpr auto laneCount = static_cast<std::size_t>(CommandLane::Count);

/// The lane whose jobs cannot run at the same time because both need the backend, except while the trace is
/// paused.
std::optional<CommandLane> rivalOf(CommandLane lane) {
    return lane == CommandLane::Running   ? std::optional(CommandLane::Tracing)
           : lane == CommandLane::Tracing ? std::optional(CommandLane::Running)
                                          : std::nullopt;
}

struct Job {
    std::uint64_t number = 0;
    std::string tag;
    Command command;
    std::stop_source stop = {};
};

bool isOpening(const Job& job) {
    return std::holds_alternative<OpenLogs>(job.command);
}

/// What other threads may read of the running job. Its command belongs to the lane's thread.
struct RunningJob {
    std::uint64_t number = 0;
    std::string tag;
    std::string command;
    std::stop_source stop;
    std::chrono::steady_clock::time_point since;
    /// The job opens logs.
    bool opens = false;
    /// The job is a paused trace or call.
    bool paused = false;
};

struct Lane {
    std::deque<Job> queue;
    std::optional<RunningJob> running;

    [[nodiscard]] bool isPaused() const { return running && running->paused; }
};

bool isEnd(const EventBody& body) {
    return std::holds_alternative<Finished>(body) || std::holds_alternative<Canceled>(body) ||
           std::holds_alternative<Failed>(body);
}

/// Jobs to end: those removed from their queues, and the stop sources of running ones.
struct Stopped {
    std::vector<Job> queued;
    std::vector<std::stop_source> running;
};

void noteThrown(const std::exception& exception) {
    base::logError("aotscope.session", std::string("the receiver of events threw: ") + exception.what());
}

} // namespace

struct Worker::State {
    State(BackendFactory backendFactory, Sink eventSink, SessionOptions options)
        : session(std::move(backendFactory), std::move(options)), sink(std::move(eventSink)) {}

    void work(CommandLane number);
    std::optional<Job> nextJob(CommandLane number);
    [[nodiscard]] bool mayBegin(CommandLane number) const;
    [[nodiscard]] bool opensBefore(std::uint64_t number) const;
    void execute(Lane& lane, Job& job);
    void note(Lane& lane, const EventBody& body);
    void tell(Event event) noexcept;
    template<typename Wanted>
    [[nodiscard]] Stopped takeStopped(Wanted&& wanted);
    template<typename Wanted>
    void stop(Wanted&& wanted);
    void end(Stopped stopped) noexcept;
    [[nodiscard]] std::optional<Waiting> waitOf(CommandLane number, const Job& next) const;

    Session session;
    const Sink sink;

    mutable std::mutex mutex;
    std::condition_variable wake;
    [[nodiscard]] Lane& at(CommandLane lane) { return lanes.at(static_cast<std::size_t>(lane)); }
    [[nodiscard]] const Lane& at(CommandLane lane) const { return lanes.at(static_cast<std::size_t>(lane)); }
    std::array<Lane, laneCount> lanes;
    std::uint64_t lastNumber = 0;
    bool closing = false;

    /// Last member, so that the threads end before the members they use are destroyed.
    std::array<std::jthread, laneCount> threads;
};

/// Whether an earlier job opens logs or is going to. The caller holds the mutex.
bool Worker::State::opensBefore(std::uint64_t number) const {
    const Lane& logs = at(CommandLane::Logs);
    const bool isOpeningNow = logs.running && logs.running->opens && logs.running->number < number;
    return isOpeningNow || std::ranges::any_of(logs.queue, [number](const Job& job) {
               return isOpening(job) && job.number < number;
           });
}

/// Whether the lane may start its next job. If both rivals have a job waiting, the older one starts first.
/// The caller holds the mutex.
bool Worker::State::mayBegin(CommandLane number) const {
    const Lane& lane = at(number);
    if (number == CommandLane::Reading && !lane.queue.empty() && opensBefore(lane.queue.front().number)) {
        return false;
    }
    const std::optional<CommandLane> rival = rivalOf(number);
    if (lane.queue.empty() || !rival || at(*rival).isPaused()) {
        return !lane.queue.empty();
    }
    const Lane& other = at(*rival);
    return !other.running && (other.queue.empty() || lane.queue.front().number < other.queue.front().number);
}

/// Waits for a job; nothing if the worker is closing and the lane's queue is empty.
std::optional<Job> Worker::State::nextJob(CommandLane number) {
    Lane& lane = at(number);
    std::unique_lock lock(mutex);
    lane.running.reset();
    wake.notify_all(); // The rival lane may have been waiting for this one.
    wake.wait(lock, [&] { return closing || mayBegin(number); });
    if (lane.queue.empty()) {
        return std::nullopt;
    }
    Job job = std::move(lane.queue.front());
    lane.queue.pop_front();
    lane.running = RunningJob{job.number,
                              job.tag,
                              std::string(commandName(job.command)),
                              job.stop,
                              std::chrono::steady_clock::now(),
                              isOpening(job)};
    return job;
}

void Worker::State::execute(Lane& lane, Job& job) {
    const auto emit = [&](EventBody body) {
        note(lane, body);
        sink(Event{job.number, job.tag, std::move(body)});
    };
    if (job.stop.stop_requested()) {
        emit(Canceled{});
        return;
    }
    session.execute(job.command, emit, job.stop.get_token());
}

/// Updates the lane's state from an event before the sink gets it.
void Worker::State::note(Lane& lane, const EventBody& body) {
    const auto* progress = std::get_if<Progressed>(&body);
    const bool pauses =
        std::holds_alternative<TracePausePtr>(body) || std::holds_alternative<steps::StepPausePtr>(body);
    const bool goesOn = progress && !progress->state.waits;
    if (!pauses && !goesOn && !isEnd(body)) {
        return;
    }
    const std::lock_guard lock(mutex);
    if (isEnd(body)) {
        // A receiver of the end event must not find the job among the running ones.
        lane.running.reset();
    } else if (lane.running) {
        lane.running->paused = pauses;
    }
    if (!goesOn) {
        wake.notify_all();
    }
}

void Worker::State::work(CommandLane number) {
    while (std::optional<Job> job = nextJob(number)) {
        // Only the sink's exceptions arrive here. The lane must survive them.
        try {
            execute(at(number), *job);
        } catch (const std::exception& exception) {
            noteThrown(exception);
        }
    }
}

/// Sends an event from a caller's thread and logs what the sink throws: the caller is not to blame for it.
void Worker::State::tell(Event event) noexcept {
    try {
        sink(std::move(event));
    } catch (const std::exception& exception) {
        noteThrown(exception);
    }
}

/// Removes the jobs for which `wanted(number, tag)` holds. The caller holds the mutex.
template<typename Wanted>
Stopped Worker::State::takeStopped(Wanted&& wanted) {
    Stopped stopped;
    for (Lane& lane : lanes) {
        if (lane.running && wanted(lane.running->number, lane.running->tag)) {
            stopped.running.push_back(lane.running->stop);
        }
        const auto kept = std::stable_partition(lane.queue.begin(), lane.queue.end(),
                                                [&](const Job& job) { return !wanted(job.number, job.tag); });
        std::move(kept, lane.queue.end(), std::back_inserter(stopped.queued));
        lane.queue.erase(kept, lane.queue.end());
    }
    return stopped;
}

/// Call without the mutex, because stop callbacks run on this thread. A queued job ends now, without waiting
/// for others.
void Worker::State::end(Stopped stopped) noexcept {
    wake.notify_all(); // A job may have waited for one that was queued before it.
    for (Job& job : stopped.queued) {
        tell({job.number, std::move(job.tag), Canceled{}});
    }
    for (std::stop_source& stop : stopped.running) {
        stop.request_stop();
    }
}

template<typename Wanted>
void Worker::State::stop(Wanted&& wanted) {
    Stopped stopped;
    {
        const std::lock_guard lock(mutex);
        stopped = takeStopped(wanted);
    }
    end(std::move(stopped));
}

/// The job that a new job must wait for: the first one in its lane, or in the rival lane, that it does not
/// supersede; for graphs also one that opens logs. The caller holds the mutex.
std::optional<Waiting> Worker::State::waitOf(CommandLane number, const Job& next) const {
    const std::string name(commandName(next.command));
    const auto isOlder = [&](const std::string& tag) { return !tag.empty() && tag == next.tag; };
    const auto waitIn = [&](const Lane& lane, bool onlyOpening = false) -> std::optional<Waiting> {
        if (lane.running && !isOlder(lane.running->tag) && (lane.running->opens || !onlyOpening)) {
            return Waiting{name, lane.running->number, lane.running->command};
        }
        for (const Job& job : lane.queue) {
            if (!isOlder(job.tag) && (isOpening(job) || !onlyOpening)) {
                return Waiting{name, job.number, std::string(commandName(job.command))};
            }
        }
        return std::nullopt;
    };
    const std::optional<CommandLane> rival = rivalOf(number);
    std::optional<Waiting> wait = waitIn(at(number));
    if (!wait && number == CommandLane::Reading) {
        wait = waitIn(at(CommandLane::Logs), true);
    }
    return wait || !rival || at(*rival).isPaused() ? wait : waitIn(at(*rival));
}

Worker::Worker(BackendFactory backendFactory, Sink sink, SessionOptions options)
    : m_state(std::make_unique<State>(std::move(backendFactory), std::move(sink), std::move(options))) {
    for (std::size_t lane = 0; lane < laneCount; ++lane) {
        const auto number = static_cast<CommandLane>(lane);
        m_state->threads.at(lane) = std::jthread([state = m_state.get(), number] { state->work(number); });
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
    const CommandLane lane = laneOf(command);
    Job job{0, std::move(tag), std::move(command)};
    std::optional<Waiting> waits;
    {
        const std::lock_guard lock(m_state->mutex);
        if (m_state->closing) {
            return 0;
        }
        job.number = ++m_state->lastNumber;
        waits = m_state->waitOf(lane, job);
    }
    const std::uint64_t number = job.number;
    if (waits) {
        // Sent before the job is queued, so that Waiting precedes Started.
        m_state->tell({number, job.tag, *std::move(waits)});
    }
    Stopped stopped;
    {
        const std::lock_guard lock(m_state->mutex);
        if (m_state->closing) {
            stopped.queued.push_back(std::move(job));
        } else {
            if (!job.tag.empty()) {
                stopped = m_state->takeStopped(
                    [&](std::uint64_t /*number*/, const std::string& other) { return other == job.tag; });
            }
            m_state->at(lane).queue.push_back(std::move(job));
        }
    }
    m_state->wake.notify_all();
    m_state->end(std::move(stopped));
    return number;
}

void Worker::cancel(std::uint64_t job) {
    m_state->stop([&](std::uint64_t number, const std::string& /*tag*/) { return number == job; });
}

bool Worker::answerPause(std::uint64_t pause, PauseAnswer answer) {
    return m_state->session.answerPause(pause, std::move(answer));
}

bool Worker::answerStep(std::uint64_t pause, steps::StepAnswer answer) {
    return m_state->session.answerStep(pause, std::move(answer));
}

void Worker::cancelAll() {
    m_state->stop([](std::uint64_t /*number*/, const std::string& /*tag*/) { return true; });
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
