// The live page's figures of several gateways: the text by which gateways share them, and their sum. [pure]
#pragma once

#include "gateway/page/live_figures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes a gateway's figures for other gateways, without prices and forecasts. If the text would be longer than
// `longest`, targets and routes are left out.
std::string shared_figures_text(live_figures figures, std::size_t longest);

// Reads the counts, costs and rates in such a text. The text is untrusted: returns nothing if it is malformed.
std::optional<live_figures> read_shared_figures(std::string_view text);

// Adds counts, costs and rates of another gateway. Routes that `into` does not have belong to another configuration,
// and are ignored.
void add_figures(live_figures& into, const live_figures& other);

// Returns the same routes and targets with all counts at 0, so that the figures of another gateway can be added.
live_figures without_counts(live_figures figures);

}  // namespace photofinish::gateway
