#include "gateway/commands/explain/explain.hpp"

#include "gateway/commands/stats.hpp"
#include "gateway/commands/text_table.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using rows = std::vector<std::vector<std::string>>;

struct explain_options : asked_gateway {
  std::string id;
  bool wants_json = false;
};

std::string number(double value, int digits = 0) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string milliseconds(const json& seconds) { return number(seconds.get<double>() * 1'000); }
std::string percent(const json& share) { return number(share.get<double>() * 100, 1); }

void print_candidates(const json& candidates, std::ostream& out) {
  if (candidates.empty()) return;
  rows table{{"CANDIDATE", "STATE", "TTFT ms p50", "p99", "tok/s", "errors %", "hangs %", "in flight", "samples"}};
  for (const json& each : candidates) {
    const json& ttft = each.at("ttft_seconds");
    table.push_back({each.at("target").get<std::string>(), each.at("state").get<std::string>(),
                     milliseconds(ttft.at("p50")), milliseconds(ttft.at("p99")),
                     number(each.at("tokens_per_second").get<double>()), percent(each.at("error_share")),
                     percent(each.at("hang_share")), number(each.at("in_flight").get<double>()),
                     std::to_string(each.at("samples").get<std::uint64_t>())});
  }
  out << '\n';
  print_table(table, out);
}

void print_attempts(const json& attempts, std::ostream& out) {
  rows table{{"ATTEMPT", "WHY", "STARTED ms", "FIRST TOKEN ms", "ENDED ms", "END"}};
  for (const json& each : attempts) {
    std::string end = each.at("end").get<std::string>();
    if (each.contains("failure")) end += ": " + each.at("failure").get<std::string>();
    table.push_back({each.at("target").get<std::string>(), each.at("why").get<std::string>(),
                     milliseconds(each.at("started_seconds")),
                     each.contains("first_token_seconds") ? milliseconds(each.at("first_token_seconds")) : "-",
                     milliseconds(each.at("ended_seconds")), std::move(end)});
  }
  out << '\n';
  print_table(table, out);
}

void print_budget(const json& choice, std::ostream& out) {
  const json &budget = choice.at("budget"), &cost = choice.at("cost");
  const std::string unit = budget.at("currency").get<std::string>();
  const int digits = unit == "usd" ? 6 : 0;
  const auto of = [&](const char* what) { return number(cost.at(what).get<double>(), digits); };
  out << "\ncost in " << unit << ": winner " << of("winner") << ", hedges " << of("hedge") << ", trials " << of("trial")
      << ", rescues " << of("rescue") << "; the budget was " << percent(budget.at("fill")) << " % full, "
      << budget.at("held_back").get<std::uint64_t>() << " hedges held back\n";
}

void print_page(const json& page, std::ostream& out) {
  out << page.at("summary").get<std::string>() << "\nroute " << page.at("route").get<std::string>() << ", policy "
      << page.at("policy").get<std::string>() << ", sort " << page.at("sort").get<std::string>() << ", about "
      << number(page.at("request").at("input_tokens").get<double>()) << " input tokens\n";
  print_candidates(page.at("candidates"), out);
  for (const json& each : page.at("skipped"))
    out << "left out: " << each.at("target").get<std::string>() << " (" << each.at("reason").get<std::string>()
        << ")\n";
  print_attempts(page.at("attempts"), out);
  if (page.contains("choice")) print_budget(page.at("choice"), out);
}

// An id of ours has letters, digits and an underscore; what else is given must not become a part of the path.
bool is_plain(std::string_view id) {
  return !id.empty() && id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

int explain(const explain_options& options) {
  if (!is_plain(options.id)) {
    std::cerr << "error: '" << options.id << "' is not the id of a race: it is in the answer's header x-race-id\n";
    return 2;
  }
  const gateway_page got = ask_gateway(options, "/v1/races/" + options.id);
  if (!got.problem.empty()) {
    std::cerr << "error: " << got.problem << "\n";
    return got.exit_code;
  }
  if (!options.wants_json) return print_race(got.text, std::cout, std::cerr);
  std::cout << got.text << "\n";
  return 0;
}

}  // namespace

int print_race(std::string_view page, std::ostream& out, std::ostream& err) {
  try {
    print_page(json::parse(page), out);
    return 0;
  } catch (const json::exception&) {  // some other server's answer
    err << "error: the answer is not a receipt of a photofinish race\n";
    return 1;
  }
}

void add_explain_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("explain", "Show what one race of a running gateway decided and why");
  const auto options = std::make_shared<explain_options>();  // lives as long as the callback that CLI11 keeps
  command->add_option("ID", options->id, "The race's id, from the answer's header x-race-id")->required();
  command->add_option("--url", options->url, "Where the gateway listens")->capture_default_str();
  add_key_options(*command, *options);
  command->add_flag("--json", options->wants_json, "Print the JSON page unchanged");
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace photofinish::gateway
