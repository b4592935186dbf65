#include "gateway/commands/advise.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/text_table.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/decimal_text.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using rows = std::vector<std::vector<std::string>>;

// The output shows a range only if its upper end is at least this many times its lower end.
constexpr double worth_a_range = 1.1;

struct advise_options : page_options {
  std::string route;
};

std::string number(double value) { return proxy::fixed_text(value, 2); }

std::string milliseconds(const json& seconds) { return proxy::fixed_text(1000 * seconds.get<double>(), 0); }

// Returns the text of a figure: "310", "> 900" if only a lower bound is known, or "310 (250-480)" if the figure varied.
std::string figure(const json& of, const char* name) {
  if (!of.is_object() || !of.contains(name)) return "-";
  const json& bounds = of.at("at_least");
  if (std::find(bounds.begin(), bounds.end(), name) != bounds.end()) return "> " + milliseconds(of.at(name));
  const std::string text = milliseconds(of.at(name));
  if (!of.contains("low") || of.at("high").at(name).is_null()) return text;
  const json &low = of.at("low").at(name), &high = of.at("high").at(name);
  if (high.get<double>() < worth_a_range * low.get<double>()) return text;
  return text + " (" + milliseconds(low) + "-" + milliseconds(high) + ")";
}

std::string policy_text(const json& policy) {
  std::string text = policy.at("policy").get<std::string>();
  if (!policy.contains("hedge_delay_ms")) return text;
  const json& delay = policy.at("hedge_delay_ms");
  if (delay.is_string()) return text + " " + delay.get<std::string>();
  return text + " " + std::to_string(delay.get<std::int64_t>()) + " ms";
}

std::vector<std::string> row_of(std::string name, const json& policy) {
  std::vector<std::string> row{std::move(name)};
  for (const char* quantile : {"p50", "p95", "p99"}) row.push_back(figure(policy.at("ttft_seconds"), quantile));
  for (const char* quantile : {"p50", "p95"}) row.push_back(figure(policy.at("finish_seconds"), quantile));
  row.push_back(number(policy.at("attempts").get<double>()));
  const json& extra = policy.at("extra_cost");
  row.push_back(extra.is_null() ? "-" : number(100 * extra.get<double>()) + " %");
  return row;
}

// Prints what the turns of conversations cost. The cost depends on where the prompt of each turn was cached.
void print_conversations(const json& route, std::ostream& out) {
  if (!route.contains("conversations") || route.at("conversations").is_null()) return;
  const json& all = route.at("conversations");
  const auto requests = all.at("requests").get<double>(), usd = all.at("cost_usd").get<double>();
  rows table{{"PROMPT CACHE", "requests", "% of them", "USD", "% of it"}};
  for (const auto& [cause, each] : all.at("causes").items()) {
    const auto count = each.at("requests").get<double>(), cost = each.at("cost_usd").get<double>();
    table.push_back({cause, proxy::fixed_text(count, 0), proxy::fixed_text(100 * count / std::max(1.0, requests), 1),
                     usd > 0 ? number(cost) : "-", usd > 0 ? proxy::fixed_text(100 * cost / usd, 1) : "-"});
  }
  print_table(table, out);
}

void print_route(const json& route, std::ostream& out) {
  const auto requests = route.at("requests").get<std::uint64_t>();
  out << '\n' << route.at("route").get<std::string>() << ": " << requests
      << (requests == 1 ? " request\n" : " requests\n");
  rows table{{"POLICY", "TTFT ms p50", "p95", "p99", "finish ms p50", "p95", "attempts", "extra cost"}};
  const json& present = route.at("present");
  table.push_back(row_of(policy_text(present) + ", as measured", present));
  for (const json& each : route.at("policies")) table.push_back(row_of(policy_text(each), each));
  print_table(table, out);
  print_conversations(route, out);
  for (const json& each : route.at("notes")) out << "note: " << each.at("message").get<std::string>() << '\n';
}

}  // namespace

int print_advice(std::string_view page, const std::string& route, std::ostream& out, std::ostream& err) {
  const auto print = [&route, &err](const json& parsed, std::ostream& text) {
    const json& routes = parsed.at("routes");
    const std::string name = proxy::shown_text(route);
    const auto is_shown = [&](const json& each) { return name.empty() || each.at("route") == name; };
    if (std::none_of(routes.begin(), routes.end(), is_shown)) {
      if (route.empty()) return text << "no route with several targets has received a request yet\n", 0;
      err << "error: there is no advice for route '" << route << "': the route has only one target, or received no "
                                                                 "request in 72 hours\n";
      return 1;
    }
    text << "estimated results of each policy for the last "
         << parsed.at("window_seconds").get<std::uint64_t>() / 3600 << " hours\n";
    text << coverage_text(parsed);
    for (const json& each : routes)
      if (is_shown(each)) print_route(each, text);
    return 0;
  };
  return print_parsed(page, "the advice page of a photofinish gateway", print, out, err);
}

void add_advise_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("advise", "Estimate how each policy would have performed on a running "
                                                   "gateway's routes");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<advise_options>();
  add_page_options(*command, *options);
  command->add_option("--route", options->route, "Show only this route")->type_name("NAME");
  add_json_option(*command, *options);
  command->callback([options, &exit_code] {
    exit_code = show_page(*options, "/v1/advice", [&route = options->route](auto page, auto& out, auto& err) {
      return print_advice(page, route, out, err);
    });
  });
}

}  // namespace photofinish::gateway
