#include "gateway/commands/explain.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/text_table.hpp"
#include "proxy/words/decimal_text.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using rows = std::vector<std::vector<std::string>>;

struct explain_options : page_options {
  std::string id;
};

std::string number(double value, int digits = 0) { return proxy::fixed_text(value, digits); }

std::string milliseconds(const json& seconds) { return number(seconds.get<double>() * 1'000); }
std::string percent(const json& share) { return number(share.get<double>() * 100, 1); }

void print_candidates(const json& candidates, std::ostream& out) {
  if (candidates.empty()) return;
  rows table{{"CANDIDATE", "STATE", "TTFT ms p50", "p99", "level ms", "spread", "tok/s", "finish ms", "errors %",
              "hangs %", "in flight", "samples"}};
  for (const json& each : candidates) {
    const json& ttft = each.at("ttft_seconds");
    std::string state = each.at("state").get<std::string>();
    if (!each.value("has_headroom", true)) state += ", no headroom";
    table.push_back({each.at("target").get<std::string>(), std::move(state), milliseconds(ttft.at("p50")),
                     milliseconds(ttft.at("p99")), milliseconds(each.value("level_seconds", json(0))),
                     number(each.value("spread", 0.0), 2), number(each.at("tokens_per_second").get<double>()),
                     milliseconds(each.value("finish_seconds", json(0))), percent(each.at("error_share")),
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

// Prints the planned hedge, even if the hedge did not start.
void print_hedge(const json& choice, std::ostream& out) {
  const json& order = choice.at("order");
  if (!choice.contains("hedge") || order.empty()) return;
  const json& hedge = choice.at("hedge");
  out << (hedge.value("twin", false) ? "hedge, a twin: " : "hedge: ")
      << hedge.value("target", order.back().get<std::string>()) << " after " << milliseconds(hedge.at("after_seconds"))
      << " ms, when " << percent(hedge.at("silent_share")) << " % of first tokens have not arrived yet; expected wait: "
      << milliseconds(choice.at("value_seconds")) << " ms with the hedge, including its cost, and "
      << milliseconds(choice.at("value_without_hedge_seconds")) << " ms without the hedge\n";
  if (choice.contains("third") && order.size() > 2)
    out << "then: " << order[2].get<std::string>() << " after " << milliseconds(choice.at("third").at("after_seconds"))
        << " ms\n";
}

void print_prompt_cache(const json& choice, std::ostream& out) {
  if (!choice.contains("prompt_cache")) return;
  const json& cache = choice.at("prompt_cache");
  out << "prompt cache: ";
  if (cache.contains("moved_from"))
    out << "moved from " << cache.at("moved_from").get<std::string>() << ", because that target is "
        << cache.at("move_cause").get<std::string>();
  else out << (cache.at("warm_first").get<bool>() ? "stayed at the target with the cached prompt" : "warm nowhere");
  out << "; " << number(cache.at("turns").get<double>()) << " earlier answers of the model in this conversation\n";
}

// Prints the candidates that have, or may have, a part of the prompt in their prompt cache.
void print_prefixes(const json& candidates, std::ostream& out) {
  rows table{{"PROMPT CACHE", "matched tokens", "age s", "hit chance %", "expected cached", "cold start USD"}};
  for (const json& each : candidates) {
    if (!each.contains("prompt_cache")) continue;
    const json& cache = each.at("prompt_cache");
    table.push_back({each.at("target").get<std::string>(), number(cache.at("matched_tokens").get<double>()),
                     number(cache.at("age_ms").get<double>() / 1'000), percent(cache.at("hit_chance")),
                     number(cache.at("expected_cached_tokens").get<double>()),
                     cache.contains("cold_start_usd") ? number(cache.at("cold_start_usd").get<double>(), 4) : "-"});
  }
  if (table.size() == 1) return;
  out << '\n';
  print_table(table, out);
}

void print_choice(const json& choice, std::ostream& out) {
  print_prompt_cache(choice, out);
  print_hedge(choice, out);
  if (choice.contains("rescue"))
    out << "rescue: after " << milliseconds(choice.at("rescue").at("after_seconds")) << " ms of silence\n";
  if (choice.contains("trial"))
    out << "trial: " << choice.at("trial").at("target").get<std::string>() << " ("
        << choice.at("trial").at("why").get<std::string>() << ")\n";
  if (!choice.contains("deadline")) return;
  const json& deadline = choice.at("deadline");
  out << "deadline: " << milliseconds(deadline.at("seconds")) << " ms; the chance of meeting the deadline is "
      << percent(deadline.at("chance")) << " %"
      << (deadline.at("started_more").get<bool>() ? "; further targets were started at the same time" : "");
  if (deadline.contains("end")) out << "; " << deadline.at("end").get<std::string>();
  out << '\n';
}

void print_request(const json& page, std::ostream& out) {
  const json& request = page.at("request");
  out << "route " << page.at("route").get<std::string>();
  if (page.at("rule").is_string()) out << ", rule " << page.at("rule").get<std::string>();
  for (const char* mark : {"task", "project", "session", "class"})
    if (request.contains(mark)) out << ", " << mark << " " << request.at(mark).get<std::string>();
  out << "\npolicy " << page.at("policy").get<std::string>() << ", sort " << page.at("sort").get<std::string>()
      << ", win on " << page.at("win_on").get<std::string>() << ", about "
      << number(request.at("input_tokens").get<double>()) << " input tokens and "
      << number(request.at("expected_output_tokens").get<double>()) << " output tokens expected\n";
}

void print_hold(const json& hold, std::ostream& out) {
  out << "held: " << hold.at("target").get<std::string>() << " from " << milliseconds(hold.at("began_seconds"))
      << " ms to " << milliseconds(hold.at("ended_seconds")) << " ms (" << hold.at("why").get<std::string>() << ")\n";
}

// Prints the predicted results and the real results next to each other.
void print_ends(const json& page, std::ostream& out) {
  if (page.contains("choice") && page.at("choice").contains("predicted_ttft_seconds")) {
    const json& ttft = page.at("choice").at("predicted_ttft_seconds");
    out << "first token: predicted p50 " << milliseconds(ttft.at("p50")) << " ms, p90 " << milliseconds(ttft.at("p90"))
        << " ms, p99 " << milliseconds(ttft.at("p99")) << " ms\n";
  }
  if (page.contains("predicted_end_seconds") && page.contains("answer"))
    out << "end of the answer: predicted " << milliseconds(page.at("predicted_end_seconds")) << " ms, was "
        << milliseconds(page.at("answer").at("seconds")) << " ms\n";
}

// Prints the sums over this caller's requests in the race's session or project, such as their number and cost.
void print_total(const std::string& of_what, const json& page, std::ostream& out) {
  if (!page.contains(of_what + "_total")) return;
  const json& total = page.at(of_what + "_total");
  const auto count = [&total](const char* what) { return std::to_string(total.at(what).get<std::uint64_t>()); };
  const auto usd = [&total](const char* what) { return number(total.at(what).get<double>(), 6); };
  out << of_what << " so far: requests " << count("requests") << ", input tokens " << count("input_tokens")
      << ", output tokens " << count("output_tokens") << "; USD " << usd("cost_usd") << ", and " << usd("lost_cost_usd")
      << " for attempts that lost\n";
}

int print_page(const json& page, std::ostream& out) {
  out << page.at("summary").get<std::string>() << '\n';
  print_request(page, out);
  if (page.contains("choice")) print_choice(page.at("choice"), out);
  print_candidates(page.at("candidates"), out);
  print_prefixes(page.at("candidates"), out);
  for (const json& each : page.at("skipped"))
    out << "left out: " << each.at("target").get<std::string>() << " (" << each.at("reason").get<std::string>()
        << (each.contains("detail") ? ": " + each.at("detail").get<std::string>() : "") << ")\n";
  print_attempts(page.at("attempts"), out);
  if (page.contains("hold")) print_hold(page.at("hold"), out);
  print_ends(page, out);
  if (page.contains("choice")) print_budget(page.at("choice"), out);
  print_total("session", page, out);
  print_total("project", page, out);
  return 0;
}

// True if the text contains only lower-case letters, digits and underscores, as the gateway's ids do. A text with other
// characters must not be put into the URL's path.
bool is_plain(std::string_view id) {
  return !id.empty() && id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

int explain(const explain_options& options) {
  if (!is_plain(options.id)) {
    std::cerr << "error: '" << options.id << "' is not the id of a race: copy the id from the answer's header "
                                             "x-race-id\n";
    return 2;
  }
  return show_page(options, "/v1/races/" + options.id, print_race);
}

}  // namespace

int print_race(std::string_view page, std::ostream& out, std::ostream& err) {
  return print_parsed(page, "the receipt of a race", print_page, out, err);
}

void add_explain_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("explain", "Show a race's decisions and their reasons");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<explain_options>();
  command->add_option("ID", options->id, "The race's id, from the answer's header x-race-id")->required();
  command->add_option("--url", options->url, "The gateway's URL")->capture_default_str();
  add_key_options(*command, *options);
  add_json_option(*command, *options);
  command->callback([options, &exit_code] { exit_code = explain(*options); });
}

}  // namespace photofinish::gateway
