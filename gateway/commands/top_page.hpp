// Formats the live feed and the statistics of the last 15 minutes as lines of text. `photofinish top` prints them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns the lines of one screen. `feed` and `stats` are the JSON of GET /v1/feed and GET /v1/providers/stats. Throws
// nlohmann::json::exception if the JSON does not have the expected form. If the terminal is too narrow for a line, the
// function drops the column KNEE first, then the columns of the high percentiles.
std::string top_screen(std::string_view feed, std::string_view stats, std::optional<std::size_t> columns = {});

// Cuts the text to at most `lines` lines, and each line to at most `columns` bytes.
std::string cut_to_terminal(std::string_view screen, std::size_t lines, std::size_t columns);

}  // namespace photofinish::gateway
