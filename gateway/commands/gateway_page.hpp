// Pages of a running gateway, for the commands that show one: the options that name the gateway, the request, and what
// the command prints.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <iosfwd>
#include <string>
#include <string_view>

namespace CLI {
class App;
}

namespace photofinish::gateway {

struct page_options {
  std::string url = "http://127.0.0.1:7777";
  std::string key;
  std::string key_variable;
  std::string accept = {};   // the type of the page; empty: any
  std::string gateway = {};  // the gateway whose figures are wanted, by its setting `instance`; empty: all
  bool wants_json = false;
};

// The options outlive the parsing of `command`.
void add_key_options(CLI::App& command, page_options& options);
void add_json_option(CLI::App& command, page_options& options);
void add_page_options(CLI::App& command, page_options& options);  // the URL, those of the key, and --gateway

// A gateway's answer to GET, or why the page cannot be had, for people.
struct gateway_page {
  std::string text;
  std::string problem = {};  // empty: none
  int exit_code = 1;         // with a problem
};
gateway_page fetch_page(page_options options, std::string path);

// Fetches a page and prints it: unchanged if JSON is wanted, otherwise by `print`. Returns an exit code.
using page_printer = std::function<int(std::string_view page, std::ostream& out, std::ostream& err)>;
int show_page(const page_options& options, const std::string& path, const page_printer& print);

// The page as JSON. Callers and providers choose some of its texts: these lose their control characters, which a
// terminal would obey. Throws nlohmann::json::exception if the page is not JSON.
nlohmann::json parse_page(std::string_view page);

// Prints the page by `print`, which returns an exit code. If the page is not of this kind ("a photofinish statistics
// page"), as another server's answer is not: an error text, and 1.
using json_printer = std::function<int(const nlohmann::json& page, std::ostream& out)>;
int print_parsed(std::string_view page, const char* kind, const json_printer& print, std::ostream& out,
                 std::ostream& err);

// Says which gateways a page covers: a line for each fact, or nothing.
std::string coverage_text(const nlohmann::json& page);

// Why a gateway refused, for people, and what to do. `body`: of its answer.
std::string stats_problem(int status, const std::string& body, bool has_key);

}  // namespace photofinish::gateway
