#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>

/// What is known of single operators without LibTorch: a row each, by family in the sources beside this.
namespace aotscope::ir {

/// Yes-or-no facts. PyTorch's lists follow torch 2.11: torch/_functorch/partitioners.py
/// (get_default_op_list), torch/fx/node.py (Node.is_impure), torch.Tag.
enum class Trait : std::uint64_t {
    /// torch.Tag.pointwise, in which release 2.15 has more operators (resources/op_tags.txt).
    Pointwise = 1ULL << 0U,
    LaterPointwise = 1ULL << 1U,
    /// Among the partitioner's views, which are recomputable.
    View = 1ULL << 2U,
    /// Among the partitioner's recomputable operators, where all pointwise ones are without this trait.
    Recomputable = 1ULL << 3U,
    /// Recomputable by the rules of a release that has Inductor's online softmax.
    OnlineSoftmax = 1ULL << 4U,
    ComputeIntensive = 1ULL << 5U,
    /// Among the partitioner's random operators.
    Random = 1ULL << 6U,
    /// Never merged with an equal call (`rand_ops` and aten.empty).
    NotMergeable = 1ULL << 7U,
    /// aten.cat
    Joins = 1ULL << 8U,
    AsyncAssertion = 1ULL << 9U,
    /// The result is whatever the memory held, which no two runs have in common.
    Uninitialized = 1ULL << 10U,
    /// Makes or overwrites a tensor without reading its tensor arguments.
    IgnoresInputs = 1ULL << 11U,
    Reduces = 1ULL << 12U,
    /// Moves, fills or converts elements, each once.
    MovesElements = 1ULL << 13U,
    /// Reads only the indexed elements of argument 0.
    LooksUp = 1ULL << 14U,
    /// The result consists of elements of argument 0 that indexes choose.
    TakesElements = 1ULL << 15U,
    /// The result consists of the arguments' values, moved or with another dtype.
    MovesValues = 1ULL << 16U,
    MultipliesMatrices = 1ULL << 17U,
    /// Writes elements of argument 2 where the indexes of argument 1 say.
    PutsElements = 1ULL << 18U,
    /// A call can end its process: its kernel trusts indexes, offsets, packed weights or pivots, or it makes
    /// tensors of zeros without memory (forward-mode derivatives).
    CanEndProcess = 1ULL << 19U,
    /// No gradient flows through it.
    WithoutGradient = 1ULL << 20U,
    /// Its calls keep their order (torch/_higher_order_ops/effects.py).
    OrderedEffect = 1ULL << 21U,
    /// aten._local_scalar_dense
    ReadsNumber = 1ULL << 22U,
    /// By name: the tensor's memory may be such that nothing has written to it.
    LeavesUnwritten = 1ULL << 23U,
    /// Copies argument 0 to the dtype or device that other arguments name.
    Converts = 1ULL << 24U,
    /// A GPU may round the factors of its float32 products to TensorFloat-32.
    TensorFloat32 = 1ULL << 25U,
    /// A convolution or a derivative of one, whose factors cuDNN may round to TensorFloat-32.
    Convolves = 1ULL << 26U,
    /// prims.inductor_lookup_seed
    LooksUpSeed = 1ULL << 27U,

    // These hold for the row's `overloads` only.
    /// Dead code elimination keeps it although its schema writes to no argument. Also where only a later
    /// release does.
    Effect = 1ULL << 32U,
    /// An effect by the rules of a later release.
    LaterEffect = 1ULL << 33U,
    /// Assertions and profiler marks, which the default partition never saves.
    NeverSaved = 1ULL << 34U,
    WaitsForTensor = 1ULL << 35U,
    /// aten.copy_
    CopiesInto = 1ULL << 36U,
    /// A functional graph may write to an input by it.
    AssignsInput = 1ULL << 37U,
    AssertsScalar = 1ULL << 38U,
    LiftsFresh = 1ULL << 39U,
    /// aten.view, aten.reshape
    ChangesShape = 1ULL << 40U,
    /// The result has the argument's values in another shape or dtype, as a view or a copy.
    Reshapes = 1ULL << 41U,
    /// The result has the argument's dtype and number of elements.
    KeepsElements = 1ULL << 42U,
    /// Has argument 0 as its result if shape, strides and dtype stay.
    MayReturnArgument = 1ULL << 43U,
    /// aten.detach, aten.alias
    Aliases = 1ULL << 44U,
    Clones = 1ULL << 45U,
    /// A view, or a list of views, although the schema hides it from autograd.
    HiddenView = 1ULL << 46U,
    HiddenViews = 1ULL << 47U,
    /// Writes into a copy of argument 0 that has the gaps between its elements, too.
    CopiesWholeStorage = 1ULL << 48U,
    /// Compares with a number: x <= number, x > number.
    ReadsSign = 1ULL << 49U,
    /// The derivative of threshold and relu.
    IsOfThreshold = 1ULL << 50U,
    /// Adds numbers inside that nearly cancel, such as 1 + erf(x).
    CancelsInside = 1ULL << 51U,
    /// LibTorch's formula of its gradient is another one since torch 2.15 (tools/autograd/derivatives.yaml,
    /// FunctionsManual.cpp), and no rule of a release covers it.
    LaterGradient = 1ULL << 52U,
    /// The calls that LibTorch makes of it, or the strides of its results, are others since torch 2.15, and
    /// no rule of a release covers it.
    LaterResult = 1ULL << 53U,
    /// As LaterGradient, but by a rule LibTorch 2.15 follows torch 2.11; LibTorch 2.11 cannot follow 2.15.
    FollowedGradient = 1ULL << 54U,
};
constexpr Trait operator|(Trait a, Trait b) {
    return static_cast<Trait>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b));
}

/// How the elements of an operator's result are computed, where one or a few expressions say it.
enum class Computes : std::uint8_t {
    /// In the result's dtype, small floats as float, and rounded once.
    Arithmetic,
    /// One of the operands, or a number that needs no rounding.
    Exact,
    /// Comparisons in the operands' promoted dtype.
    Compare,
    /// Operands as truth values.
    Logical,
    /// A property of one operand, in its own dtype.
    Test,
};
/// Follows torch 2.11, aten/src/ATen/native/cuda: the elementwise kernels (UnaryOps, BinaryOps,
/// Activation*, …).
struct ElementExpression {
    Computes family = Computes::Arithmetic;
    /// Names of the operands; "value=1": with a default; "mask?": as a truth value.
    std::string_view operands;
    /// Steps with "; " between them: $0 … are operands, %0 … earlier steps. The last is the result. At the
    /// start, "{op}" is the operator's name.
    std::string_view text;
    /// For integers and bools where it differs; "-": the operator does not take them.
    std::string_view integers = {};
    /// Where the argument `approximate` is "tanh".
    std::string_view byTanh = {};
};

/// How fused kernels compute what no expression describes (kernels/rules_*.cpp).
enum class KernelRule : std::uint8_t {
    None,
    /// `text` is the sign.
    Sum,
    ReversedDifference,
    Quotient,
    Power,
    Clamp,
    BitwiseNot,
    Round,
    NanToNum,
    /// `text` compares a column with the row and the diagonal.
    Triangle,
    Moved,
    BatchNormInference,
    Philox,
    /// 0 or 1, as `text` says.
    Same,
    Filled,
    Range,
    /// `text` is what the kernel's rows do with their elements; `result` follows, with $1 for their number.
    Reduction,
    Position,
    Truth,
    VectorNorm,
    /// `result` of the variance.
    Variance,
    LogSumExp,
    /// `result` of the power, the sum of powers, and the largest element.
    Softmax,
    LogSoftmax,
    SoftmaxGradient,
    LogSoftmaxGradient,
    SquaredLoss,
    SquaredLossGradient,
    Normalization,
    RmsNorm,
    NormalizationGradient,
    RmsNormGradient,
};
struct KernelFormula {
    KernelRule rule = KernelRule::None;
    std::string_view text = {};
    std::string_view result = {};
};

/// How floating-point operations are counted (torch/utils/flop_counter.py).
enum class FlopRule : std::uint8_t {
    None,
    MatrixProduct,
    BatchProduct,
    Convolution,
    ConvolutionBackward,
    Attention,
    AttentionBackward,
    /// Attention of sequences with different lengths.
    PackedAttention,
    PackedAttentionBackward,
    /// The same, or one batch that has its sequence before its heads.
    FlashAttention,
    FlashAttentionBackward,
};
struct FlopFormula {
    FlopRule rule = FlopRule::None;
    /// Positions of the first operand, and of the sequences' offsets.
    std::uint8_t operand = 0;
    std::uint8_t offsets = 0;
};

/// Which element of its operand an element of a view is.
enum class ViewMap : std::uint8_t {
    None,
    /// A view, but no function of its coordinates is known.
    Unknown,
    Reshaped,
    Expanded,
    Permuted,
    Transposed,
    MatrixTransposed,
    Sliced,
    Narrowed,
    Selected,
    Unbound,
    Split,
    BroadcastInDim,
};

/// What an index operand must lie below.
enum class Below : std::uint8_t {
    /// Size of tensor `of` along the dimension that argument `detail` gives.
    SizeAlongArgument,
    /// Size of tensor `of` along dimension `detail`.
    Size,
    /// The integer argument `of`.
    Integer,
    /// A list of index tensors, one for each of the first dimensions of tensor `of`.
    PerDimension,
    /// Number of elements of tensor `of`.
    Elements,
    /// Number of classes: size 1 of tensor `of`, or size 0 when it has one dimension. Argument `detail` is
    /// the ignored class.
    Classes,
    /// Product of the last `detail` sizes of tensor `of`.
    LastSizes,
    /// Product of the integer list `of`.
    Product,
    /// Smallest integer of the list `of`.
    Smallest,
    /// For indices that count from 1: from 1 to the size of tensor `of` along dimension -`detail`.
    PositionFromOne,
    /// As PositionFromOne; the kernel takes their magnitude.
    PivotFromOne,
    /// Places in a pooling window of the sizes `of`, for the input sizes that follow, the strides, paddings
    /// and dilations: those that lie in the input wherever the window stands.
    WindowOffset,
};
/// An argument that holds indexes.
struct IndexRule {
    std::uint8_t argument = 0;
    Below below = Below::Size;
    std::uint8_t of = 0;
    std::uint8_t detail = 0;
    bool negativeAllowed = false;
};
/// At most three.
class IndexRules {
public:
    constexpr IndexRules() = default;
    constexpr IndexRules(std::initializer_list<IndexRule> rules) : m_count(rules.size()) {
        std::copy(rules.begin(), rules.end(), m_rules.begin());
    }
    [[nodiscard]] constexpr bool empty() const { return m_count == 0; }
    [[nodiscard]] const IndexRule* begin() const { return m_rules.data(); }
    [[nodiscard]] const IndexRule* end() const { return m_rules.data() + m_count; }

private:
    std::array<IndexRule, 3> m_rules;
    std::size_t m_count = 0;
};
/// An argument that holds offsets, and the one whose rows they divide.
struct OffsetsRule {
    std::uint8_t offsets = 0;
    std::uint8_t rows = 0;
};

/// Positions of the arguments of an operator on one element: the tensor or its sizes, the dimension, and the
/// place in it.
struct ElementRule {
    std::uint8_t of = 0;
    std::uint8_t dim = 0;
    std::uint8_t index = 0;
};

/// Calls that only the CPU's kernels take.
enum class CpuOnlyCall : std::uint8_t { None, Attention, AttentionBackward, LayerNorm, LayerNormBackward };

/// Positions of arguments, one bit each.
using Positions = std::uint16_t;

struct OperatorFacts {
    /// With spaces between them; empty: a target without an overload.
    std::string_view overloads = "default";
    /// Without text: fused kernels compute it by another formula, or not at all.
    ElementExpression expression = {};
    KernelFormula kernel = {};
    FlopFormula flops = {};
    /// Where torch 2.15 counts otherwise than 2.11.
    FlopFormula laterFlops = {};
    ViewMap view = ViewMap::None;
    std::optional<ElementRule> element = {};
    IndexRules indexes = {};
    /// Offsets that the kernel trusts, and those that synthetic inputs must be.
    std::optional<OffsetsRule> trustedOffsets = {};
    std::optional<OffsetsRule> rowOffsets = {};
    /// The argument whose rows the keyword arguments `offsets` or `lengths` divide.
    std::optional<std::uint8_t> segmented = {};
    /// Arguments for which a negative number gives NaN.
    Positions nonNegative = 0;
    /// Arguments that must not be 0 when they are integers.
    Positions nonZero = 0;
    Positions probabilities = 0;
    /// The kind of random numbers: those of one kind can stand for each other.
    std::string_view draws = {};
    CpuOnlyCall cpuOnly = CpuOnlyCall::None;
    /// The argument that all elements of the result are.
    std::optional<std::size_t> constant = {};
    /// The other name by which Inductor's code calls it.
    std::string_view inductorName = {};
    /// The numbers of autograd's classes of the listed overloads' derivatives, with spaces between them: "1"
    /// of aten.clamp_min.Tensor, which is ClampMinBackward1.
    std::string_view backwardNumbers = "0";
    /// In words, where fused kernels do not compute it.
    std::string_view deed = {};
};

struct OperatorRow {
    Trait traits = {};
    OperatorFacts facts = {};

    [[nodiscard]] constexpr bool is(Trait trait) const {
        return (static_cast<std::uint64_t>(traits) & static_cast<std::uint64_t>(trait)) != 0;
    }
};

/// The operator of a call's target.
class Operator {
public:
    explicit Operator(std::string_view target);

    /// Whether it has one of these traits.
    [[nodiscard]] bool is(Trait traits) const {
        constexpr std::uint64_t ofAllOverloads = static_cast<std::uint64_t>(Trait::Effect) - 1;
        const std::uint64_t known = m_isListedOverload ? ~std::uint64_t(0) : ofAllOverloads;
        return m_row->is(static_cast<Trait>(static_cast<std::uint64_t>(traits) & known));
    }
    const OperatorFacts* operator->() const { return &m_row->facts; }

private:
    const OperatorRow* m_row;
    bool m_isListedOverload;
};

/// What the operators with that name ("add" of "aten.add.Tensor") have in common in all namespaces, Python's
/// functions and methods among them.
[[nodiscard]] const OperatorRow& operatorNamed(std::string_view name);

/// torch.Tag.nondeterministic_seeded
[[nodiscard]] bool isSeeded(std::string_view target);

} // namespace aotscope::ir
