// The programs of the packs, compiled through the public header and by the session as the command line does:
// both give the same halves, in the same words.
#include "support/session_outcome.h"
#include "support/temp_folder.h"
#include "support/test_part.h"

#include "aot/saved_tensors_hooks.h"
#include "evidence/earlier_checkpoints.h"
#include "files/retrace_targets.h"
#include "ir/graph_builder.h"
#include "ir/json/graph_json.h"
#include "ir/text/printer.h"
#include "recompile/retrace_request.h"
#include "session/session.h"
#include "torch_module.h"

#include <aotscope/aot.h>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using namespace aotscope;

namespace {

/// The size of a symbol without a logged value, as in a trace.
constexpr std::int64_t ordinarySize = 8;
constexpr std::size_t mostBytes = std::size_t(1) << 26U;

/// What is compiled in both ways.
struct HandedProgram {
    Module module;
    std::vector<Value> arguments;
    /// The same for the command line, in the format of golden files.
    std::string file;
};

/// Turns a log's program into one that a user of the header can have: its inputs are real tensors, row-major
/// and without common memory, and what belongs to a module is an attribute.
class ProgramMaker {
public:
    explicit ProgramMaker(const aot::RetraceRequest& request)
        : m_request(request), m_graph(*request.program), m_hints(aot::symbolValues(request)) {}

    /// Nothing: an input is neither a tensor of the CPU nor an integer.
    std::optional<HandedProgram> make() {
        const std::vector<ir::NodeId> placeholders = m_graph.placeholders();
        if (readsTensors() || placeholders.size() != m_request.inputs.size()) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < placeholders.size(); ++i) {
            const bool isTensor = ir::asTensor(m_graph.node(placeholders[i]).value) != nullptr;
            if (!(isTensor ? takeTensor(placeholders[i], m_request.inputs[i])
                           : takeInteger(placeholders[i]))) {
                return std::nullopt;
            }
        }
        m_graph.editSymbolHints() = m_hints;
        const std::string json = ir::graphToJson(*m_graph.finish());
        const auto graph = Graph::fromJson(json);
        REQUIRE_MESSAGE(graph.ok(), (graph.ok() ? "" : graph.error().text()));
        return HandedProgram{{*graph, m_parameters, m_buffers},
                             m_arguments,
                             R"({"torch": ")" AOTSCOPE_LIBTORCH_RELEASE
                             R"(", "units": [{"grad_mode": true, "example_inputs": )" +
                                 m_examples.dump() + R"(, "dynamo": )" + json + "}]}"};
    }

private:
    /// Whether it already has attributes, of which a log tells little.
    bool readsTensors() const {
        return std::ranges::any_of(m_graph.order(), [&](ir::NodeId id) {
            const ir::Node& node = m_graph.node(id);
            return node.op == ir::Opcode::GetAttr && m_graph.trySubgraph(node.target) == nullptr;
        });
    }

    std::optional<std::int64_t> valueOf(const ir::SymInt& size) {
        if (size.isSymbolic()) {
            for (const std::string& symbol : size.expression().symbols()) {
                m_hints.try_emplace(symbol, ordinarySize);
            }
        }
        return size.value(m_hints);
    }

    /// Of zeros.
    std::optional<Tensor> tensorLike(const ir::TensorMeta& meta, bool requiresGrad) {
        const bool isOnCpu = !meta.device || meta.device->type == "cpu";
        if (!isOnCpu || meta.subclass || !meta.layout.empty()) {
            return std::nullopt;
        }
        std::vector<std::int64_t> sizes;
        std::size_t bytes = ir::dtypeBytes(meta.dtype);
        for (const ir::SymInt& each : meta.shape) {
            const std::optional<std::int64_t> size = valueOf(each);
            if (!size || *size < 0 || static_cast<std::size_t>(*size) > mostBytes) {
                return std::nullopt;
            }
            sizes.push_back(*size);
            bytes *= static_cast<std::size_t>(*size);
            if (bytes > mostBytes) {
                return std::nullopt;
            }
        }
        auto made = Tensor::fromBytes(ir::dtypeName(meta.dtype), std::move(sizes), std::string(bytes, '\0'),
                                      requiresGrad);
        return made.ok() ? std::optional(*made) : std::nullopt;
    }

    bool takeTensor(ir::NodeId id, const aot::RetraceInput& input) {
        ir::Node node = m_graph.node(id);
        ir::TensorMeta meta = *ir::asTensor(node.value);
        const std::optional<Tensor> tensor = tensorLike(meta, input.requiresGrad);
        if (!tensor) {
            return false;
        }
        const bool isSymbolic = std::ranges::any_of(meta.shape, &ir::SymInt::isSymbolic);
        const std::vector<std::int64_t> strides = tensor->strides();
        meta.stride.reset();
        if (!isSymbolic) {
            meta.stride.emplace(strides.begin(), strides.end());
        }
        meta.storageOffset = ir::SymInt(0);
        meta.requiresGrad = input.requiresGrad;
        meta.isParameter = false;
        if (input.isStatic && !isSymbolic) {
            meta.isParameter = input.isParameter;
            node.op = ir::Opcode::GetAttr;
            node.inputSource.clear();
            (input.isParameter ? m_parameters : m_buffers).emplace_back(node.target, *tensor);
            node.value = std::move(meta);
            m_graph.replace(id, std::move(node));
            m_graph.moveBefore(id, firstCall());
            return true;
        }
        m_graph.editMeta(id).value = std::move(meta);
        m_arguments.emplace_back(*tensor);
        m_examples.push_back({{"kind", "tensor"}, {"requires_grad", input.requiresGrad}});
        return true;
    }

    bool takeInteger(ir::NodeId id) {
        const auto* number = std::get_if<ir::SymbolicMeta>(&m_graph.node(id).value);
        if (number == nullptr || number->kind != ir::SymbolicMeta::Kind::Int) {
            return false;
        }
        const std::optional<std::int64_t> value = valueOf(ir::SymInt(number->expression));
        if (!value) {
            return false;
        }
        m_arguments.emplace_back(*value);
        m_examples.push_back(
            {{"kind", "symint"}, {"expr", std::string(number->expression.text())}, {"hint", *value}});
        return true;
    }

    /// The first node that is no input and was none.
    ir::NodeId firstCall() const {
        return *std::ranges::find_if(m_graph.order(), [&](ir::NodeId id) {
            const ir::Opcode op = m_graph.node(id).op;
            return op != ir::Opcode::Placeholder && op != ir::Opcode::GetAttr;
        });
    }

    const aot::RetraceRequest& m_request;
    ir::GraphBuilder m_graph;
    ir::SymbolBindings m_hints;
    std::vector<std::pair<std::string, Tensor>> m_parameters;
    std::vector<std::pair<std::string, Tensor>> m_buffers;
    std::vector<Value> m_arguments;
    nlohmann::json m_examples = nlohmann::json::array();
};

/// The texts of a compile's forward or inference graph and of its backward, or why there are none.
struct Halves {
    std::string forward = {};
    std::string backward = {};
    std::string code = {};
    std::string error = {};
};

Halves halvesByHeader(const HandedProgram& program, Partition partition) {
    const auto compiled = aot_module_simplified(
        program.module, program.arguments,
        {.partition = partition, .keepInferenceInputMutations = true, .tracingContext = true});
    if (!compiled.ok()) {
        return {.code = compiled.error().code, .error = compiled.error().text()};
    }
    const auto textOf = [](const std::optional<Graph>& graph) { return graph ? graph->text() : ""; };
    return {.forward = textOf(compiled->forwardGraph()), .backward = textOf(compiled->backwardGraph())};
}

Halves halvesOf(const aot::CompiledFunction& function) {
    const auto textOf = [](const ir::GraphPtr& graph) { return graph ? ir::printGraph(*graph).text : ""; };
    return {.forward = textOf(function.forward()), .backward = textOf(function.backward())};
}

Halves without(const base::Error& error) {
    return {.code = error.code, .error = error.text()};
}

/// By min-cut as `retrace --out` writes them, by default as `partition` shows them.
Halves halvesBySession(session::Session& session, const session::RetraceSnapshot& traced,
                       Partition partition) {
    if (!traced.result) {
        return without(traced.error.value());
    }
    if (traced.result->function.joint && aot::hooksOf(*traced.result->function.program) && !traced.hooked) {
        // The session leaves them out with a note; for the header it is an error, as in PyTorch.
        return {.code = "hooks", .error = "The program's saved-tensors hooks cannot be inlined."};
    }
    if (partition == Partition::MinCut) {
        const auto function = session.split(traced);
        return function ? halvesOf(*function) : without(function.error());
    }
    const test::Outcome outcome =
        test::execute(session, session::PartitionJoint{traced.made->reference,
                                                       {.partitioner = passes::Partitioner::Default}});
    const auto splits = outcome.all<session::PartitionSnapshotPtr>();
    return splits.empty() ? without(outcome.error()) : halvesOf(splits.front()->function);
}

/// The first line in which two texts differ, of both; empty: they are equal.
std::string differingLine(const std::string& ours, const std::string& theirs) {
    if (ours == theirs) {
        return {};
    }
    const auto [at, other] = std::ranges::mismatch(ours, theirs);
    const auto lineAt = [](const std::string& text, std::size_t place) {
        const std::size_t begin = place == 0 ? 0 : text.rfind('\n', place - 1) + 1;
        return text.substr(begin, text.find('\n', place) - begin);
    };
    return "header: " + lineAt(ours, static_cast<std::size_t>(at - ours.begin())) +
           "\ncommand line: " + lineAt(theirs, static_cast<std::size_t>(other - theirs.begin()));
}

struct Totals {
    std::size_t programs = 0;
    std::size_t compared = 0;
    std::size_t halves = 0;
};

void compareHalves(const Halves& ours, const Halves& theirs, Totals& totals) {
    // What the session does not try to trace, and what can be compiled but not called, which the header
    // refuses.
    if (theirs.code == "retrace.not_supported" || ours.code.starts_with("call.") ||
        ours.code.starts_with("run.no_")) {
        return;
    }
    CHECK_MESSAGE(ours.error.empty() == theirs.error.empty(), "header: ", ours.error,
                  "\ncommand line: ", theirs.error);
    if (!ours.error.empty() || !theirs.error.empty()) {
        return;
    }
    const std::string forward = differingLine(ours.forward, theirs.forward);
    CHECK_MESSAGE(forward.empty(), "forward\n", forward);
    const std::string backward = differingLine(ours.backward, theirs.backward);
    CHECK_MESSAGE(backward.empty(), "backward\n", backward);
    ++totals.compared;
    totals.halves += ours.backward.empty() ? 0 : 1;
}

session::LogSnapshotPtr opened(session::Session& session, const std::filesystem::path& path) {
    const auto logs = test::execute(session, session::OpenLogs{{path}}).all<session::LogSnapshotPtr>();
    REQUIRE(!logs.empty());
    REQUIRE(logs.back()->complete);
    return logs.back();
}

void compareProgram(session::Session& session, const HandedProgram& program, bool byDefault, Totals& totals) {
    const test::TempFolder folder;
    const session::LogSnapshotPtr file = opened(session, folder.write("program.json", program.file));
    const auto traces =
        test::execute(session, session::Retrace{file->log, {}, {}}).all<session::RetraceSnapshotPtr>();
    REQUIRE(traces.size() == 1);
    const session::RetraceSnapshot& traced = *traces.front();
    // The session recognizes a joint graph without tangents by its name alone, which this one lacks; and it
    // traces hooks with the program, in the order in which min-cut saves tensors.
    const bool canChoose = traced.result && traced.result->function.joint && traced.made->joint &&
                           !aot::hooksOf(*traced.result->function.program);
    const Partition partition = byDefault && canChoose ? Partition::Default : Partition::MinCut;
    compareHalves(halvesByHeader(program, partition), halvesBySession(session, traced, partition), totals);
    test::execute(session, session::CloseLog{file->log});
}

Totals comparePack(const std::filesystem::path& pack) {
    session::Session session(app::torchBackendFactory());
    const session::LogSnapshotPtr log = opened(session, pack);
    evidence::EarlierCheckpoints checkpoints;
    Totals totals;
    for (const session::RetraceTarget& target : session::retraceTargets(*log)) {
        const auto graph = target.program ? session.graph(*target.program)
                                          : base::Result<session::GraphSnapshotPtr>(base::Error{});
        if (!graph || !(*graph)->graph) {
            continue;
        }
        const auto found =
            session::makeRetraceRequest(*log, *target.program, (*graph)->graph, {}, checkpoints);
        const auto program = found ? ProgramMaker(found->request).make() : std::nullopt;
        if (program) {
            CAPTURE(target.name);
            // Each partitioner has every other program: both would take one more trace of each.
            compareProgram(session, *program, totals.programs % 2 != 0, totals);
        }
        ++totals.programs;
    }
    return totals;
}

/// In the order of their names.
std::vector<std::filesystem::path> packs() {
    std::vector<std::filesystem::path> found;
    for (const char* folder : {"packs", "packs-2.15"}) {
        for (const auto& entry : std::filesystem::directory_iterator(
                 std::filesystem::path(AOTSCOPE_TEST_DIR) / "golden" / folder)) {
            if (entry.path().filename().string().ends_with(".log.xz")) {
                found.push_back(entry.path());
            }
        }
    }
    std::ranges::sort(found);
    return found;
}

} // namespace

TEST_CASE("the halves from the public header are the command line's, for every pack") {
    Totals all;
    std::size_t number = 0;
    for (const std::filesystem::path& pack : packs()) {
        if (!test::isInThisPart(number++)) {
            continue;
        }
        CAPTURE(pack);
        const Totals totals = comparePack(pack);
        CHECK(totals.compared > 0);
        all.programs += totals.programs;
        all.compared += totals.compared;
        all.halves += totals.halves;
    }
    std::cout << all.programs << " programs, " << all.compared << " compared, " << all.halves
              << " of them with a backward\n";
    CHECK(all.compared * 2 > all.programs);
    CHECK(all.halves > 0);
}
