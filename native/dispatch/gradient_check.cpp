// SPDX-License-Identifier: Apache-2.0
#include "dispatch/gradient_check.hpp"

#include "codegen/leaves.hpp"
#include "core/error.hpp"
#include "tensor/half.hpp"
#include "tensor/host_format.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <random>

namespace weft::dispatch {

using codegen::Derivative;
using reflect::ScalarKind;
using tensor::TensorRef;

namespace {

constexpr int kDirections = 3;
// Single precision leaves about 1e-5 to the sums of ordinary functions; a dropped gradient is of the order of 1.
constexpr double kTolerance = 0.02;
// Steps of central differences, relative to the values. Two neighbouring ones must agree.
constexpr double kSteps[] = {3e-2, 1e-2, 3e-3, 1e-3};
// How far from forward mode a central difference may be, relative to the distance of the two modes.
constexpr double kAgreement = 0.2;
// How far the second point lies from the element's own.
constexpr double kNearby = 1e-3;

/// One number of a tensor: of its values, and of its gradient.
struct Number {
    std::size_t at = 0; ///< bytes into the values
    ScalarKind kind = ScalarKind::float32;
    std::size_t gradient_at = 0;
    ScalarKind gradient_kind = ScalarKind::float32;
};

double read_number(const std::vector<std::byte>& bytes, std::size_t at, ScalarKind kind) {
    if (kind == ScalarKind::float64) {
        double value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof(value));
        return value;
    }
    float value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof(value));
    return double{value};
}

void write_number(std::vector<std::byte>& bytes, std::size_t at, ScalarKind kind, double number) {
    if (kind == ScalarKind::float64) {
        std::memcpy(bytes.data() + at, &number, sizeof(number));
        return;
    }
    const auto value = static_cast<float>(number);
    std::memcpy(bytes.data() + at, &value, sizeof(value));
}

bool is_single_or_double(ScalarKind kind) {
    return kind == ScalarKind::float32 || kind == ScalarKind::float64;
}

/// The numbers that have a gradient. Halves are left out: their rounding hides what is looked for.
std::vector<Number> numbers_of(const KeptTensor& kept) {
    const tensor::HostFormat values(kept.dtype);
    const tensor::HostFormat gradients(kept.gradient);
    const auto value_leaves = codegen::scalar_leaves(*values.host_type());
    const auto gradient_leaves = codegen::scalar_leaves(*gradients.host_type());
    std::vector<Number> numbers;
    if (!value_leaves || !gradient_leaves) {
        return numbers;
    }
    const std::size_t count =
        values.host_stride() == 0 ? 0 : kept.values.size() / values.host_stride();
    for (std::size_t i = 0; i < count; ++i) {
        for (const codegen::ScalarLeaf& gradient : *gradient_leaves) {
            const auto value =
                std::ranges::find(*value_leaves, gradient.path, &codegen::ScalarLeaf::path);
            if (value != value_leaves->end() && is_single_or_double(value->kind) &&
                is_single_or_double(gradient.kind)) {
                numbers.push_back({.at = i * values.host_stride() + value->offset,
                                   .kind = value->kind,
                                   .gradient_at = i * gradients.host_stride() + gradient.offset,
                                   .gradient_kind = gradient.kind});
            }
        }
    }
    return numbers;
}

std::int64_t count_of(const KeptTensor& kept) {
    return std::accumulate(kept.shape.begin(), kept.shape.end(), std::int64_t{1},
                           std::multiplies<>());
}

std::size_t gradient_bytes(const KeptTensor& kept) {
    return static_cast<std::size_t>(count_of(kept)) *
           tensor::HostFormat(kept.gradient).host_stride();
}

bool agree(double a, double b, double scale) {
    return std::abs(a - b) <= kTolerance * scale;
}

/// One element: its tensors, and random directions in the space of its inputs and outputs.
class Trial {
public:
    struct Functions {
        Function& values;
        Function& forward;
        Function& backward;
    };

    Trial(Module& module, const Functions& functions, CallSample& sample,
          const device::InterruptPoll& poll)
        : m_module(module), m_functions(functions), m_sample(sample), m_poll(poll) {
        for (const KeptTensor& kept : m_sample.tensors) {
            m_numbers.push_back(kept.gradient ? numbers_of(kept) : std::vector<Number>{});
        }
    }

    bool has_inputs() const {
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            if (m_sample.tensors[i].is_input && !m_numbers[i].empty()) {
                return true;
            }
        }
        return false;
    }

    /// A random tangent of the inputs, of the size of their values, and a random weight of each output.
    void pick_direction(std::uint64_t seed) {
        std::mt19937_64 random(seed);
        std::normal_distribution<double> normal;
        m_tangents.clear();
        m_weights.clear();
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            const KeptTensor& kept = m_sample.tensors[i];
            const double size = kept.is_input ? typical_size(i) : 0;
            std::vector<double>& tangents = m_tangents.emplace_back();
            std::vector<double>& weights = m_weights.emplace_back();
            for (const Number& number : m_numbers[i]) {
                const double value = std::abs(read_number(kept.values, number.at, number.kind));
                tangents.push_back(kept.is_input ? normal(random) * std::max(value, size) : 0);
                weights.push_back(kept.is_output ? normal(random) : 0);
            }
        }
    }

    /// <J v, w>, and the sum of the sizes of its terms.
    double forward(double& size) {
        run(m_functions.forward, 0, m_tangents);
        double sum = 0;
        size = 0;
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            for (std::size_t j = 0; m_sample.tensors[i].is_output && j < m_numbers[i].size(); ++j) {
                const Number& number = m_numbers[i][j];
                const double term =
                    m_weights[i][j] *
                    read_number(m_gradients[i], number.gradient_at, number.gradient_kind);
                sum += term;
                size += std::abs(term);
            }
        }
        return sum;
    }

    /// <v, J^T w>, and the sum of the sizes of its terms.
    double backward(double& size) {
        run(m_functions.backward, 0, m_weights);
        double sum = 0;
        size = 0;
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            for (std::size_t j = 0; m_sample.tensors[i].is_input && j < m_numbers[i].size(); ++j) {
                const Number& number = m_numbers[i][j];
                const double term =
                    m_tangents[i][j] *
                    read_number(m_gradients[i], number.gradient_at, number.gradient_kind);
                sum += term;
                size += std::abs(term);
            }
        }
        return sum;
    }

    /// (L(x + step v) - L(x - step v)) / (2 step) for L = <w, f>.
    double central_difference(double step) { return (loss(step) - loss(-step)) / (2 * step); }

    /// Moves the inputs for good, a little, away from edges such as x = 0.
    void move_nearby(std::uint64_t seed) {
        pick_direction(seed);
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            m_sample.tensors[i].values = moved_values(i, kNearby);
        }
    }

private:
    double typical_size(std::size_t at) const {
        double sum = 0;
        for (const Number& number : m_numbers[at]) {
            sum += std::abs(read_number(m_sample.tensors[at].values, number.at, number.kind));
        }
        const double mean =
            sum / static_cast<double>(std::max<std::size_t>(m_numbers[at].size(), 1));
        return mean > 0 && std::isfinite(mean) ? mean : 1;
    }

    std::vector<std::byte> moved_values(std::size_t at, double step) const {
        std::vector<std::byte> values = m_sample.tensors[at].values;
        for (std::size_t j = 0; j < m_numbers[at].size(); ++j) {
            const Number& number = m_numbers[at][j];
            const double value = read_number(values, number.at, number.kind);
            write_number(values, number.at, number.kind, value + step * m_tangents[at][j]);
        }
        return values;
    }

    double loss(double step) {
        run(m_functions.values, step, m_tangents);
        double sum = 0;
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            for (std::size_t j = 0; m_sample.tensors[i].is_output && j < m_numbers[i].size(); ++j) {
                const Number& number = m_numbers[i][j];
                sum += m_weights[i][j] * read_number(m_values[i], number.at, number.kind);
            }
        }
        return sum;
    }

    TensorRef make(const reflect::TypeRef& dtype, const KeptTensor& kept,
                   const std::vector<std::byte>& bytes) const {
        TensorRef made = tensor::Tensor::create(m_module.context().device,
                                                {.dtype = dtype, .shape = kept.shape}, "check");
        if (made->element_count() > 0) {
            tensor::upload(*made, bytes);
        }
        return made;
    }

    /// One call of a derivative, with tangents or weights for what it reads.
    void run(Function& function, double step, const std::vector<std::vector<double>>& given) {
        std::vector<TensorRef> held;
        for (std::size_t i = 0; i < m_numbers.size(); ++i) {
            const KeptTensor& kept = m_sample.tensors[i];
            TensorRef tensor =
                make(kept.dtype, kept, step == 0 ? kept.values : moved_values(i, step));
            if (kept.gradient) {
                std::vector<std::byte> bytes(gradient_bytes(kept));
                TensorRef zero = make(kept.gradient, kept, bytes);
                for (std::size_t j = 0; j < m_numbers[i].size(); ++j) {
                    const Number& number = m_numbers[i][j];
                    write_number(bytes, number.gradient_at, number.gradient_kind, given[i][j]);
                }
                tensor = tensor::Tensor::with_gradients(tensor, make(kept.gradient, kept, bytes),
                                                        std::move(zero));
            }
            m_sample.arguments.nodes[kept.node].tensor = tensor.get();
            held.push_back(std::move(tensor));
        }
        launch(function);
        fetch(held);
    }

    void launch(Function& function) {
        if (m_poll) {
            m_poll();
        }
        std::shared_ptr<const LaunchPlan> plan = function.find_plan(m_sample.arguments);
        if (!plan) {
            plan = function.make_plan(m_sample.arguments);
        }
        device::Device& device = *m_module.context().device;
        CallState state;
        state.launch(*plan, m_sample.arguments, device, {});
        if (state.needs_read_back(*plan)) {
            state.read_back(*plan, device, m_poll);
        }
    }

    void fetch(const std::vector<TensorRef>& held) {
        const auto download = [&](const tensor::Tensor& tensor) {
            std::vector<std::byte> bytes(tensor::host_size_bytes(tensor));
            tensor::download(tensor, bytes, m_poll);
            return bytes;
        };
        m_values.clear();
        m_gradients.clear();
        for (const TensorRef& tensor : held) {
            const bool has_gradient = tensor->grad_out() != nullptr;
            m_values.push_back(has_gradient ? download(*tensor) : std::vector<std::byte>{});
            m_gradients.push_back(has_gradient ? download(*tensor->grad_out())
                                               : std::vector<std::byte>{});
        }
    }

    Module& m_module;
    Functions m_functions;
    CallSample& m_sample;
    const device::InterruptPoll& m_poll;
    // By tensor of the sample, then by number.
    std::vector<std::vector<Number>> m_numbers;
    std::vector<std::vector<double>> m_tangents;
    std::vector<std::vector<double>> m_weights;
    std::vector<std::vector<std::byte>> m_values;
    std::vector<std::vector<std::byte>> m_gradients;
};

/// Both modes along one direction.
struct Products {
    double forward = 0;
    double reverse = 0;
    double scale = 0; ///< of the terms that they sum

    bool are_finite() const { return std::isfinite(forward) && std::isfinite(reverse); }
    bool differ() const { return !agree(forward, reverse, scale); }
    double difference() const { return scale > 0 ? std::abs(forward - reverse) / scale : 0; }
};

Products compare(Trial& trial, std::uint64_t seed) {
    trial.pick_direction(seed);
    Products products;
    double forward_size = 0;
    double reverse_size = 0;
    products.forward = trial.forward(forward_size);
    products.reverse = trial.backward(reverse_size);
    products.scale = std::max(forward_size, reverse_size);
    return products;
}

CallOptions with_derivative(const CallOptions& options, Derivative derivative) {
    CallOptions changed = options;
    changed.derivative = derivative;
    changed.is_deterministic = false;
    return changed;
}

/// Whether two neighbouring steps of central differences agree with forward mode. The direction is the last one.
bool sides_with_forward(Trial& trial, const Products& products) {
    const double tolerance = kAgreement * std::abs(products.forward - products.reverse);
    bool was_near = false;
    for (const double step : kSteps) {
        const bool is_near = std::abs(trial.central_difference(step) - products.forward) <=
                             tolerance; // false for NaN
        if (is_near && was_near) {
            return true;
        }
        was_near = is_near;
    }
    return false;
}

/// Whether the modes differ along every direction, and central differences side with forward mode along each. The verdict
/// is that of the last direction that was looked at.
bool differ_everywhere(Trial& trial, std::uint64_t& seed, GradientVerdict& verdict) {
    using Kind = GradientVerdict::Kind;
    for (int i = 0; i < kDirections; ++i) {
        const Products products = compare(trial, ++seed);
        verdict.forward = products.forward;
        verdict.reverse = products.reverse;
        verdict.difference = products.difference();
        const bool is_first = i == 0 && verdict.kind == Kind::right;
        if (products.are_finite() && !products.differ() && is_first) {
            return false;
        }
        if (!products.are_finite() || !products.differ() || !sides_with_forward(trial, products)) {
            verdict.kind = Kind::undecided;
            return false;
        }
        verdict.kind = Kind::wrong;
    }
    return true;
}

} // namespace

GradientComparison::GradientComparison(Module& module, const std::string& name,
                                       const CallOptions& options)
    : m_module(module), m_values(module, name, with_derivative(options, Derivative::none)),
      m_forward(module, name, with_derivative(options, Derivative::forward)),
      m_backward(module, name, with_derivative(options, Derivative::backward)) {}

GradientVerdict GradientComparison::run(CallSample& sample, const device::InterruptPoll& poll) {
    Trial trial(m_module, {m_values, m_forward, m_backward}, sample, poll);
    if (!trial.has_inputs()) {
        throw core::ArgumentError("no float or double has a gradient");
    }
    GradientVerdict verdict;
    std::uint64_t seed = 0;
    if (differ_everywhere(trial, seed, verdict)) {
        trial.move_nearby(++seed);
        (void)differ_everywhere(trial, seed, verdict);
    }
    return verdict;
}

} // namespace weft::dispatch
