// Fetches JSON pages from a running gateway, for the commands that print such pages. Defines the command line options
// for the gateway's address, sends the request, and prints the result.
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
  std::string gateway = {};  // the `instance` name of the gateway whose figures are shown; if empty, all gateways
  bool wants_json = false;
};

// Adds the options for a gateway's key. `options` must outlive the parsing of `command`.
void add_key_options(CLI::App& command, page_options& options);
void add_json_option(CLI::App& command, page_options& options);
// Adds options for the gateway's URL and key, and the option --gateway.
void add_page_options(CLI::App& command, page_options& options);

// A gateway's answer to a GET request. If there is no page, `problem` contains the reason.
struct gateway_page {
  std::string text;
  std::string problem = {};  // an error text for the user; empty if there is no problem
  int exit_code = 1;         // the exit code if there is a problem
};
gateway_page fetch_page(page_options options, std::string path);

// Fetches a page and prints it. Prints the page unchanged if JSON is requested, otherwise calls `print`.
// Returns the exit code.
using page_printer = std::function<int(std::string_view page, std::ostream& out, std::ostream& err)>;
int show_page(const page_options& options, const std::string& path, const page_printer& print);

// Parses the page as JSON. Removes control characters from its texts: callers and providers choose some of the texts,
// and a terminal would execute the control characters. Throws nlohmann::json::exception if the page is not JSON.
nlohmann::json parse_page(std::string_view page);

// Prints the page with `print`, which returns the exit code. `kind` describes the page in messages, for example "a
// photofinish statistics page". If the page does not have the expected form, probably because another kind of server
// answered, prints an error and returns 1.
using json_printer = std::function<int(const nlohmann::json& page, std::ostream& out)>;
int print_parsed(std::string_view page, const char* kind, const json_printer& print, std::ostream& out,
                 std::ostream& err);

// Returns lines about the gateways that the page covers. Returns an empty text if the page contains no list of
// gateways.
std::string coverage_text(const nlohmann::json& page);

// Returns a message that explains why a gateway refused a request, and how to fix it. `body` is the body of the
// gateway's answer.
std::string stats_problem(int status, const std::string& body, bool has_key);

}  // namespace photofinish::gateway
