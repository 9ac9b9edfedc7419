// An example of a program that uses aotscope's public header, and nothing else of it: runs the programs of a
// file (aot_cases.txt) through the five entry points and writes what they answer, in the form of
// aot_answers.txt.
#include "cases.h"
#include "report.h"

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

void writeState(const Case& each) {
    for (std::size_t i = 0; i < each.inputs.size(); ++i) {
        std::cout << "after " << i << " " << described(each.inputs[i]) << "\n";
        const auto& tensor = std::get<Tensor>(each.inputs[i]);
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
bool differentiate(const Case& each, const std::vector<Value>& outputs) {
    std::vector<Tensor> roots;
    for (const Value& output : outputs) {
        if (const auto* tensor = std::get_if<Tensor>(&output); tensor != nullptr && tensor->requiresGrad()) {
            roots.push_back(*tensor);
        }
    }
    const bool create = each.has("create");
    if (failed(backward(roots, each.tangents, create, create))) {
        return false;
    }
    if (each.has("twice") && failed(backward(roots, each.tangents))) {
        return false;
    }
    const std::vector gradients = {std::get<Tensor>(each.inputs.at(0)).grad()};
    return !create || !failed(backward(gradients, each.tangents));
}

void runCalls(const Case& each, const CompiledFunction& function) {
    const auto calls = each.options.contains("calls") ? std::stoi(each.options.at("calls")) : 1;
    for (int call = 0; call < calls; ++call) {
        const auto outputs = function(each.inputs);
        if (failed(outputs)) {
            return;
        }
        writeOutputs(*outputs, each.inputs);
        if (!each.tangents.empty() && !differentiate(each, *outputs)) {
            return;
        }
        writeState(each);
    }
}

void runCompiled(const Case& each, const Graph& graph) {
    std::optional<NoGrad> noGrad;
    if (each.has("no_grad")) {
        noGrad.emplace();
    }
    const Module module{graph, each.parameters, each.buffers};
    const CompileOptions options{.partition = each.has("min_cut") ? Partition::MinCut : Partition::Default,
                                 .keepInferenceInputMutations = each.has("keep")};
    const auto function = each.entry == "aot_function" ? aot_function(graph, options)
                          : each.entry == "aot_module" ? aot_module(module, options)
                                                       : aot_module_simplified(module, each.inputs, options);
    if (!failed(function)) {
        runCalls(each, *function);
    }
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
        const auto exported = aot_export_joint_simple(graph, each.inputs, options);
        if (failed(exported)) {
            return;
        }
        made = *exported;
    } else {
        const auto exported = aot_export_module({graph, each.parameters, each.buffers}, each.inputs, options);
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
    for (const auto& [name, tensor] : each.parameters) {
        arguments.emplace_back(tensor);
    }
    for (const auto& [name, tensor] : each.buffers) {
        arguments.emplace_back(tensor);
    }
    arguments.insert(arguments.end(), each.inputs.begin(), each.inputs.end());
    const auto outputs = runGraph(*made, arguments);
    if (!failed(outputs)) {
        writeOutputs(*outputs, {});
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
