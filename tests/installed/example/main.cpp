// An example of a program that uses aotscope's public header, and nothing else of it: runs the programs of a
// file (aot_cases.txt) through the five entry points and writes what they answer, in the form of
// aot_answers.txt.
#include "cases.h"
#include "report.h"

#include <filesystem>
#include <iostream>

using namespace aotscope;

namespace {

/// Writes the error of a result that has one.
template<typename T>
bool failed(const Result<T>& result) {
    if (!result.ok()) {
        std::cout << "error " << described(result.error()) << "\n";
        std::cerr << result.error().text() << "\n";
    }
    return !result.ok();
}

void writeOutputs(const std::vector<Value>& outputs, std::span<const Value> inputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        std::cout << "output " << i << " " << described(outputs[i]) << "\n";
        if (const auto* tensor = std::get_if<Tensor>(&outputs[i]); tensor != nullptr && !inputs.empty()) {
            std::cout << "place " << i << " " << relation(*tensor, inputs)
                      << " requires_grad=" << tensor->requiresGrad()
                      << (tensor->gradFn().empty() ? " no_node" : " node") << "\n";
        }
    }
}

void writeState(const Case& each, const std::vector<Value>& inputs) {
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        std::cout << "after " << i << " " << described(inputs[i]) << "\n";
        const auto& tensor = std::get<Tensor>(inputs[i]);
        if (tensor.isLeaf() && tensor.requiresGrad()) {
            std::cout << "gradient input " << i << " " << described(Value(tensor.grad())) << "\n";
        }
    }
    const auto write = [](const char* kind, const std::vector<std::pair<std::string, Tensor>>& tensors) {
        for (const auto& [name, tensor] : tensors) {
            std::cout << kind << " " << name << " " << described(Value(tensor)) << "\n";
            if (tensor.grad().defined()) {
                std::cout << "gradient " << name << " " << described(Value(tensor.grad())) << "\n";
            }
        }
    };
    write("parameter", each.parameters);
    write("buffer", each.buffers);
}

/// The backward from the case's tangents, and what else the case asks of it.
bool differentiate(const Case& each, const Arguments& call, const std::vector<Value>& outputs) {
    std::vector<Tensor> roots;
    for (const Value& output : outputs) {
        if (const auto* tensor = std::get_if<Tensor>(&output); tensor != nullptr && tensor->requiresGrad()) {
            roots.push_back(*tensor);
        }
    }
    const bool create = each.has("create");
    if (failed(backward(roots, call.tangents, create, create))) {
        return false;
    }
    if (each.has("twice") && failed(backward(roots, call.tangents))) {
        return false;
    }
    const std::vector gradients = {std::get<Tensor>(call.inputs.at(0)).grad()};
    return !create || !failed(backward(gradients, call.tangents));
}

/// Whether the call and its backward went well.
bool runCall(const Case& each, const Arguments& call, const CompiledFunction& function) {
    const auto outputs = function(call.inputs);
    if (failed(outputs)) {
        return false;
    }
    writeOutputs(*outputs, call.inputs);
    if (!call.tangents.empty() && !differentiate(each, call, *outputs)) {
        return false;
    }
    writeState(each, call.inputs);
    return true;
}

/// The operators of a graph, as its text calls them.
void writeOperators(const Graph& graph) {
    const std::string text = graph.text();
    constexpr std::string_view start = " = torch.ops.";
    for (std::size_t at = text.find(start); at != std::string::npos; at = text.find(start, at + 1)) {
        const std::size_t name = at + start.size();
        std::cout << "node " << text.substr(name, text.find('(', name) - name) << "\n";
    }
}

void runCalls(const Case& each, const CompiledFunction& function) {
    const auto rounds = each.options.contains("calls") ? std::stoi(each.options.at("calls")) : 1;
    for (int round = 0; round < rounds; ++round) {
        for (const Arguments& call : each.arguments) {
            if (!runCall(each, call, function)) {
                return;
            }
        }
    }
    if (each.has("nodes")) {
        writeOperators(*function.forwardGraph());
    }
}

void runCompiled(const Case& each, const Graph& graph) {
    std::optional<NoGrad> noGrad;
    if (each.has("no_grad")) {
        noGrad.emplace();
    }
    const Module module{graph, each.parameters, each.buffers};
    const CompileOptions options{.partition = each.has("min_cut") ? Partition::MinCut : Partition::Default,
                                 .keepInferenceInputMutations = each.has("keep"),
                                 .tracingContext = each.has("context")};
    const auto function = each.entry == "aot_function" ? aot_function(graph, options)
                          : each.entry == "aot_module"
                              ? aot_module(module, options)
                              : aot_module_simplified(module, each.arguments.front().inputs, options);
    if (!failed(function)) {
        runCalls(each, *function);
    }
}

void runExport(const Case& each, const Graph& graph) {
    ExportOptions options{.traceJoint = each.has("trace_joint"),
                          .preDispatch = each.has("pre_dispatch"),
                          .functionalizeRngOps = each.has("functionalize_rng_ops")};
    if (each.options.contains("output_loss_index")) {
        options.outputLossIndex = std::stoll(each.options.at("output_loss_index"));
    }
    const bool simple = each.entry == "aot_export_joint_simple";
    std::optional<Graph> made;
    if (simple) {
        const auto exported = aot_export_joint_simple(graph, each.arguments.front().inputs, options);
        if (failed(exported)) {
            return;
        }
        made = *exported;
    } else {
        const auto exported =
            aot_export_module({graph, each.parameters, each.buffers}, each.arguments.front().inputs, options);
        if (failed(exported)) {
            return;
        }
        made = exported->graph;
    }
    writeOperators(*made);
    if (simple && options.traceJoint) {
        return;
    }
    std::vector<Value> arguments;
    const std::vector<Value>& inputs = each.arguments.front().inputs;
    for (const auto& [name, tensor] : each.parameters) {
        arguments.emplace_back(tensor);
    }
    for (const auto& [name, tensor] : each.buffers) {
        arguments.emplace_back(tensor);
    }
    arguments.insert(arguments.end(), inputs.begin(), inputs.end());
    const auto outputs = runGraph(*made, arguments);
    if (!failed(outputs)) {
        writeOutputs(*outputs, {});
    }
}

/// Each graph's compile and a sum over its text without blanks (64-bit FNV-1a).
void writeLog(const std::string& path) {
    const auto graphs = readLog(path);
    if (failed(graphs)) {
        return;
    }
    for (const LoggedGraph& each : *graphs) {
        if (failed(each.graph)) {
            continue;
        }
        std::uint64_t sum = 0xCBF29CE484222325U;
        for (const char byte : each.graph->text()) {
            if (byte != ' ' && byte != '\n') {
                sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001B3U;
            }
        }
        std::cout << "graph " << each.compile << " " << sum << "\n";
    }
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: aot_example CASES\n";
        return 2;
    }
    for (const Case& each : readCases(argv[1])) {
        std::cout << "case " << each.name << "\n";
        std::cerr << "case " << each.name << "\n";
        if (each.entry == "read_log") {
            writeLog((std::filesystem::path(argv[1]).parent_path() / each.options.at("log")).string());
            continue;
        }
        const auto graph = Graph::fromText(each.graph);
        if (failed(graph)) {
            continue;
        }
        if (each.entry.starts_with("aot_export")) {
            runExport(each, *graph);
        } else {
            runCompiled(each, *graph);
        }
    }
    return 0;
}
