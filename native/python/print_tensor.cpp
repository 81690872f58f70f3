// SPDX-License-Identifier: Apache-2.0
#include "python/print_tensor.hpp"

#include "core/text.hpp"
#include "python/bind_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "tensor/dtype.hpp"
#include "tensor/view.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;
using tensor::IndexItem;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

// Less than this is not worth a selection on the device.
constexpr std::uint64_t kSmallTensor = std::uint64_t{1} << 16U;

struct Options {
    std::int64_t threshold; ///< scalars up to which numpy prints all
    std::int64_t edge;      ///< elements that it prints on either side of the dots
};

Options print_options(const py::module_& numpy) {
    const py::dict options = numpy.attr("get_printoptions")();
    return {.threshold = options["threshold"].cast<std::int64_t>(),
            .edge = std::max<std::int64_t>(options["edgeitems"].cast<std::int64_t>(), 0)};
}

bool is_summarised(const Tensor& tensor, const Options& options) {
    std::int64_t scalars = tensor.element_count();
    for (const std::int64_t extent : reflect::element_shape(*tensor.dtype())) {
        scalars *= extent;
    }
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(tensor.element_count()) * tensor.layout()->element_bytes();
    return tensor.rank() > 0 && scalars > options.threshold && bytes > kSmallTensor;
}

/// A part of an axis and where it goes in the selection.
struct Piece {
    std::int64_t from = 0;
    std::int64_t to = 0;
    std::int64_t count = 0;
};

/// Both edges of an axis and one element between them, which stands for the dots.
std::vector<Piece> pieces(std::int64_t extent, std::int64_t edge) {
    if (extent <= 2 * edge + 1) {
        return {{.count = extent}};
    }
    return {{.count = edge + 1}, {.from = extent - edge, .to = edge + 1, .count = edge}};
}

IndexItem slice(std::int64_t start, std::int64_t count) {
    return {.start = start, .stop = start + count};
}

/// The smallest tensor that numpy prints as it would print all of `tensor`.
TensorRef edges_of(const TensorRef& tensor, std::int64_t edge, dispatch::Copier& copier) {
    std::vector<std::vector<Piece>> axes;
    std::vector<std::int64_t> shape;
    for (const std::int64_t extent : tensor->shape()) {
        axes.push_back(pieces(extent, edge));
        shape.push_back(axes.back().back().to + axes.back().back().count);
    }
    const TensorRef result = Tensor::create(tensor->buffer().device_ref(),
                                            {.dtype = tensor->dtype(), .shape = shape}, "print");
    std::vector<std::size_t> choice(axes.size(), 0);
    for (std::size_t axis = 0; axis < axes.size();) {
        std::vector<IndexItem> from, to;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const Piece& piece = axes[i][choice[i]];
            from.push_back(slice(piece.from, piece.count));
            to.push_back(slice(piece.to, piece.count));
        }
        copier.copy(*tensor::index(result, to), *tensor::index(tensor, from), interrupt_poll());
        for (axis = 0; axis < axes.size() && ++choice[axis] == axes[axis].size(); ++axis) {
            choice[axis] = 0;
        }
    }
    return result;
}

} // namespace

std::string tensor_summary(const Tensor& tensor) {
    const auto& info = tensor.device().info();
    return core::text("Tensor(shape=", core::shape_text(tensor.shape()),
                      ", dtype=", tensor::display_name(*tensor.dtype()),
                      ", device=", device::to_string(info.type), ":", info.adapter, " '", info.name,
                      "')");
}

std::string tensor_values_text(const TensorRef& tensor) {
    const auto numpy = py::module_::import("numpy");
    const Options options = print_options(numpy);
    if (!is_summarised(*tensor, options)) {
        return py::str(tensor_to_numpy(*tensor)).cast<std::string>();
    }
    TensorRef edges;
    {
        const std::shared_ptr<Session> session = session_of(tensor->device());
        const Unlocked unlocked;
        edges = edges_of(tensor, options.edge, *session->copier);
    }
    return numpy.attr("array2string")(tensor_to_numpy(*edges), py::arg("threshold") = 0)
        .cast<std::string>();
}

} // namespace weft::python
