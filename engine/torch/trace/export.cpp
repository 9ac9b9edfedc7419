#include "trace/export.h"

#include "base/joined.h"
#include "base/mapped.h"
#include "dispatch/dtypes.h"
#include "dispatch/failure.h"
#include "trace/dynamo_program.h"

#include "aot/pytorch_message.h"
#include "ir/graph_builder.h"
#include "ir/text/descriptor_text.h"

#include <ATen/ops/_assert_tensor_metadata.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <array>
#include <sstream>

namespace aotscope::torch {

namespace {

constexpr char bannedInExport[] = "This is currently banned in the aot_export workflow. If you need this "
                                  "functionality, please file a github issue.";
constexpr char withoutExport[] = "Without --export the function is compiled with a wrapper that does this.";

/// "torch.Size([2, 3])"
std::string sizeText(const at::Tensor& tensor) {
    std::ostringstream text;
    text << "torch.Size([";
    for (std::size_t i = 0; i < tensor.sym_sizes().size(); ++i) {
        text << (i == 0 ? "" : ", ") << tensor.sym_sizes()[i];
    }
    text << "])";
    return text.str();
}

std::string outputName(std::size_t index) {
    return "output " + std::to_string(index);
}

bool requiresGrad(const c10::IValue& value) {
    return value.isTensor() && value.toTensor().defined() && value.toTensor().requires_grad();
}

void checkLoss(const std::vector<c10::IValue>& outputs, std::size_t loss) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        if (i != loss && requiresGrad(outputs[i])) {
            ban("The " + outputName(i) + " requires grad, but the loss is " + outputName(loss) +
                    "; the backward starts from the loss alone.",
                "Detach it in the program, or choose another loss: --loss N.",
                "Found an output of the forward that requires gradients, that was not the scalar loss.\n"
                "We require all outputs to the forward that are not the scalar loss to not require "
                "gradient,\n"
                "because we will only compute a backward graph against the scalar loss.\n"
                "You can fix this by calling .detach() on each of your forward outputs that is not the "
                "loss.\nYou specified that output index " +
                    std::to_string(loss) + " is the loss, but we found that\nthe output at index " +
                    std::to_string(i) + " requires gradients.");
        }
    }
    if (loss >= outputs.size()) {
        ban("There is no " + outputName(loss) + " to be the loss: the number of outputs is " +
                std::to_string(outputs.size()) + ".",
            "Outputs count from 0.", "tuple index out of range");
    }
    if (!requiresGrad(outputs[loss])) {
        ban("The " + outputName(loss) + " is chosen as the loss but does not require grad.",
            "Either no input that it depends on requires grad, or it was computed under no_grad.",
            "The output at index " + std::to_string(loss) +
                " was marked as the loss, but it does not require gradients");
    }
    if (outputs[loss].toTensor().sym_numel().sym_ne(1).guard_bool(__FILE__, __LINE__)) {
        ban("The " + outputName(loss) + " is chosen as the loss but is not a single number.",
            "Sum it up, or take its mean.",
            "We require the output marked as the loss (at index " + std::to_string(loss) +
                ") to be a scalar, but it has shape " + sizeText(outputs[loss].toTensor()));
    }
}

/// The joint graph without tangent placeholders, which an exported loss does not use, and without gradients
/// that are None.
ir::GraphPtr withoutTangents(const ir::GraphContents& joint, const std::vector<TracedInput>& inputs) {
    ir::GraphBuilder flat(joint);
    const ir::NodeId output = flat.output().value();
    const ir::Arguments values = flat.node(output).args.at(0).as<ir::TupleArgument>()->items;
    const std::size_t forwardOutputs = values.size() - inputs.size();
    ir::TupleArgument kept;
    std::vector<ir::Descriptor> descriptors;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const bool none = values[i].as<ir::NoneArgument>() != nullptr;
        if (i < forwardOutputs || !none) {
            kept.items.push_back(values[i]);
            descriptors.push_back(flat.node(output).descriptors.at(i));
        } else if (inputs[i - forwardOutputs].requiresGrad) {
            ban("The input " + ir::descriptorText(inputs[i - forwardOutputs].descriptor) +
                    " requires grad but gets no gradient: the loss does not depend on it.",
                "Set its requires_grad to False.",
                "Found a parameter that did not receive a gradient.\n"
                "\"This is most likely a bug, but if this needs to be supported please comment on this "
                "Github "
                "issue:\nhttps://github.com/pytorch/pytorch/issues/101192");
        }
    }
    flat.setArguments(output, {std::move(kept)});
    flat.editMeta(output).descriptors = std::move(descriptors);
    std::vector<bool> tangents(flat.idBound());
    const std::vector<ir::NodeId> placeholders = flat.placeholders();
    for (std::size_t i = inputs.size(); i < placeholders.size(); ++i) {
        tangents[placeholders[i].index()] = true;
    }
    flat.erase(tangents);
    return flat.finish();
}

/// A placeholder value for a constant of the graph: only its shape and dtype matter.
at::Tensor constantOf(const ir::Node& attribute) {
    const ir::TensorMeta& meta = *ir::asTensor(attribute.value);
    auto sizes = base::mapped(meta.shape, &ir::SymInt::integer);
    return at::zeros(sizes, at::TensorOptions().dtype(scalarType(meta.dtype)));
}

} // namespace

void ban(std::string message, std::string hint, const std::string& pytorch, std::string code) {
    throw RunFailure(base::Error{.code = std::move(code),
                                 .message = std::move(message),
                                 .notes = {std::string(aot::pytorchSays) + pytorch},
                                 .hint = std::move(hint)});
}

void checkExportRequest(const aot::RetraceRequest& request) {
    const aot::ExportOptions& options = *request.export_;
    if (options.preDispatch && options.joint) {
        ban("A pre-dispatch graph is traced before autograd: there is no joint graph of it.",
            "Choose one of the two: --pre-dispatch or --joint.",
            "pre_dispatch is not supported when trace_joint is True.");
    }
    if (options.preDispatch && options.simple) {
        // PyTorch's aot_export_joint_simple has no such option.
        fail("trace.export",
             "A simple export is traced below autograd: there is no pre-dispatch graph of it.",
             "Choose one of the two: --pre-dispatch or --simple.");
    }
    if (!request.assignedAttributes.empty()) {
        std::string names = base::joined(request.assignedAttributes, ", ", &aot::AssignedAttribute::name);
        const bool several = request.assignedAttributes.size() > 1;
        fail("trace.attribute",
             (several ? "The attributes " : "The attribute ") + names + (several ? " are" : " is") +
                 " assigned while the function runs, which an exported graph cannot do.",
             "Register it as a buffer (self.register_buffer) and change it in place, or return it.");
    }
}

TracedProgram withLoss(TracedProgram program, std::optional<std::size_t> loss) {
    return [program = std::move(program), loss](std::vector<c10::IValue> arguments) {
        std::vector<c10::IValue> outputs = program(std::move(arguments));
        if (!loss) {
            ban("The backward of a joint graph starts from the loss, but no output is chosen as the loss.",
                "Choose one, counted from 0: --loss N, outputLossIndex.",
                "If trace_joint=Trueit is required that one of your forward outputs must be a scalar loss.\n"
                "You must specify the which (index) output is the loss with output_loss_index.");
        }
        checkLoss(outputs, *loss);
        return outputs;
    };
}

void checkExportedInputs(const aot::ExportOptions& options, const std::vector<TracedInput>& inputs,
                         const ir::ViewAndMutationMeta& metadata) {
    for (std::size_t i = 0; i < metadata.inputInfo.size(); ++i) {
        if (metadata.inputInfo[i].mutatesMetadata) {
            ban("The program changes the shape, strides or storage of the input " +
                    ir::descriptorText(inputs[i].descriptor) +
                    " in place (resize_, t_, set_, …), which an exported graph cannot hand to its caller.",
                withoutExport,
                "Found an input that received a metadata mutation, through e.g. a call to `.resize_()` or "
                "`.transpose_()`.\n" +
                    std::string(bannedInExport));
        }
    }
    for (std::size_t i = 0; options.joint && i < metadata.inputInfo.size(); ++i) {
        if (metadata.inputInfo[i].requiresGrad && metadata.inputInfo[i].mutatesData) {
            ban("The input " + ir::descriptorText(inputs[i].descriptor) +
                    " requires grad and is changed in place: its gradient would be that of the changed "
                    "value.",
                std::string("Copy it before it is changed. ") + withoutExport,
                "Found a graph input that requires gradients, and received a mutation.\n" +
                    std::string(bannedInExport));
        }
    }
}

void checkSameCalls(const std::vector<TracedInput>& inputs, const ir::ViewAndMutationMeta& metadata) {
    for (std::size_t i = 0; i < metadata.inputInfo.size(); ++i) {
        if (metadata.inputInfo[i].mutatesData || metadata.inputInfo[i].mutatesMetadata) {
            ban("The program changes the input " + ir::descriptorText(inputs[i].descriptor) +
                    " in place; a simple export only takes programs that do not change their inputs.",
                "Export it without --simple: the changed input is then an output.",
                "aot_export_joint_simple does not support input mutations.");
        }
    }
    for (std::size_t i = 0; i < metadata.outputInfo.size(); ++i) {
        if (metadata.outputInfo[i].outputType != ir::OutputType::NonAlias) {
            ban("The " + outputName(i) +
                    " is an input, or a view of an input or of another value; a simple export only takes "
                    "programs whose outputs share no memory with anything.",
                "Return a copy (clone), or export it without --simple.",
                "aot_export_joint_simple does not support outputs that alias inputs.");
        }
    }
}

void assertConverted(const ops::NodeCall& call) {
    static constexpr std::array<std::string_view, 12> conversions = {
        "to", "cuda", "cpu", "char", "bfloat16", "byte", "double", "float", "bool", "half", "int", "long"};
    const ir::Node& node = call.info();
    if (node.op != ir::Opcode::CallMethod || call.args.empty() || !call.args[0].isTensor() ||
        std::ranges::find(conversions, node.target) == conversions.end()) {
        return;
    }
    const at::Tensor& tensor = call.args[0].tensor();
    at::_assert_tensor_metadata(tensor, c10::nullopt, c10::nullopt, tensor.scalar_type(), tensor.device(),
                                tensor.layout());
}

ir::GraphBuilder flattenJointGraph(const ir::GraphContents& joint, const std::vector<TracedInput>& inputs,
                                   CollectedMetadata& metadata, const CaptureContext& context,
                                   const base::Progress& progress) {
    const ir::GraphPtr graph = withoutTangents(joint, inputs);
    DynamoProgram flat(graph, context.position, progress, context.environment.rules());
    auto constants = base::mapped<std::vector<c10::IValue>>(
        flat.attributes(), [&](const ir::NodeId attribute) { return constantOf(graph->node(attribute)); });
    return captureFlatGraph(
        [&](const std::vector<c10::IValue>& arguments) {
            std::vector<c10::IValue> all = constants;
            all.insert(all.end(), arguments.begin(), arguments.end());
            return flat(std::move(all));
        },
        inputs, metadata, context, graph->node(graph->output().value()).descriptors);
}

} // namespace aotscope::torch
