#include "run_report.h"

#include "console.h"
#include "table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace aotscope::cli {

namespace {

std::string listText(const std::vector<std::int64_t>& numbers) {
    std::string text = "[";
    for (const std::int64_t number : numbers) {
        text += (text.size() == 1 ? "" : ", ") + std::to_string(number);
    }
    return text + "]";
}

std::string microseconds(std::int64_t nanoseconds) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.1f", static_cast<double>(nanoseconds) / 1e3);
    return text.data();
}

/// JSON has no infinities: they are written as text.
Json numberJson(std::optional<double> number) {
    if (!number) {
        return nullptr;
    }
    if (!std::isfinite(*number)) {
        return std::isnan(*number) ? "nan" : *number > 0 ? "inf" : "-inf";
    }
    return *number;
}

Json tensorJson(const session::TensorSummary& tensor) {
    return {{"dtype", tensor.dtype},
            {"shape", tensor.shape},
            {"stride", tensor.stride},
            {"bytes", tensor.bytes},
            {"min", numberJson(tensor.minimum)},
            {"mean", numberJson(tensor.mean)},
            {"max", numberJson(tensor.maximum)},
            {"nan", tensor.nanCount},
            {"inf", tensor.infCount}};
}

std::string countOrNothing(std::int64_t count) {
    return count == 0 ? std::string() : std::to_string(count);
}

} // namespace

std::size_t mismatchCount(const session::RunSnapshot& run) {
    return static_cast<std::size_t>(std::ranges::count_if(
        run.nodes, [](const session::NodeRun& node) { return !node.mismatch.empty(); }));
}

std::string runTable(const session::RunSnapshot& run) {
    constexpr auto right = Table::Align::Right;
    Table table({{"node"},
                 {"op"},
                 {"time µs", right},
                 {"value"},
                 {"bytes", right},
                 {"min", right},
                 {"mean", right},
                 {"max", right},
                 {"nan", right},
                 {"inf", right},
                 {"differs from the log"}});
    for (const session::NodeRun& ran : run.nodes) {
        const ir::Node& node = run.graph->graph->node(ran.node);
        const std::string op =
            node.op == ir::Opcode::CallFunction ? node.target : std::string(ir::opcodeName(node.op));
        if (ran.outputs.empty()) {
            table.add({node.name, op, microseconds(ran.nanoseconds), ran.scalar, "", "", "", "", "", "",
                       ran.mismatch});
        }
        for (std::size_t i = 0; i < ran.outputs.size(); ++i) {
            const session::TensorSummary& tensor = ran.outputs[i];
            const bool isFirst = i == 0;
            table.add({isFirst ? node.name : "", isFirst ? op : "",
                       isFirst ? microseconds(ran.nanoseconds) : "", tensor.dtype + listText(tensor.shape),
                       std::to_string(tensor.bytes), numberText(tensor.minimum), numberText(tensor.mean),
                       numberText(tensor.maximum), countOrNothing(tensor.nanCount),
                       countOrNothing(tensor.infCount), isFirst ? ran.mismatch : ""});
        }
    }
    return table.text();
}

std::string runTotals(const session::RunSnapshot& run) {
    std::string text = std::to_string(run.nodes.size()) + " nodes in " + durationText(run.nanoseconds) +
                       ", at most " + bytesText(run.peakBytes) + " alive, seed " + std::to_string(run.seed);
    for (const auto& [symbol, value] : run.symbols) {
        text += ", " + symbol + " = " + std::to_string(value);
    }
    if (const std::size_t mismatches = mismatchCount(run); mismatches > 0) {
        text += ", " + std::to_string(mismatches) + " nodes differ from the log";
    }
    return printable(text + ", " + run.backend) + "\n";
}

Json runJson(const session::RunSnapshot& run) {
    Json symbols = Json::object();
    for (const auto& [symbol, value] : run.symbols) {
        symbols[symbol] = value;
    }
    Json json{
        {"ok", !run.error.has_value()},    {"backend", run.backend},         {"seed", run.seed},
        {"symbols", std::move(symbols)},   {"nanoseconds", run.nanoseconds}, {"peak_bytes", run.peakBytes},
        {"mismatches", mismatchCount(run)}};
    json["error"] = run.error ? errorJson(*run.error) : Json(nullptr);
    json["nodes"] = Json::array();
    for (const session::NodeRun& ran : run.nodes) {
        const ir::Node& node = run.graph->graph->node(ran.node);
        Json outputs = Json::array();
        for (const session::TensorSummary& tensor : ran.outputs) {
            outputs.push_back(tensorJson(tensor));
        }
        Json entry{{"name", node.name},
                   {"op", ir::opcodeName(node.op)},
                   {"target", node.target},
                   {"nanoseconds", ran.nanoseconds},
                   {"outputs", std::move(outputs)}};
        entry["scalar"] = ran.scalar.empty() ? Json(nullptr) : Json(ran.scalar);
        entry["mismatch"] = ran.mismatch.empty() ? Json(nullptr) : Json(ran.mismatch);
        json["nodes"].push_back(std::move(entry));
    }
    return json;
}

} // namespace aotscope::cli
