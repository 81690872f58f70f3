// SPDX-License-Identifier: Apache-2.0
#include "fit/verdict.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <iomanip>
#include <sstream>

namespace weft::fit {

namespace {

std::string rounded(double ratio) {
    std::ostringstream out;
    out << std::fixed << std::setprecision(ratio >= 10 ? 0 : 1) << ratio;
    return out.str();
}

std::string outliers_of(const ViewVerdict& view) {
    std::ostringstream share;
    share << std::setprecision(2) << 100 * view.outliers;
    return core::text(share.str(), " % of the pixels of '", view.name, "' are far off");
}

} // namespace

std::string describe(const Verdict& verdict) {
    if (verdict.level == VerdictLevel::explained || verdict.views.empty()) {
        return "the scene explains the pictures: what is left is noise";
    }
    const ViewVerdict& worst = *std::ranges::max_element(verdict.views, {}, &ViewVerdict::misfit);
    const ViewVerdict& crowded =
        *std::ranges::max_element(verdict.views, {}, &ViewVerdict::outliers);
    const std::string outliers =
        crowded.outliers > kFewOutliers ? core::text("; ", outliers_of(crowded)) : "";
    const std::string where =
        verdict.views.size() > 1 ? core::text(", mostly in '", worst.name, "'") : "";
    return core::text(
        "the residual is ", rounded(std::max(verdict.ratio, 1.0)), " times the noise", where,
        outliers, ": look at cameras, exposures, lights, bounces, and what is not in the scene");
}

} // namespace weft::fit
