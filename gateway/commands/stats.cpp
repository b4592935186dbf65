#include "gateway/commands/stats.hpp"

#include "gateway/commands/text_table.hpp"
#include "gateway/process/process_environment.hpp"
#include "proxy/failures/foreign_text.hpp"
#include "proxy/fetch.hpp"
#include "proxy/providers/url.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <memory>
#include <utility>
#include <vector>

namespace photofinish::gateway {

using nlohmann::json;

std::string figure_cell(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 10 ? "%.2f" : value < 100 ? "%.1f" : "%.0f", value);
  return text;
}

std::string ttft_cell(const json& ttft, const char* name) {
  if (!ttft.contains(name)) return "-";
  const json& bounds = ttft.at("at_least");
  const bool is_bound = std::find(bounds.begin(), bounds.end(), name) != bounds.end();
  return (is_bound ? "> " : "") + figure_cell(ttft.at(name).get<double>() * 1000);
}

std::string speed_cell(const json& speed, const char* name) {
  return speed.contains(name) ? figure_cell(speed.at(name).get<double>()) : "-";
}

namespace {

using rows = std::vector<std::vector<std::string>>;

constexpr std::chrono::seconds patience{10};
constexpr std::size_t longest_page = 64u << 20;

struct stats_options : asked_gateway {
  bool wants_json = false;
};

std::string range_text(const json& range, std::uint64_t step) {
  const auto from = range.at("from").get<std::uint64_t>();
  if (range.at("below").is_null()) return std::to_string(from) + "+";
  const auto last = range.at("below").get<std::uint64_t>() - step;
  return last == from ? std::to_string(from) : std::to_string(from) + "-" + std::to_string(last);
}

void add_row(rows& table, std::vector<std::string> head, const json& figures) {
  const json& ttft = figures.at("ttft_seconds");
  const json& speed = figures.at("tokens_per_second");
  for (const char* name : {"p50", "p95", "p99"}) head.push_back(ttft_cell(ttft, name));
  head.push_back(std::to_string(ttft.at("count").get<std::uint64_t>()));
  head.push_back(std::to_string(ttft.at("censored").get<std::uint64_t>()));
  for (const char* name : {"p50", "p95", "p99"}) head.push_back(speed_cell(speed, name));
  head.push_back(std::to_string(speed.at("count").get<std::uint64_t>()));
  table.push_back(std::move(head));
}

rows table_of(std::vector<std::string> head) {
  for (const char* column : {"TTFT ms p50", "p95", "p99", "seen", "cut off", "tok/s p50", "p95", "p99", "answers"})
    head.emplace_back(column);
  return {std::move(head)};
}

// One table over all targets, by one kind of class.
void print_classes(const json& targets, const char* member, const char* heading, std::ostream& out) {
  rows table = table_of({"TARGET", heading});
  for (const json& target : targets) {
    std::string name = target.at("target").get<std::string>();
    for (const json& each : target.at(member)) {
      add_row(table, {name, range_text(each, 1)}, each);
      name.clear();
    }
  }
  out << '\n';
  print_table(table, out);
}

void print_page(const json& page, std::ostream& out) {
  const json& targets = page.at("targets");
  out << "the last " << page.at("window_seconds").get<std::uint64_t>() / 3600 << " hours\n";
  out << coverage_text(page);
  if (targets.empty()) {
    out << "no target has answered yet\n";
    return;
  }
  rows table = table_of({"TARGET"});
  for (const json& target : targets) add_row(table, {target.at("target").get<std::string>()}, target);
  print_table(table, out);
  print_classes(targets, "by_input_tokens", "INPUT TOKENS", out);
  print_classes(targets, "by_concurrency", "IN FLIGHT", out);
}

// A refusal's own words, as {"error":{"message":...}} has them; else what came, in part.
std::string words_of(const std::string& body) {
  constexpr std::size_t most_shown = 200, most_shown_words = 2'000;
  const json parsed = json::parse(body, nullptr, false);
  const json error = parsed.is_object() ? parsed.value("error", json()) : json();
  if (error.is_object() && error.contains("message") && error.at("message").is_string())
    return proxy::clean_text(error.at("message").get<std::string>(), most_shown_words);
  return proxy::clean_text(body, most_shown);
}

}  // namespace

std::string stats_problem(int status, const std::string& body, bool has_key) {
  if (status == 401 && has_key) return "this key is not one of the gateway's access keys (401)";
  if (status == 401) return "the gateway requires an access key: add --key-env NAME, the variable that holds it";
  if (status == 403) return words_of(body);
  for (const char* ours : {"\"race_not_found\"", "\"page_off\"", "\"gateway_not_found\""})
    if (status == 404 && body.find(ours) != std::string::npos) return words_of(body);
  if (status == 404) return "this address has no statistics (404): is it the address of a photofinish gateway?";
  return "status " + std::to_string(status) + ": " + words_of(body);
}

namespace {

gateway_page fetch_page(const proxy::base_url& gateway, const std::string& path, const asked_gateway& at) {
  const std::string& key = at.key;
  proxy::fetch_request request;
  request.head.method = "GET";
  request.head.path = gateway.path + path;
  if (!key.empty()) request.head.fields.emplace_back("authorization", "Bearer " + key);
  if (!at.accept.empty()) request.head.fields.emplace_back("accept", at.accept);
  request.patience = patience;
  request.max_body = longest_page;
  auto answer = proxy::fetch_alone(gateway, std::move(request));
  if (!answer)
    return {{}, "no answer from this address (" + std::string(to_string(answer.error().kind)) +
                    "): is the gateway running? Another address may be given"};
  if (answer->broken) return {{}, "the connection ended in the middle of the answer"};
  if (answer->head.status != 200) return {{}, stats_problem(answer->head.status, answer->body, !key.empty())};
  return {std::move(answer->body), {}};
}

int stats(const stats_options& options) {
  const gateway_page got = ask_gateway(options, narrowed_path(options, "/v1/providers/stats"));
  if (!got.problem.empty()) {
    std::cerr << "error: " << got.problem << "\n";
    return got.exit_code;
  }
  if (!options.wants_json) return print_stats(got.text, std::cout, std::cerr);
  std::cout << proxy::escape_controls(got.text) << "\n";
  return 0;
}

}  // namespace

gateway_page ask_gateway(asked_gateway at, const std::string& path) {
  constexpr int wrong_usage = 2, no_page = 1;
  std::signal(SIGPIPE, SIG_IGN);
  if (!at.key_variable.empty()) {
    const auto key = process_environment().variable(at.key_variable);
    if (!key) return {{}, "--key-env: the variable " + at.key_variable + " is not set", wrong_usage};
    at.key = *key;
  }
  const std::string usual = asked_gateway().url;
  if (at.key.empty()) at.key = process_environment().variable("PHOTOFINISH_KEY").value_or("");
  if (at.url == usual) at.url = process_environment().variable("PHOTOFINISH_URL").value_or(usual);
  auto url = proxy::parse_base_url(at.url);
  if (!url.url) return {{}, url.problem, wrong_usage};
  std::string& base = url.url->path;
  if (base.ends_with("/v1")) base.resize(base.size() - 3);
  gateway_page got = fetch_page(*url.url, path, at);
  if (got.problem.empty()) return got;
  return {{}, at.url + ": " + got.problem, no_page};
}

json parse_page(std::string_view page) {
  return json::parse(page, [](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::value && parsed.is_string())
      parsed = proxy::shown_text(parsed.get_ref<const std::string&>());
    return true;
  });
}

void add_key_options(CLI::App& command, asked_gateway& at) {
  auto* key = command.add_option("--key", at.key,
                                 "An access key; other users see it in the list of processes: prefer --key-env");
  command.add_option("--key-env", at.key_variable, "The variable that holds the access key; by default PHOTOFINISH_KEY")
      ->type_name("VARIABLE")->excludes(key);
}

void add_gateway_option(CLI::App& command, asked_gateway& at) {
  command.add_option("--gateway", at.narrowed_to, "Show this gateway alone, by its setting `instance`")
      ->type_name("NAME");
}

std::string narrowed_path(const asked_gateway& at, std::string path) {
  if (at.narrowed_to.empty()) return path;
  path += path.find('?') == std::string::npos ? "?gateway=" : "&gateway=";
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char byte : at.narrowed_to) {
    const auto value = static_cast<unsigned char>(byte);
    path += {'%', digits[value >> 4], digits[value & 15]};
  }
  return path;
}

std::string coverage_text(const json& page) {
  const json gateway = page.value("gateway", json()), note = page.value("note", json());
  const json members = page.value("gateways", json());
  std::string text;
  if (gateway.is_string()) text += "gateway: " + gateway.get<std::string>() + "\n";
  else if (members.is_array() && !members.empty()) {
    std::size_t counted = 0;
    for (const json& each : members) counted += each.at("is_counted") == true ? 1 : 0;
    text += "gateways: " + std::to_string(counted) + " of " + std::to_string(members.size()) + "\n";
  }
  if (note.is_string()) text += "note: " + note.get<std::string>() + "\n";
  return text;
}

int print_stats(std::string_view page, std::ostream& out, std::ostream& err) {
  try {
    print_page(parse_page(page), out);
    return 0;
  } catch (const json::exception&) {  // some other server's answer
    err << "error: the answer is not a photofinish statistics page\n";
    return 1;
  }
}

void add_stats_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("stats", "Show a running gateway's statistics of its targets");
  const auto options = std::make_shared<stats_options>();  // lives as long as the callback that CLI11 keeps
  command->add_option("URL", options->url, "Where the gateway listens")->capture_default_str();
  add_key_options(*command, *options);
  add_gateway_option(*command, *options);
  command->add_flag("--json", options->wants_json, "Print the JSON page unchanged");
  command->callback([options, &exit_code] { exit_code = stats(*options); });
}

}  // namespace photofinish::gateway
