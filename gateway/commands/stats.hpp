// `photofinish stats`: prints a running gateway's statistics about its targets, as tables.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Prints the JSON of GET /v1/providers/stats as text. Returns the exit code, which is 1 if the JSON does not have the
// expected form.
int print_stats(std::string_view page, std::ostream& out, std::ostream& err);

// Formats figures of the statistics page for a table. Times to the first token are in milliseconds. A lower bound such
// as "> 400" means that most attempts were cancelled before their first token.
std::string figure_cell(double value);
std::string ttft_cell(const nlohmann::json& ttft, const char* quantile);
std::string speed_cell(const nlohmann::json& speed, const char* quantile);

}  // namespace photofinish::gateway
