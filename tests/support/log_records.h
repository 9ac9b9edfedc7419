#pragma once

#include "support/small_graphs.h"

#include <QByteArray>
#include <QCryptographicHash>

#include <cstdint>
#include <string>
#include <string_view>

/// Records of a trace log in the format of torch 2.11, torch/_logging/_internal.py: trace_structured, for
/// window tests.
namespace aotscope::test {

/// The envelope keys of a compile: compileKeys(0) is "0/0".
[[nodiscard]] inline std::string compileKeys(std::uint32_t frame) {
    return "\"frame_id\": " + std::to_string(frame) + ", \"frame_compile_id\": 0, \"attempt\": 0";
}

/// A record without payload; `event` is `"key": value` of the envelope.
[[nodiscard]] inline std::string plainRecord(std::string_view event, std::uint32_t frame) {
    return "V1121 00:13:53.025000 22725 torch/_dynamo/convert_frame.py:276] {" + std::string(event) + ", " +
           compileKeys(frame) + "}\n";
}

/// A record with payload. The md5 is correct unless another one is given.
[[nodiscard]] inline std::string payloadRecord(std::string_view event, std::uint32_t frame,
                                               std::string_view payload, std::string_view digest = {}) {
    const QByteArray bytes(payload.data(), static_cast<qsizetype>(payload.size()));
    const std::string md5 =
        digest.empty() ? QCryptographicHash::hash(bytes, QCryptographicHash::Md5).toHex().toStdString()
                       : std::string(digest);
    std::string record = "V1121 00:13:53.025000 22725 torch/_functorch/graph_compile.py:1640] {" +
                         std::string(event) + ", " + compileKeys(frame) + ", \"has_payload\": \"" + md5 +
                         "\"}\n\t";
    for (std::size_t end = 0; (end = payload.find('\n')) != std::string_view::npos;) {
        record.append(payload.substr(0, end + 1)) += '\t';
        payload.remove_prefix(end + 1);
    }
    record += payload;
    return record + '\n';
}

[[nodiscard]] inline std::string dynamoStart(std::uint32_t frame) {
    constexpr std::string_view event =
        R"-("dynamo_start": {"stack": [{"line": 3, "name": "f", "filename": "model.py", "loc": "return x"}]})-";
    return plainRecord(event, frame);
}

/// The smallest possible compiles: start, graph, end.
inline std::string logOfCompiles(std::uint32_t count) {
    const std::string graph = smallGraphText();
    std::string log;
    for (std::uint32_t frame = 0; frame < count; ++frame) {
        log += dynamoStart(frame);
        log += payloadRecord("\"aot_joint_graph\": {}", frame, graph);
        log += plainRecord(R"("compilation_metrics": {"co_name": "f", "graph_op_count": 2})", frame);
    }
    return log;
}

} // namespace aotscope::test
