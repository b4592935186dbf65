#include "gateway/commands/stats.hpp"

#include "gateway/commands/commands.hpp"
#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/text_table.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/decimal_text.hpp"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <memory>
#include <ostream>
#include <utility>
#include <vector>

namespace photofinish::gateway {

using nlohmann::json;

std::string figure_cell(double value) { return proxy::fixed_text(value, value < 10 ? 2 : value < 100 ? 1 : 0); }

std::string ttft_cell(const json& ttft, const char* name) {
  if (!ttft.contains(name)) return "-";
  const json& bounds = ttft.at("at_least");
  const bool is_bound = proxy::contains(bounds, name);
  return (is_bound ? "> " : "") + figure_cell(ttft.at(name).get<double>() * 1000);
}

std::string speed_cell(const json& speed, const char* name) {
  return speed.contains(name) ? figure_cell(speed.at(name).get<double>()) : "-";
}

namespace {

using rows = std::vector<std::vector<std::string>>;

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

// Prints a table of all targets. Each row has the figures of a target for one range of prompt lengths or of concurrent
// attempts.
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

int print_page(const json& page, std::ostream& out) {
  const json& targets = page.at("targets");
  out << "the last " << page.at("window_seconds").get<std::uint64_t>() / 3600 << " hours\n";
  out << coverage_text(page);
  if (targets.empty()) {
    out << "no target has answered yet\n";
    return 0;
  }
  rows table = table_of({"TARGET"});
  for (const json& target : targets) add_row(table, {target.at("target").get<std::string>()}, target);
  print_table(table, out);
  print_classes(targets, "by_input_tokens", "INPUT TOKENS", out);
  print_classes(targets, "by_concurrency", "IN FLIGHT", out);
  return 0;
}

}  // namespace

int print_stats(std::string_view page, std::ostream& out, std::ostream& err) {
  return print_parsed(page, "the statistics page of a photofinish gateway", print_page, out, err);
}

void add_stats_command(CLI::App& app, int& exit_code) {
  CLI::App* command = app.add_subcommand("stats", "Show the statistics of a running gateway's targets");
  // CLI11 runs the command after this function has returned. Therefore the options are in a shared pointer.
  const auto options = std::make_shared<page_options>();
  add_page_options(*command, *options);
  add_json_option(*command, *options);
  command->callback([options, &exit_code] { exit_code = show_page(*options, "/v1/providers/stats", print_stats); });
}

}  // namespace photofinish::gateway
