// The live page's figures of several gateways: the form in which gateways share them, and their sum. [pure]
#pragma once

#include "gateway/page/live_figures.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// A gateway's figures for the other gateways, without prices and forecasts. If the text would be longer than `longest`,
// it has fewer targets and routes.
std::string shared_figures_text(live_figures figures, std::size_t longest);

// The figures in such a text that can be added up. The text is untrusted: empty if it has another form.
std::optional<live_figures> read_shared_figures(std::string_view text);

// Adds counts, costs and rates. Routes that `into` lacks belong to another configuration and are ignored.
void add_figures(live_figures& into, const live_figures& other);

// The same routes and targets with counts of 0, to which the figures of another gateway are added.
live_figures without_counts(live_figures figures);

}  // namespace photofinish::gateway
