// `photofinish stats`: prints a running gateway's statistics of its targets as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Prints the page of GET /v1/providers/stats as text. Returns an exit code: 1 if the page is not such a page.
int print_stats(std::string_view page, std::ostream& out, std::ostream& err);

// Formats a figure of that page for a table. TTFTs are in milliseconds. "> 400" is a lower bound: most attempts were
// cancelled before their first token.
std::string figure_cell(double value);
std::string ttft_cell(const nlohmann::json& ttft, const char* quantile);
std::string speed_cell(const nlohmann::json& speed, const char* quantile);

}  // namespace photofinish::gateway
