// Pages of a running gateway, for the commands that show such a page: the options that name the gateway, the request,
// and the output.
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
  std::string accept = {};   // the requested media type; empty: any
  std::string gateway = {};  // only this gateway's figures, by its setting `instance`; empty: those of all gateways
  bool wants_json = false;
};

// The options must outlive the parsing of `command`.
void add_key_options(CLI::App& command, page_options& options);
void add_json_option(CLI::App& command, page_options& options);
void add_page_options(CLI::App& command, page_options& options);  // adds the URL, the key's options and --gateway

// A gateway's answer to a GET request, or the reason, for people, why there is no page.
struct gateway_page {
  std::string text;
  std::string problem = {};  // empty: there is no problem
  int exit_code = 1;         // used only if there is a problem
};
gateway_page fetch_page(page_options options, std::string path);

// Fetches a page and prints it: unchanged if JSON is requested, otherwise with `print`. Returns an exit code.
using page_printer = std::function<int(std::string_view page, std::ostream& out, std::ostream& err)>;
int show_page(const page_options& options, const std::string& path, const page_printer& print);

// Parses the page as JSON. Callers and providers choose some of its texts, so control characters are removed, because a
// terminal would obey them. Throws nlohmann::json::exception if the page is not JSON.
nlohmann::json parse_page(std::string_view page);

// Prints the page with `print`, which returns an exit code. If the page is not of this kind (for example "a photofinish
// statistics page") because another server answered, prints an error and returns 1.
using json_printer = std::function<int(const nlohmann::json& page, std::ostream& out)>;
int print_parsed(std::string_view page, const char* kind, const json_printer& print, std::ostream& out,
                 std::ostream& err);

// Returns one line for each fact about which gateways a page covers, or an empty text.
std::string coverage_text(const nlohmann::json& page);

// Explains to people why a gateway refused a request, and what to do. `body`: the body of its answer.
std::string stats_problem(int status, const std::string& body, bool has_key);

}  // namespace photofinish::gateway
