#include "gateway/commands/gateway_page.hpp"

#include "gateway/process/process_environment.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/fetch.hpp"
#include "proxy/providers/url.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <iostream>
#include <utility>

namespace photofinish::gateway {


namespace {

constexpr std::chrono::seconds page_patience{10};
constexpr std::size_t longest_page = 64u << 20;

// Returns the message of an error such as {"error":{"message":...}}. If the answer does not have this form, returns the
// beginning of the answer.
std::string words_of(const std::string& body) {
  constexpr std::size_t most_shown = 200, most_shown_words = 2'000;
  const nlohmann::json parsed = nlohmann::json::parse(body, nullptr, false);
  const nlohmann::json error = parsed.is_object() ? parsed.value("error", nlohmann::json()) : nlohmann::json();
  if (error.is_object() && error.contains("message") && error.at("message").is_string())
    return proxy::clean_text(error.at("message").get<std::string>(), most_shown_words);
  return proxy::clean_text(body, most_shown);
}

gateway_page fetch_from(const proxy::base_url& gateway, const std::string& path, const page_options& options) {
  proxy::fetch_request request{
      .head = {.method = "GET", .path = gateway.path + path}, .patience = page_patience, .max_body = longest_page};
  if (!options.key.empty()) request.head.fields.emplace_back("authorization", "Bearer " + options.key);
  if (!options.accept.empty()) request.head.fields.emplace_back("accept", options.accept);
  auto answer = proxy::fetch_alone(gateway, std::move(request));
  if (!answer)
    return {{}, "no answer from this address (" + std::string(to_string(answer.error().kind)) +
                    "): is the gateway running? If the gateway has another address, give that address as URL"};
  if (answer->broken) return {{}, "the connection ended in the middle of the answer"};
  if (answer->head.status != 200) return {{}, stats_problem(answer->head.status, answer->body, !options.key.empty())};
  return {std::move(answer->body), {}};
}

}  // namespace

void add_key_options(CLI::App& command, page_options& options) {
  auto* key = command.add_option("--key", options.key,
                                 "An access key. Other users can see it in the process list; prefer --key-env");
  command.add_option("--key-env", options.key_variable,
                     "The environment variable with the access key; by default PHOTOFINISH_KEY")
      ->type_name("VARIABLE")->excludes(key);
}

void add_json_option(CLI::App& command, page_options& options) {
  command.add_flag("--json", options.wants_json, "Print the gateway's JSON answer unchanged");
}

void add_page_options(CLI::App& command, page_options& options) {
  command.add_option("URL", options.url, "The gateway's URL")->capture_default_str();
  add_key_options(command, options);
  command.add_option("--gateway", options.gateway, "Show only the gateway whose `instance` has this value")
      ->type_name("NAME");
}

gateway_page fetch_page(page_options options, std::string path) {
  constexpr int wrong_usage = 2, no_page = 1;
  std::signal(SIGPIPE, SIG_IGN);
  const environment machine = process_environment();
  if (!options.key_variable.empty()) {
    const auto key = machine.variable(options.key_variable);
    if (!key) return {{}, "--key-env: the variable " + options.key_variable + " is not set", wrong_usage};
    options.key = *key;
  }
  const std::string usual = page_options().url;
  if (options.key.empty()) options.key = machine.variable("PHOTOFINISH_KEY").value_or("");
  if (options.url == usual) options.url = machine.variable("PHOTOFINISH_URL").value_or(usual);
  auto url = proxy::parse_base_url(options.url);
  if (!url.url) return {{}, url.problem, wrong_usage};
  std::string& base = url.url->path;
  if (base.ends_with("/v1")) base.resize(base.size() - 3);
  if (!options.gateway.empty())
    path.append(path.find('?') == std::string::npos ? "?" : "&")
        .append("gateway=")
        .append(proxy::percent_encoded(options.gateway));
  gateway_page page = fetch_from(*url.url, path, options);
  if (page.problem.empty()) return page;
  return {{}, options.url + ": " + page.problem, no_page};
}

int show_page(const page_options& options, const std::string& path, const page_printer& print) {
  const gateway_page page = fetch_page(options, path);
  if (!page.problem.empty()) {
    std::cerr << "error: " << page.problem << "\n";
    return page.exit_code;
  }
  if (!options.wants_json) return print(page.text, std::cout, std::cerr);
  std::cout << proxy::escape_controls(page.text) << "\n";
  return 0;
}

nlohmann::json parse_page(std::string_view page) {
  return nlohmann::json::parse(page, [](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
    if (event == nlohmann::json::parse_event_t::value && parsed.is_string())
      parsed = proxy::shown_text(parsed.get_ref<const std::string&>());
    return true;
  });
}

int print_parsed(std::string_view page, const char* kind, const json_printer& print, std::ostream& out,
                 std::ostream& err) {
  try {
    return print(parse_page(page), out);
  } catch (const nlohmann::json::exception&) {  // the answer came from a server that is not a photofinish gateway
    err << "error: the answer is not " << kind << "\n";
    return 1;
  }
}

std::string coverage_text(const nlohmann::json& page) {
  const nlohmann::json gateway = page.value("gateway", nlohmann::json()), note = page.value("note", nlohmann::json());
  const nlohmann::json members = page.value("gateways", nlohmann::json());
  std::string text;
  if (gateway.is_string()) text += "gateway: " + gateway.get<std::string>() + "\n";
  else if (members.is_array() && !members.empty()) {
    std::size_t counted = 0;
    for (const nlohmann::json& each : members) counted += each.at("is_counted") == true ? 1 : 0;
    text += "gateways: " + std::to_string(counted) + " of " + std::to_string(members.size()) + "\n";
  }
  if (note.is_string()) text += "note: " + note.get<std::string>() + "\n";
  return text;
}

std::string stats_problem(int status, const std::string& body, bool has_key) {
  if (status == 401 && has_key) return "this key is not one of the gateway's access keys (401)";
  if (status == 401) return "the gateway requires an access key: put the key into a variable and name that variable "
                            "with --key-env";
  if (status == 403) return words_of(body);
  for (const char* ours : {"\"race_not_found\"", "\"page_off\"", "\"gateway_not_found\""})
    if (status == 404 && body.find(ours) != std::string::npos) return words_of(body);
  if (status == 404) return "this address has no statistics (404): is this the address of a photofinish gateway?";
  return "status " + std::to_string(status) + ": " + words_of(body);
}

}  // namespace photofinish::gateway
