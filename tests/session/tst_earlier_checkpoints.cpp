// The number of checkpointed functions that a process had tagged before it compiled a program, read from its
// log.
#include "evidence/earlier_checkpoints.h"

#include "support/temp_folder.h"

#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <vector>

using namespace aotscope;
using evidence::EarlierCheckpoints;

namespace {

struct Written {
    std::string event;
    std::string payload;
    int frame = 0;
    std::string thread = "22725";
};

Written program(int checkpoints, int frame, const std::string& thread = "22725") {
    std::string payload = "class GraphModule(torch.nn.Module):";
    for (int i = 0; i < checkpoints; ++i) {
        payload += "\n\t    t = torch.ops.higher_order.tag_activation_checkpoint(wrap_body_0, x)";
    }
    return {"\"dynamo_output_graph\": {}", payload, frame, thread};
}

/// Dynamo's metrics at the end of a frame; `hits` of its graphs were in AOTAutograd's cache.
Written metrics(int hits, int frame) {
    return {R"("compilation_metrics": {"aotautograd_local_cache_hit_count": )" + std::to_string(hits) +
                R"(, "aotautograd_remote_cache_hit_count": 0})",
            "", frame};
}

std::string textOf(const std::vector<Written>& records) {
    std::string text;
    for (const Written& record : records) {
        text += "V1121 00:13:53.025000 " + record.thread + " torch/_dynamo/output_graph.py:1640] {" +
                record.event + ", \"frame_id\": " + std::to_string(record.frame) +
                ", \"frame_compile_id\": 0, \"attempt\": 0, \"has_payload\": "
                "\"00000000000000000000000000000000\"}\n\t" +
                record.payload + "\n";
    }
    return text;
}

class Log {
public:
    explicit Log(const std::vector<Written>& records)
        : log(*load::TraceLog::read(m_folder.write("l.log", textOf(records)))) {}

    std::int64_t before(std::uint32_t record) { return checkpoints.before(log, load::RecordId(record)); }

private:
    test::TempFolder m_folder;

public:
    load::TraceLogPtr log;
    evidence::EarlierCheckpoints checkpoints;
};

} // namespace

TEST_CASE("each checkpoint compiled before counts for both passes, in whatever order one asks") {
    Log log({program(1, 0), program(0, 1), program(2, 2), program(1, 3)});
    CHECK(log.before(3) == 6);
    CHECK(log.before(0) == 0);
    CHECK(log.before(2) == 2);
    CHECK(log.before(3) == 6);
    // A program without a checkpoint has no use for the number, and nothing is read for it.
    CHECK(log.before(1) == 0);
}

TEST_CASE("nothing is read for a program without a checkpoint") {
    Log log({program(1, 0), program(0, 1)});
    CHECK(log.before(1) == 0);
    CHECK(log.checkpoints.recordsRead() == 0);
}

TEST_CASE("what came out of AOTAutograd's cache was not traced") {
    Log log({program(3, 0), metrics(1, 0), program(1, 1), metrics(0, 1), program(1, 2)});
    CHECK(log.before(2) == 0);
    CHECK(log.before(4) == 2);
}

TEST_CASE("of a compile with several graphs a hit is the last one's") {
    Log log({program(1, 0), program(2, 0), metrics(1, 0), program(4, 0), program(1, 0)});
    CHECK(log.before(3) == 2);
    CHECK(log.before(4) == 10);
}

TEST_CASE("another thread is another process") {
    Log log({program(1, 0), program(2, 0, "30000"), program(1, 1), program(1, 1, "30000")});
    CHECK(log.before(1) == 0);
    CHECK(log.before(2) == 2);
    CHECK(log.before(3) == 4);
}

TEST_CASE("another log is counted from its beginning, and the first one anew") {
    Log first({program(1, 0), program(1, 1)});
    Log second({program(5, 0), program(1, 1)});
    evidence::EarlierCheckpoints checkpoints;
    CHECK(checkpoints.before(first.log, load::RecordId(1)) == 2);
    CHECK(checkpoints.before(second.log, load::RecordId(1)) == 10);
    CHECK(checkpoints.before(first.log, load::RecordId(1)) == 2);
}

TEST_CASE("who is stopped reads no further") {
    Log log({program(1, 0), program(1, 1)});
    std::stop_source stop;
    stop.request_stop();
    CHECK(log.checkpoints.before(log.log, load::RecordId(1), stop.get_token()) == 0);
    CHECK(log.checkpoints.recordsRead() == 0);
    CHECK(log.before(1) == 2);
}

TEST_CASE("of 5,000 compiles each is read once") {
    constexpr std::uint32_t compiles = 5000;
    std::vector<Written> records;
    for (std::uint32_t i = 0; i < compiles; ++i) {
        records.push_back(program(1, static_cast<int>(i)));
    }
    Log log(records);
    // Never further than the program that is asked about: so no record is read twice.
    for (std::uint32_t i = 0; i < compiles; ++i) {
        REQUIRE(log.before(i) == 2 * std::int64_t(i));
        REQUIRE(log.checkpoints.recordsRead() == i);
    }
    CHECK(log.before(7) == 14);
    CHECK(log.checkpoints.recordsRead() == compiles - 1);
}
