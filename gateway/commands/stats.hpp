// `photofinish stats`: what a running gateway knows of its targets, as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The page of GET /v1/providers/stats as text; an exit code: 1 when it is none.
int print_stats(std::string_view page, std::ostream& out, std::ostream& err);

// One figure of it for a table. TTFTs in milliseconds; "> 400" where most were cut off before: it is at least that.
std::string figure_cell(double value);
std::string ttft_cell(const nlohmann::json& ttft, const char* quantile);
std::string speed_cell(const nlohmann::json& speed, const char* quantile);

}  // namespace photofinish::gateway
