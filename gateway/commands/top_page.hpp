// What `photofinish top` shows: the live feed and the statistics of the last 15 minutes, as lines of text.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The lines of one screen. `feed` and `stats`: the pages of GET /v1/feed and GET /v1/providers/stats. Throws
// nlohmann::json::exception where they are something else.
// On a terminal of so many columns it leaves out what does not fit: first the knee, then the figures of the tails.
std::string top_screen(std::string_view feed, std::string_view stats, std::optional<std::size_t> columns = {});

// At most so many lines of at most so many bytes, as a terminal has room for.
std::string cut_to_terminal(std::string_view screen, std::size_t lines, std::size_t columns);

}  // namespace photofinish::gateway
