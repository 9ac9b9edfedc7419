#include "decompositions/all_decompositions.h"
#include "decompositions/python_arithmetic.h"

#include <algorithm>
#include <array>
#include <limits>

/// Images sampled at the positions of a grid, and the grids of affine maps.
namespace aotscope::torch::decomposed {

namespace {

enum class Interpolation : std::uint8_t { Bilinear, Nearest, Bicubic };
enum class Padding : std::uint8_t { Zeros, Border, Reflection };

/// One call of the sampler, with what it needs to read a pixel.
class Sampler {
public:
    Sampler(at::Tensor image, const at::Tensor& grid, Padding padding, bool alignCorners, bool expandGrid,
            const aot::DecompositionRules& rules)
        : m_rules(rules),
          m_image(std::move(image)),
          m_sizes(python::sizes(m_image)),
          m_padding(padding),
          m_alignCorners(alignCorners),
          m_expandGrid(expandGrid) {
        m_outHeight = grid.sym_size(1);
        m_outWidth = grid.sym_size(2);
        m_grid = !expandGrid ? grid
                             : grid.view_symint({m_sizes[0], 1, m_outHeight, m_outWidth, 2})
                                   .expand_symint({m_sizes[0], m_sizes[1], m_outHeight, m_outWidth, 2});
        m_batch = python::arange(m_sizes[0], m_image).view_symint({m_sizes[0], 1, 1, 1});
        m_channels = python::arange(m_sizes[1], m_image).view_symint({1, m_sizes[1], 1, 1});
    }

    [[nodiscard]] at::Tensor bilinear() const;
    [[nodiscard]] at::Tensor nearest() const;
    [[nodiscard]] at::Tensor bicubic() const;

private:
    [[nodiscard]] const c10::SymInt& height() const { return m_sizes[2]; }
    [[nodiscard]] const c10::SymInt& width() const { return m_sizes[3]; }
    [[nodiscard]] at::Tensor column() const { return m_grid.select(m_grid.dim() - 1, 0); }
    [[nodiscard]] at::Tensor row() const { return m_grid.select(m_grid.dim() - 1, 1); }

    /// Maps -1 … 1 to pixel coordinates.
    [[nodiscard]] at::Tensor unnormalized(const at::Tensor& coordinates, const c10::SymInt& size) const {
        const auto half = [&] { return python::realNumber(size) * 0.5; };
        const c10::Scalar scale(m_alignCorners ? half() - 0.5 : half());
        const c10::Scalar middle(half() - 0.5);
        return coordinates * scale + middle;
    }
    [[nodiscard]] static at::Tensor reflected(const at::Tensor& coordinates, const c10::SymInt& twiceLow,
                                              const c10::SymInt& twiceHigh);
    [[nodiscard]] at::Tensor inImage(const at::Tensor& coordinates, const c10::SymInt& size) const;
    /// The pixel coordinates that the grid gives; `broughtIn`: mapped into the image.
    struct Places {
        at::Tensor x;
        at::Tensor y;
    };
    [[nodiscard]] Places places(bool broughtIn) const {
        const at::Tensor atX = column();
        const at::Tensor atY = row();
        const auto pixel = [&](const at::Tensor& coordinates, const c10::SymInt& size) {
            const at::Tensor named = unnormalized(coordinates, size);
            return broughtIn ? inImage(named, size) : named;
        };
        Places found{pixel(atX, width()), {}};
        found.y = pixel(atY, height());
        return found;
    }
    [[nodiscard]] c10::ScalarType indexType() const {
        const auto fits = [](const c10::SymInt& size) {
            return size.sym_le(std::numeric_limits<std::int32_t>::max()).guard_or_false(__FILE__, __LINE__);
        };
        const bool small =
            m_rules.gridsAreReadWith32Bits && m_image.is_cuda() && fits(height()) && fits(width());
        return small ? c10::kInt : c10::kLong;
    }
    /// The pixels at these positions times a weight; an undefined weight counts as 1.
    [[nodiscard]] at::Tensor weighted(const at::Tensor& x, const at::Tensor& y,
                                      const at::Tensor& weight) const;

    const aot::DecompositionRules& m_rules;
    at::Tensor m_image;
    std::vector<c10::SymInt> m_sizes;
    Padding m_padding;
    bool m_alignCorners;
    bool m_expandGrid;
    c10::SymInt m_outHeight;
    c10::SymInt m_outWidth;
    at::Tensor m_grid;
    at::Tensor m_batch;
    at::Tensor m_channels;
};

at::Tensor Sampler::reflected(const at::Tensor& coordinates, const c10::SymInt& twiceLow,
                              const c10::SymInt& twiceHigh) {
    if (twiceLow.sym_eq(twiceHigh).guard_bool(__FILE__, __LINE__)) {
        return at::zeros_like(coordinates, python::options());
    }
    const c10::Scalar least(python::quotient(twiceLow, 2));
    const c10::Scalar span(python::quotient(twiceHigh - twiceLow, 2));
    const at::Tensor distance = (coordinates - least).abs();
    const at::Tensor extra = at::fmod(distance, span);
    const at::Tensor flips = (distance / span).floor().to(c10::kChar);
    const at::Tensor isEven = flips.bitwise_and(1).eq(0);
    const at::Tensor forth = extra + least;
    const c10::Scalar both(python::quotient(twiceHigh - twiceLow, 2) + python::quotient(twiceLow, 2));
    return at::where(isEven, forth, both - extra);
}

at::Tensor Sampler::inImage(const at::Tensor& coordinates, const c10::SymInt& size) const {
    switch (m_padding) {
    case Padding::Zeros:
        return coordinates;
    case Padding::Border:
        return at::clamp(coordinates, 0, c10::Scalar(size - 1));
    case Padding::Reflection:
        break;
    }
    const at::Tensor within =
        m_alignCorners ? reflected(coordinates, 0, 2 * (size - 1)) : reflected(coordinates, -1, 2 * size - 1);
    return at::clamp(within, 0, c10::Scalar(size - 1));
}

at::Tensor Sampler::weighted(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weight) const {
    const at::Tensor left = x.ge(0);
    const at::Tensor right = x.lt(c10::Scalar(width()));
    const at::Tensor top = y.ge(0);
    const at::Tensor bottom = y.lt(c10::Scalar(height()));
    const at::Tensor inside = at::logical_and(left, at::logical_and(right, at::logical_and(top, bottom)));
    const c10::ScalarType type = indexType();
    const at::Tensor column = x.to(type);
    const at::Tensor row = y.to(type);
    const std::vector<c10::SymInt> shape = {m_sizes[0], m_expandGrid ? m_sizes[1] : c10::SymInt(1),
                                            m_outHeight, m_outWidth};
    const auto shown = [&](const at::Tensor& tensor) { return tensor.view_symint(shape); };
    const at::Tensor atColumn = shown(at::where(inside, column, 0));
    const at::Tensor atRow = shown(at::where(inside, row, 0));
    const at::Tensor by = shown(weight.defined() ? at::where(inside, weight, 0) : at::where(inside, 1, 0));
    return at::index(m_image, python::indexAt(0, {m_batch, m_channels, atRow, atColumn})) * by;
}

at::Tensor area(const at::Tensor& left, const at::Tensor& right, const at::Tensor& top,
                const at::Tensor& bottom) {
    const at::Tensor width = right - left;
    return width * (bottom - top);
}

at::Tensor Sampler::bilinear() const {
    const auto [ix, iy] = places(/*broughtIn=*/true);
    const at::Tensor west = ix.floor();
    const at::Tensor north = iy.floor();
    const at::Tensor east = west + 1;
    const at::Tensor south = north + 1;
    const at::Tensor northWest = area(ix, east, iy, south);
    const at::Tensor northEast = area(west, ix, iy, south);
    const at::Tensor southWest = area(ix, east, north, iy);
    const at::Tensor southEast = area(west, ix, north, iy);
    at::Tensor sum = weighted(west, north, northWest);
    sum = sum + weighted(east, north, northEast);
    sum = sum + weighted(west, south, southWest);
    return sum + weighted(east, south, southEast);
}

at::Tensor Sampler::nearest() const {
    const auto [ix, iy] = places(/*broughtIn=*/true);
    const at::Tensor nearestX = ix.round();
    return weighted(nearestX, iy.round(), {});
}

at::Tensor Sampler::bicubic() const {
    const auto [ix, iy] = places(/*broughtIn=*/false);
    const at::Tensor west = ix.floor();
    const at::Tensor north = iy.floor();
    at::Tensor xFraction = ix - west;
    at::Tensor yFraction = iy - north;
    if (!m_expandGrid) {
        xFraction = xFraction.unsqueeze(1);
        yFraction = yFraction.unsqueeze(1);
    }
    const auto pixel = [&](const at::Tensor& atX, const at::Tensor& atY) {
        const at::Tensor boundedX = inImage(atX, width());
        return weighted(boundedX, inImage(atY, height()), {});
    };
    std::array<at::Tensor, 4> rows;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const at::Tensor atY = north + (static_cast<std::int64_t>(i) - 1);
        std::array<at::Tensor, 4> pixels;
        pixels[0] = pixel(west - 1, atY);
        pixels[1] = pixel(west, atY);
        pixels[2] = pixel(west + 1, atY);
        pixels[3] = pixel(west + 2, atY);
        rows[i] = cubicInterpolation(pixels, xFraction);
    }
    return cubicInterpolation(rows, yFraction);
}

/// Positions from -1 to 1, or from center to center of the outermost pixels.
at::Tensor pixelPlaces(std::int64_t count, bool alignCorners, const at::TensorOptions& options) {
    const double steps = static_cast<double>(count);
    const c10::Scalar last = alignCorners ? c10::Scalar(1) : c10::Scalar((steps - 1) / steps);
    return at::linspace(-last, last, count, options);
}

/// For each pixel its position and a 1, to be multiplied by an affine map.
at::Tensor baseGrid(const std::vector<std::int64_t>& spatial, bool alignCorners,
                    const at::TensorOptions& options) {
    const auto dims = static_cast<std::int64_t>(spatial.size());
    std::vector<at::Tensor> axes;
    for (std::int64_t i = 0; i < dims; ++i) {
        const std::int64_t dim = dims - 1 - i;
        std::vector<std::int64_t> shape(spatial.size() + 1, 1);
        shape[static_cast<std::size_t>(dim)] = spatial[static_cast<std::size_t>(dim)];
        axes.push_back(
            pixelPlaces(spatial[static_cast<std::size_t>(dim)], alignCorners, options).view(shape));
    }
    axes.push_back(at::ones(std::vector<std::int64_t>(spatial.size() + 1, 1), options));
    for (std::int64_t i = 0; i <= dims; ++i) {
        axes[static_cast<std::size_t>(i)] =
            at::pad(axes[static_cast<std::size_t>(i)], {i, dims - i}, "constant", 0.0);
    }
    at::Tensor grid = axes.front();
    for (std::size_t i = 1; i < axes.size(); ++i) {
        grid = grid + axes[i];
    }
    return grid;
}

} // namespace

Decomposed gridSampler2d(const DecompositionCall& call) {
    const auto [cast, image, grid] = python::castOperands(call, "input", "grid");
    const auto interpolation = static_cast<Interpolation>(call.integer("interpolation_mode"));
    // Each channel reads its own copy of the grid, except in the one case where the CPU is faster without.
    const bool expandGrid =
        !(image.is_cpu() && interpolation == Interpolation::Bilinear && image.is_contiguous());
    const Sampler sampler(image, grid, static_cast<Padding>(call.integer("padding_mode")),
                          call.flag("align_corners"), expandGrid, call.rules().decompositions);
    switch (interpolation) {
    case Interpolation::Bilinear:
        return cast.back(sampler.bilinear());
    case Interpolation::Nearest:
        return cast.back(sampler.nearest());
    case Interpolation::Bicubic:
        break;
    }
    return cast.back(sampler.bicubic());
}

Decomposed affineGridGenerator(const DecompositionCall& call) {
    const auto [cast, theta] = python::castOperands(call, "theta");
    const std::vector<std::int64_t> size = call.integers("size");
    const std::vector<std::int64_t> spatial(size.begin() + 2, size.end());
    const auto dims = static_cast<std::int64_t>(spatial.size());
    TORCH_CHECK(dims == 2 || dims == 3,
                "affine_grid_generator needs 4d (spatial) or 5d (volumetric) inputs.");
    if (std::find(spatial.begin(), spatial.end(), 1) != spatial.end()) {
        return Decomposed::notApplicable();
    }
    const at::TensorOptions options = python::optionsOf(theta);
    const at::Tensor base = baseGrid(spatial, call.flag("align_corners"), options);
    const at::Tensor places = base.view({-1, dims + 1, 1});
    const at::Tensor grid = (places * theta.mT().unsqueeze(1)).sum(at::IntArrayRef{-2});
    std::vector<std::int64_t> shape = {size[0]};
    shape.insert(shape.end(), spatial.begin(), spatial.end());
    shape.push_back(dims);
    return cast.back(grid.view(shape));
}

} // namespace aotscope::torch::decomposed
