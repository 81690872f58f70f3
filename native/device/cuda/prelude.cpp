// SPDX-License-Identifier: Apache-2.0
// Text level reachability: the prelude is split into declarations and directives (split()), macros that declare
// something are expanded to see what (Macros), and what the kernel names is followed (Reach).
#include "device/cuda/prelude.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <unordered_map>
#include <utility>

namespace weft::device::cuda {
namespace {

constexpr std::string_view kFirstLine = "#ifndef SLANG_CUDA_PRELUDE_H\n";

/// What the prelude asks about; Weft defines some of them where a kernel needs it. Weft's kernels know no OptiX.
constexpr std::array<std::string_view, 5> kOptions{
    "SLANG_CUDA_ENABLE_HALF", "SLANG_CUDA_ENABLE_BF16", "SLANG_CUDA_ENABLE_FP8",
    "SLANG_CUDA_ENABLE_OPTIX", "SLANG_CUDA_PRELUDE_H"};

/// Where the first #if of `source` is closed; npos if it is not.
std::size_t prelude_end(std::string_view source) {
    int depth = 0;
    for (std::size_t at = 0; at < source.size();) {
        const std::size_t end = directive_end(source, at);
        const std::string_view line = source.substr(at, end - at);
        depth += conditional_step(line);
        if (depth == 0) {
            return end;
        }
        at = end;
    }
    return std::string_view::npos;
}

/// Which items the names in use lead to.
class Reach {
public:
    explicit Reach(const std::vector<Item>& items) : m_items(items), m_kept(items.size(), false) {
        for (std::size_t k = 0; k < items.size(); k++) {
            if (items[k].provides.empty()) {
                keep(k);
            }
            for (const Names* names : {&items[k].provides, &items[k].takes}) {
                for (const std::string& name : *names) {
                    m_providers[name].push_back(k);
                }
            }
        }
    }

    void add(const Names& names) {
        for (const std::string& name : names) {
            if (m_known.insert(name).second) {
                m_open.push_back(name);
            }
        }
    }

    /// Which items are needed, by their index.
    const std::vector<bool>& follow() {
        while (!m_open.empty()) {
            const std::string name = std::move(m_open.back());
            m_open.pop_back();
            if (const auto found = m_providers.find(name); found != m_providers.end()) {
                std::ranges::for_each(found->second, [this](std::size_t k) { consider(k); });
            }
        }
        return m_kept;
    }

private:
    bool knows_one(const Names& names) const {
        return names.empty() || std::ranges::any_of(names, [this](const std::string& name) {
                   return m_known.contains(name);
               });
    }

    void consider(std::size_t k) {
        if (knows_one(m_items[k].provides) && knows_one(m_items[k].takes)) {
            keep(k);
        }
    }

    void keep(std::size_t k) {
        if (!m_kept[k]) {
            m_kept[k] = true;
            add(m_items[k].mentions);
        }
    }

    const std::vector<Item>& m_items;
    std::vector<bool> m_kept;
    std::unordered_map<std::string, std::vector<std::size_t>> m_providers;
    Names m_known;
    std::vector<std::string> m_open;
};

} // namespace

std::shared_ptr<const PreludeCutter::Prelude> PreludeCutter::parsed(std::string_view text,
                                                                    const Names& defined) {
    const std::lock_guard lock(m_mutex);
    for (const auto& known : m_preludes) {
        if (known->text == text && known->defined == defined) {
            return known;
        }
    }
    Names on = defined;
    Names off;
    for (const std::string_view name : kOptions) {
        if (!on.contains(std::string(name))) {
            off.insert(std::string(name));
        }
    }
    on.insert({"__CUDACC_RTC__", "SLANG_CUDA_RTC"});
    const std::string alive = without_dead_branches(text, on, off);
    Macros macros(alive);
    std::vector<Item> items = split(alive, macros).value_or(std::vector<Item>());
    m_preludes.push_back(std::make_shared<const Prelude>(
        Prelude{std::string(text), defined, std::move(macros), std::move(items)}));
    return m_preludes.back();
}

std::string PreludeCutter::cut(std::string_view source, const Names& defined) {
    const std::size_t end = source.starts_with(kFirstLine) ? prelude_end(source) : 0;
    if (end == 0 || end == std::string_view::npos) {
        return std::string(source);
    }
    const std::shared_ptr<const Prelude> prelude = parsed(source.substr(0, end), defined);
    const std::string_view kernel = source.substr(end);
    if (prelude->items.empty()) {
        return std::string(source);
    }
    Reach reach(prelude->items);
    Names used;
    prelude->macros.add_names(kernel, used);
    reach.add(used);
    const std::vector<bool>& kept = reach.follow();
    std::string result;
    for (std::size_t k = 0; k < kept.size(); k++) {
        if (kept[k]) {
            result.append(prelude->items[k].text);
            result += '\n';
        }
    }
    return result.append(kernel);
}

} // namespace weft::device::cuda
