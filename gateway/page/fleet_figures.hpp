// The live page's figures of several gateways: the text format in which gateways exchange their figures, and the sums
// of the figures. [pure]
#pragma once

#include "gateway/page/live_figures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes a gateway's figures for other gateways, without prices and forecasts. If the text would be longer than
// `longest` bytes, some targets and routes are left out.
std::string shared_figures_text(live_figures figures, std::size_t longest);

// Reads the counts, costs and rates that another gateway has sent as text. The text is not trusted. Returns nothing if
// it is malformed.
std::optional<live_figures> read_shared_figures(std::string_view text);

// Adds counts, costs and rates of another gateway to `into`. Routes that `into` does not contain belong to another
// configuration and are ignored.
void add_figures(live_figures& into, const live_figures& other);

// Returns a copy of the figures in which all counts are 0. The figures of other gateways can then be added to this
// copy.
live_figures without_counts(live_figures figures);

}  // namespace photofinish::gateway
