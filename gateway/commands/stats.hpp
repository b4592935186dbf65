// `photofinish stats`: what a running gateway knows of its targets, as a table.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <iosfwd>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace photofinish::gateway {

// A running gateway to ask, and the key for it.
struct asked_gateway {
  std::string url = "http://127.0.0.1:7777";
  std::string key;
  std::string key_variable;
  std::string accept = {};  // the type of the page; empty: any
  std::string narrowed_to = {};  // the gateway whose figures are wanted, by its setting `instance`; empty: all
};
// The option --gateway, which narrows an answer; `at` outlives the parsing of `command`.
void add_gateway_option(CLI::App& command, asked_gateway& at);
// A path with the parameter `gateway`, if the answer is narrowed.
std::string narrowed_path(const asked_gateway& at, std::string path);
// Says which gateways a page covers: a line for each fact, or nothing.
std::string coverage_text(const nlohmann::json& page);
void add_key_options(CLI::App& command, asked_gateway& at);  // `at` outlives the parsing of `command`

// What it answers to GET, or why that cannot be had, for people.
struct gateway_page {
  std::string text;
  std::string problem = {};  // empty: none
  int exit_code = 1;         // with a problem
};
gateway_page ask_gateway(asked_gateway at, const std::string& path);

// The page as JSON. Callers and providers choose some of its texts: these lose their control characters, which a
// terminal would obey. Throws nlohmann::json::exception if the page is not JSON.
nlohmann::json parse_page(std::string_view page);

void add_stats_command(CLI::App& app, int& exit_code);  // exit_code outlives the parsing of `app`

// The page of GET /v1/providers/stats as text; an exit code: 1 when it is none.
int print_stats(std::string_view page, std::ostream& out, std::ostream& err);

// One figure of it for a table. TTFTs in milliseconds; "> 400" where most were cut off before: it is at least that.
std::string figure_cell(double value);
std::string ttft_cell(const nlohmann::json& ttft, const char* quantile);
std::string speed_cell(const nlohmann::json& speed, const char* quantile);

// Why a gateway refused, for people, and what to do. `body`: of its answer.
std::string stats_problem(int status, const std::string& body, bool has_key);

}  // namespace photofinish::gateway
