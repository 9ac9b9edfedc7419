#include "operators/operator_rows.h"

#include "decompositions/all_decompositions.h"
#include "fake/meta/rules.h"
#include "fake/models/symbolic_shapes.h"

/// Arithmetic, comparisons and functions of single elements.
namespace aotscope::torch {

void addArithmeticRows(OperatorRows& rows) {
    using Memory = OperatorModel::Memory;
    rows.add({"add.Tensor"}, symbolic::quick, symbolic::askQuick, Memory::NewOfContiguous,
             InInductor{decomposed::complexAdd});
    rows.add({"angle"}, shapes::angle, InInductor{decomposed::angle});
    rows.add({"conj_physical"}, InInductor{decomposed::complexOnly});
    rows.add({"clamp", "clamp.Tensor"}, InInductor{decomposed::clamp});
    rows.add({"round.decimals"}, InInductor{decomposed::roundDecimals});
    rows.add({"fmin"}, InInductor{decomposed::fmin});
    rows.add({"fmax"}, InInductor{decomposed::fmax});
    rows.add({"lcm"}, InInductor{decomposed::lcm});
    rows.add({"_foreach_addcmul.Scalar"}, InInductor{decomposed::foreachAddcmul});
    rows.add({"_foreach_addcdiv.Scalar"}, InInductor{decomposed::foreachAddcdiv});
    rows.add({"_foreach_lerp.Scalar", "_foreach_lerp.ScalarList"}, InInductor{decomposed::foreachLerp});
    rows.add({"heaviside"}, shapes::ledByFirst, decomposed::heaviside);
    rows.add({"lerp.Scalar", "lerp.Tensor"}, InCore{decomposed::lerp}, InInductor{decomposed::inductorLerp});
    rows.add({"logaddexp"}, shapes::ledByFirst, decomposed::logaddexp);
    rows.add({"logaddexp2"}, shapes::ledByFirst, decomposed::logaddexp2);
    rows.add({"addcmul"}, InCore{decomposed::addcmul}, InInductor{decomposed::inductorAddcmul});
    rows.add({"addcdiv"}, InCore{decomposed::addcdiv}, InInductor{decomposed::inductorAddcdiv});
    rows.add({"rsub.Tensor"}, shapes::promoted, decomposed::rsub);
    rows.add({"rsub.Scalar"}, decomposed::rsub);
    rows.add({"clamp_min", "clamp_min.Tensor"}, InCore{decomposed::clampMin});
    rows.add({"clamp_max", "clamp_max.Tensor"}, InCore{decomposed::clampMax});
    rows.add({"floor_divide"}, shapes::floorDivide, decomposed::floorDivide);
    rows.add({"floor_divide.Scalar"}, decomposed::floorDivide);
    rows.add({"frac"}, decomposed::frac);
    rows.add({"deg2rad"}, decomposed::deg2rad);
    rows.add({"rad2deg"}, decomposed::rad2deg);
    rows.add({"isposinf"}, decomposed::isPositiveInfinity);
    rows.add({"isneginf"}, decomposed::isNegativeInfinity);
    rows.add({"sgn"}, decomposed::sgn);
    rows.add({"sinc"}, decomposed::sinc);
    rows.add({"mvlgamma"}, shapes::contiguousFloatOfFirst, decomposed::mvlgamma);
    rows.add({"logit"}, shapes::floatOfFirst, decomposed::logit);
    rows.add({"logit_backward"}, shapes::bySelf, decomposed::logitBackward);
    rows.add({"nan_to_num"}, shapes::likeFirst, decomposed::nanToNum);
    rows.add({"xlogy.Tensor"}, shapes::timesLogarithm, decomposed::xlogy);
    rows.add({"xlogy.Scalar_Self", "xlogy.Scalar_Other"}, decomposed::xlogy);
    rows.add({"special_xlog1py"}, shapes::timesLogarithm, decomposed::xlog1py);
    rows.add({"special_xlog1py.self_scalar", "special_xlog1py.other_scalar"}, decomposed::xlog1py);
    rows.add({"special_entr"}, decomposed::entr);
    rows.add({"special_log_ndtr"}, InCore{decomposed::logNdtr}, InInductor{decomposed::inductorLogNdtr});
    rows.add({"_add_relu.Tensor", "__lshift__.Scalar", "__lshift__.Tensor", "__rshift__.Scalar",
              "__rshift__.Tensor", "_standard_gamma_grad"},
             shapes::promoted);
    rows.add({"remainder.Scalar_Tensor"}, shapes::remainderOfNumber);
    rows.add({"_add_relu.Scalar"}, shapes::likeFirst);
    rows.add({"pow.Tensor_Scalar"}, shapes::power);
    rows.add({"div.Tensor_mode"}, shapes::divideInMode);
    rows.add({"copysign.Tensor"}, shapes::copySign);
    rows.add({"ldexp.Tensor"}, shapes::timesPowerOfTwo);
    rows.add({"where.self_out"}, shapes::intoOut);
    rows.add({"logical_and", "logical_or", "logical_xor", "logical_not"}, shapes::toBool);
    rows.add({"abs"}, shapes::absolute);
    rows.add({"complex", "polar"}, shapes::complexOfParts);
    rows.add({"frexp.Tensor"}, shapes::frexp);
    rows.add({"_conj_physical"}, shapes::sameType);
    rows.add({"isnan"}, shapes::boolOfFirst);
    rows.add({"where.self"}, shapes::whereSelf);
    rows.add({"sub.Tensor", "mul.Tensor", "div.Tensor"}, symbolic::quick, symbolic::askQuick,
             Memory::NewOfContiguous);
}

} // namespace aotscope::torch
