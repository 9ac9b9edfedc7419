#include "wrapper_support.h"

#include <iostream>

using namespace aotscope;
using test::matrix;

namespace {

using Inputs = std::vector<aot::RetraceInput>;

/// A program for each case that the runtime wrapper knows.
struct Case {
    std::string name;
    std::string parameters;
    std::string body;
    Inputs inputs;
    bool gradEnabled = true;
    bool keepInputMutations = true;
    /// What the wrapper says that it did; empty: nothing.
    std::string action = {};
};

std::vector<Case> cases() {
    const std::string x = "x" + matrix;
    const std::string xw = x + ", w" + matrix;
    return {
        {"data mutation of an inner tensor",
         xw,
         "        mul_ = x.mul_(2);  mul_ = None\n        out = x * w\n        return (out,)\n",
         {test::inner(), test::leaf()},
         true,
         true,
         "copy_"},
        {"data mutation of a plain input",
         xw,
         "        add_ = x.add_(1);  add_ = None\n        out = x * w\n        return (out,)\n",
         {test::plain(), test::leaf()}},
        {"data mutation that the graph does not keep",
         xw,
         "        add_ = x.add_(1);  add_ = None\n        out = x * w\n        return (out,)\n",
         {test::plain(), test::leaf()},
         true,
         false,
         "copy_"},
        {"data mutation without gradients",
         x,
         "        add_ = x.add_(1);  add_ = None\n        out = x * 3\n        return (out,)\n",
         {test::plain()}},
        {"several writes to one input",
         x,
         "        a = x.add_(1);  a = None\n        b = x.mul_(2);  b = None\n        out = x + 1\n        "
         "return (out,)\n",
         {test::plain()},
         true,
         false,
         "copy_"},
        {"metadata mutation",
         xw,
         "        t_ = x.t_();  t_ = None\n        out = w * 2\n        return (out,)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "as_strided_"},
        {"data and metadata mutation",
         x,
         "        t_ = x.t_();  t_ = None\n        add_ = x.add_(1);  add_ = None\n        out = x * 2\n     "
         "   return (out,)\n",
         {test::plain()},
         true,
         true,
         "as_strided_ and copy_"},
        {"an output that is an input",
         xw,
         "        out = x * w\n        return (x, out)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "itself"},
        {"an output that is a view of an input",
         xw,
         "        v = x.view(12)\n        out = x * w\n        return (v, out)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "by the program's views"},
        {"a view of an input that requires grad",
         xw,
         "        v = x.view(12)\n        t = v[(slice(2, 6, None),)]\n"
         "        out = x * w\n        return (t, out)\n",
         {test::leaf(), test::leaf()},
         true,
         true,
         "view of argument 0"},
        {"a view of a mutated input",
         xw,
         "        add_ = x.add_(1);  add_ = None\n        v = x.t()\n        out = x * w\n        return (v, "
         "out)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "view of argument 0"},
        {"two views of an intermediate",
         xw,
         "        mul = x * w\n        a = mul.view(12)\n        b = mul.t()\n        return (a, b)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "intermediate"},
        {"an intermediate and a view of it",
         xw,
         "        mul = x * w\n        a = mul.view(12)\n        return (mul, a)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "view of output 0"},
        {"one result returned twice",
         xw,
         "        mul = x * w\n        return (mul, mul)\n",
         {test::plain(), test::leaf()}},
        {"one result returned twice, with another between",
         xw,
         "        mul = x * w\n        sin = mul.sin()\n        return (mul, sin, mul)\n",
         {test::plain(), test::leaf()}},
        {"an intermediate returned twice beside a view of it",
         xw,
         "        mul = x * w\n        a = mul.view(12)\n        return (mul, a, mul)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "view of output"},
        {"a mutated input returned twice",
         xw,
         "        mul_ = x.mul_(2);  mul_ = None\n        out = x * w\n        return (x, out, x)\n",
         {test::plain(), test::leaf()},
         true,
         true,
         "argument 0 itself"},
        {"an output without gradient",
         xw,
         "        mul = x * w\n        d = mul.detach()\n        c = d.argmax()\n        return (mul, c)\n",
         {test::plain(), test::leaf()}},
        {"no_grad inside",
         xw,
         "        out = x + w\n"
         "        _set_grad_enabled = torch._C._set_grad_enabled(False);  _set_grad_enabled = None\n"
         "        mul_ = x.mul_(2);  mul_ = None\n"
         "        _set_grad_enabled_1 = torch._C._set_grad_enabled(True);  _set_grad_enabled_1 = None\n"
         "        return (out,)\n",
         {test::plain(), test::leaf()}},
        {"mutation of a leaf under no_grad",
         xw,
         "        _set_grad_enabled = torch._C._set_grad_enabled(False);  _set_grad_enabled = None\n"
         "        mul_ = w.mul_(2);  mul_ = None\n"
         "        _set_grad_enabled_1 = torch._C._set_grad_enabled(True);  _set_grad_enabled_1 = None\n"
         "        out = x * w\n"
         "        return (out,)\n",
         {test::plain(), test::leaf()}},
        {"grad mode left off",
         x,
         "        out = x * 2\n"
         "        _set_grad_enabled = torch._C._set_grad_enabled(False);  _set_grad_enabled = None\n"
         "        return (out,)\n",
         {test::plain()}},
        {"a non-leaf without gradient is detached",
         xw,
         "        sign = x.sign()\n        d = sign.detach()\n        out = d * w\n        return (out,)\n",
         {test::inner(), test::leaf()}},
        {"dropout",
         xw,
         "        d = torch.nn.functional.dropout(x, 0.5, True, False)\n        out = d * w\n        return "
         "(out,)\n",
         {test::plain(), test::leaf()}},
    };
}

} // namespace

TEST_CASE("every kind of mutation and alias is as in eager mode") {
    for (const Case& each : cases()) {
        SUBCASE(each.name.c_str()) {
            INFO(each.name);
            const test::Compiled function = test::compiled(
                each.parameters, each.body, each.inputs,
                {.gradEnabled = each.gradEnabled, .keepInputMutations = each.keepInputMutations});
            const steps::CallRecord record = test::called(function);
            test::requireEager(record);
            if (!each.action.empty()) {
                CHECK_MESSAGE(test::did(record, "RuntimeWrapper", each.action), each.action);
            }
        }
    }
}

TEST_CASE("a tensor of symbolic sizes gets constant ones in place") {
    const test::Compiled function =
        test::compiled("s77: \"Sym(s77)\", x: \"f32[s77, 4][4, 1]cpu\"",
                       "        y = x * 2\n        y_1 = y.as_strided_((2, 2), (4, 1))\n"
                       "        z = y_1 * 3\n        add = z + s77\n        return (add,)\n",
                       {test::plain(), test::leaf()}, {.hints = {{"s77", 5}}});
    test::requireEager(test::called(function));
}
