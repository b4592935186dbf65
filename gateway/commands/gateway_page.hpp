// Pages of a running gateway, for the commands that show such a page. The file has the options that name the gateway,
// the request, and the output.
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
  std::string accept = {};   // the requested media type; empty if any type is accepted
  std::string gateway = {};  // the gateway whose figures are shown, by its setting `instance`; if empty, all gateways
  bool wants_json = false;
};

// Adds the options for a gateway's key. `options` must outlive the parsing of `command`.
void add_key_options(CLI::App& command, page_options& options);
void add_json_option(CLI::App& command, page_options& options);
// Adds the URL, the options for the key, and --gateway.
void add_page_options(CLI::App& command, page_options& options);

// A gateway's answer to a GET request. If there is no page, it has the reason for people.
struct gateway_page {
  std::string text;
  std::string problem = {};  // text for people; empty if there is no problem
  int exit_code = 1;         // the exit code if there is a problem
};
gateway_page fetch_page(page_options options, std::string path);

// Fetches a page and prints it. Prints the page unchanged if JSON is requested, otherwise calls `print`.
// Returns the exit code.
using page_printer = std::function<int(std::string_view page, std::ostream& out, std::ostream& err)>;
int show_page(const page_options& options, const std::string& path, const page_printer& print);

// Parses the page as JSON. Removes control characters from its texts, because callers and providers choose some of them
// and a terminal would obey them. Throws nlohmann::json::exception if the page is not JSON.
nlohmann::json parse_page(std::string_view page);

// Prints the page with `print`, which returns the exit code. `kind` names the page in messages, for example "a
// photofinish statistics page". If another server's answer is not such a page, prints an error and returns 1.
using json_printer = std::function<int(const nlohmann::json& page, std::ostream& out)>;
int print_parsed(std::string_view page, const char* kind, const json_printer& print, std::ostream& out,
                 std::ostream& err);

// Returns lines that say which gateways a page covers. Returns an empty text if the page does not say it.
std::string coverage_text(const nlohmann::json& page);

// Explains to people why a gateway refused a request, and what to do. `body` is the body of the gateway's answer.
std::string stats_problem(int status, const std::string& body, bool has_key);

}  // namespace photofinish::gateway
