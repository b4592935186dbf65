// The live page's figures of several gateways: the text by which gateways share their figures, and the sum of these
// figures. [pure]
#pragma once

#include "gateway/page/live_figures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Writes a gateway's figures for other gateways, without prices and forecasts. If the text would be longer than
// `longest` bytes, targets and routes are left out.
std::string shared_figures_text(live_figures figures, std::size_t longest);

// Reads the counts, costs and rates in a text from another gateway. The text is untrusted: the function returns nothing
// if the text is malformed.
std::optional<live_figures> read_shared_figures(std::string_view text);

// Adds counts, costs and rates of another gateway. If that gateway has routes that `into` does not have, they belong to
// another configuration and are ignored.
void add_figures(live_figures& into, const live_figures& other);

// Returns the same routes and targets with all counts set to 0,
// so that the figures of another gateway can be added to them.
live_figures without_counts(live_figures figures);

}  // namespace photofinish::gateway
