// Stepping through a call by fused kernel: which nodes a step goes over is known from the program, as a
// matrix product is never part of a kernel.
#include "stepped_function.h"
#include "stepping_support.h"

using namespace aotscope;
using steps::EventKind;
using steps::StepAnswer;
using steps::StepPause;
using test::SteppedFunction;

namespace {

/// Two products, with chains of two and three pointwise operators behind them.
SteppedFunction chains() {
    SteppedFunction stepped(test::compiled(R"(x: "f32[6, 8][8, 1]cpu", w: "f32[8, 16][16, 1]cpu", )"
                                           R"(v: "f32[16, 4][4, 1]cpu")",
                                           R"(
        first = x @ w
        cosine = torch.cos(first)
        shifted = cosine + 1
        second = shifted @ v
        sine = torch.sin(second)
        doubled = sine * 2
        result = torch.tanh(doubled)
        return (result,)
)",
                                           {test::plain(), test::leaf(), test::leaf()}));
    stepped.pauses.byFusedKernel = true;
    return stepped;
}

std::string operatorOf(const StepPause& pause) {
    return pause.next < pause.record->events.size() ? pause.record->events[pause.next].target : "";
}
bool isNode(const StepPause& pause, EventKind kind) {
    return pause.next < pause.record->events.size() && pause.record->events[pause.next].kind == kind;
}
std::string kernelOf(const StepPause& pause) {
    return pause.next < pause.facts->size() ? (*pause.facts)[pause.next].kernel : "";
}

/// Views, as the transposes that the backward needs, and the node that returns: they launch nothing.
bool launches(const std::string& target) {
    return !target.empty() && target != "output" && target != "aten.t.default" &&
           target != "aten.permute.default" && target != "aten.detach.default" &&
           target != "aten.alias.default";
}

/// The operators of the forward nodes before which the call stands, when the person answers each pause.
std::vector<std::string> forwardStops(SteppedFunction& stepped, const SteppedFunction::Person& person) {
    std::vector<std::string> stops;
    stepped.call([&](const StepPause& pause, std::size_t count) {
        if (isNode(pause, EventKind::ForwardNode) && launches(operatorOf(pause))) {
            stops.push_back(operatorOf(pause));
        }
        const bool ended = pause.next == pause.record->events.size();
        return ended ? StepAnswer{StepAnswer::Kind::Resume} : person(pause, count);
    });
    return stops;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("over goes past a whole kernel, into goes through it node by node") {
    SteppedFunction stepped = chains();
    const auto overNodes = [](const StepPause& pause, std::size_t /*count*/) {
        const bool isWrapper = isNode(pause, EventKind::WrapperEntry);
        return StepAnswer{isWrapper ? StepAnswer::Kind::Into : StepAnswer::Kind::Over};
    };
    CHECK(forwardStops(stepped, overNodes) ==
          Names{"aten.mm.default", "aten.cos.default", "aten.mm.default", "aten.sin.default"});
    const auto into = [](const StepPause& /*pause*/, std::size_t /*count*/) {
        return StepAnswer{StepAnswer::Kind::Into};
    };
    CHECK(forwardStops(stepped, into) == Names{"aten.mm.default", "aten.cos.default", "aten.add.Tensor",
                                               "aten.mm.default", "aten.sin.default", "aten.mul.Tensor",
                                               "aten.tanh.default"});
    // Into the second kernel, one node over in its midst, then out of it.
    const auto enter = [&](const StepPause& pause, std::size_t count) {
        const std::string target = operatorOf(pause);
        return target == "aten.sin.default"  ? StepAnswer{StepAnswer::Kind::Into}
               : target == "aten.mul.Tensor" ? StepAnswer{StepAnswer::Kind::Out}
                                             : overNodes(pause, count);
    };
    CHECK(forwardStops(stepped, enter) == Names{"aten.mm.default", "aten.cos.default", "aten.mm.default",
                                                "aten.sin.default", "aten.mul.Tensor"});
}

TEST_CASE("a kernel names all its nodes, and no other event") {
    SteppedFunction stepped = chains();
    std::vector<StepPause> pauses;
    stepped.call([&](const StepPause& pause, std::size_t /*count*/) {
        pauses.push_back(pause);
        const bool ended = pause.next == pause.record->events.size();
        return StepAnswer{ended ? StepAnswer::Kind::Resume : StepAnswer::Kind::Into};
    });
    std::map<std::string, Names> nodes;
    for (const StepPause& pause : pauses) {
        if (isNode(pause, EventKind::ForwardNode) && launches(operatorOf(pause))) {
            nodes[kernelOf(pause)].push_back(operatorOf(pause));
        } else if (!isNode(pause, EventKind::BackwardNode)) {
            CHECK(kernelOf(pause).empty());
        } else if (operatorOf(pause) == "aten.mm.default") {
            CHECK(kernelOf(pause).empty());
        }
    }
    CHECK(nodes.size() == 3);
    CHECK(nodes[""] == Names{"aten.mm.default", "aten.mm.default"});
}

TEST_CASE("a way back passes a kernel at once, and steps by kernel can begin at a pause") {
    SteppedFunction stepped = chains();
    stepped.pauses.byFusedKernel = false;
    stepped.pauses.breakpoints = {steps::StepBreakpoint::parse("op:aten.tanh.default").value()};
    Names stops;
    stepped.call([&](const StepPause& pause, std::size_t count) {
        stops.push_back(operatorOf(pause));
        switch (count) {
        case 1:
            return StepAnswer{StepAnswer::Kind::Resume};
        case 2: {
            CHECK(operatorOf(pause) == "aten.tanh.default");
            CHECK(kernelOf(pause).empty());
            // In the midst of its kernel, as a person who comes to a breakpoint in a function.
            StepAnswer out{StepAnswer::Kind::Out, 0, std::vector<steps::StepBreakpoint>()};
            out.byFusedKernel = true;
            return out;
        }
        case 3:
            return StepAnswer{StepAnswer::Kind::BackOver};
        case 4:
            CHECK_FALSE(kernelOf(pause).empty());
            return StepAnswer{StepAnswer::Kind::BackOver};
        default:
            return StepAnswer{StepAnswer::Kind::Resume};
        }
    });
    REQUIRE(stops.size() == 6);
    CHECK(stops[3] == "aten.sin.default");
    CHECK(stops[4] == "aten.mm.default");
}
