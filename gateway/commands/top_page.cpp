#include "gateway/commands/top_page.hpp"

#include "gateway/commands/gateway_page.hpp"
#include "gateway/commands/stats.hpp"
#include "gateway/commands/text_table.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

using nlohmann::json;
using rows = std::vector<std::vector<std::string>>;

constexpr std::size_t most_races = 10;

std::string fixed(double value, int digits) { return proxy::fixed_text(value, digits); }

std::uint64_t count_of(const json& words, const char* name) { return words.value(name, std::uint64_t{0}); }

std::uint64_t sum_of(const json& words) {
  std::uint64_t sum = 0;
  for (const json& each : words) sum += each.get<std::uint64_t>();
  return sum;
}

std::string up_time(std::int64_t seconds) {
  if (seconds < 3600) return std::to_string(seconds / 60) + "m" + std::to_string(seconds % 60) + "s";
  if (seconds < 86'400) return std::to_string(seconds / 3600) + "h" + std::to_string(seconds % 3600 / 60) + "m";
  return std::to_string(seconds / 86'400) + "d" + std::to_string(seconds % 86'400 / 3600) + "h";
}

// Returns the numbers of failures, such as "12 rate_limited, 3 timeout".
std::string failures_text(const json& failures) {
  std::vector<std::pair<std::uint64_t, std::string>> all;
  for (const auto& [reason, count] : failures.items()) all.emplace_back(count.get<std::uint64_t>(), reason);
  std::sort(all.rbegin(), all.rend());
  std::string text;
  for (const auto& [count, reason] : all) text += (text.empty() ? "" : ", ") + std::to_string(count) + " " + reason;
  return text.empty() ? "-" : text;
}

std::string cooldown_text(const json& target) {
  if (!target.contains("cooldown")) return "-";
  const json& cooldown = target.at("cooldown");
  return fixed(cooldown.at("seconds").get<double>(), 0) + "s" + (cooldown.at("limited").get<bool>() ? " limit" : "");
}

const json* figures_for(const json& stats, const std::string& target) {
  for (const json& each : stats.at("targets"))
    if (each.at("target") == target) return &each;
  return nullptr;
}

// Returns the middle of a range of numbers of concurrent attempts, on a logarithmic scale.
double middle_of(const json& range) {
  const double from = range.at("from").get<double>();
  if (range.at("below").is_null()) return from * 1.4;
  return std::sqrt(from * std::max(from, range.at("below").get<double>() - 1));
}

// Returns the number of concurrent attempts at which the speed per user has fallen by a fifth from its best value, for
// example "24". ">64" means that the number is larger than all measured numbers, and "-" means that it is unknown. The
// live page uses the same rule (kneeOf in targets.js).
std::string knee_text(const json& target) {
  constexpr std::uint64_t few = 5;
  std::vector<std::pair<double, double>> known;  // pairs of a number of concurrent attempts and a speed in tok/s
  for (const json& each : target.at("by_concurrency")) {
    const json& speed = each.at("tokens_per_second");
    if (count_of(speed, "count") >= few) known.emplace_back(middle_of(each), speed.at("p50").get<double>());
  }
  if (known.size() < 2) return "-";
  double best = known.front().second;
  for (std::size_t place = 1; place < known.size(); ++place) {
    best = std::max(best, known[place].second);
    const double limit = best * 0.8;
    if (known[place].second > limit) continue;
    const auto& [before, faster] = known[place - 1];
    const double share = (faster - limit) / (faster - known[place].second);
    return fixed(std::max(1.0, std::round(before * std::pow(known[place].first / before, share))), 0);
  }
  return ">" + fixed(std::round(known.back().first), 0);
}

std::size_t width_of(const rows& table) {
  std::ostringstream text;
  print_table(table, text);
  std::size_t widest = 0;
  const std::string all = text.str();
  for (std::size_t at = 0, end = 0; at < all.size(); at = end + 1) {
    end = std::min(all.find('\n', at), all.size());
    widest = std::max(widest, end - at);
  }
  return widest;
}

void drop_column(rows& table, std::size_t place) {
  for (auto& row : table) row.erase(row.begin() + static_cast<std::ptrdiff_t>(place));
}

std::vector<std::string> target_row(const json& each, const json& stats) {
  const std::string name = each.at("target").get<std::string>();
  const json &ends = each.at("attempts"), &cost = each.at("cost_usd");
  const std::uint64_t attempts = sum_of(ends), won = count_of(ends, "won") + count_of(ends, "broken");
  const json* figures = figures_for(stats, name);
  const auto ttft = [&](const char* which) { return figures ? ttft_cell(figures->at("ttft_seconds"), which) : "-"; };
  const auto speed = [&](const char* which) {
    return figures ? speed_cell(figures->at("tokens_per_second"), which) : "-";
  };
  return {name, std::to_string(each.at("in_flight").get<std::uint64_t>()), std::to_string(attempts),
          attempts == 0 ? "-" : fixed(100.0 * static_cast<double>(won) / static_cast<double>(attempts), 1),
          ttft("p50"), ttft("p95"), ttft("p99"), speed("p50"), speed("p95"), speed("p99"),
          figures ? knee_text(*figures) : "-", cooldown_text(each), fixed(cost.at("winner").get<double>(), 4),
          fixed(cost.at("loser").get<double>(), 4), failures_text(each.at("failures"))};
}

void print_targets(const json& feed, const json& stats, std::optional<std::size_t> columns, std::ostream& out) {
  rows table{{"TARGET", "IN FLIGHT", "ATTEMPTS", "WON %", "TTFT ms p50", "p95", "p99", "tok/s p50", "p95", "p99",
              "KNEE", "COOLDOWN", "USD", "LOSERS", "FAILED"}};
  for (const json& each : feed.at("targets")) table.push_back(target_row(each, stats));
  // The columns that are dropped if the terminal is too narrow, in this order: KNEE, tok/s p99, tok/s p95, TTFT p99.
  constexpr std::array<std::size_t, 4> least{10, 9, 8, 6};
  for (const std::size_t place : least)
    if (columns && width_of(table) > *columns) drop_column(table, place);
  print_table(table, out);
}

// Returns two shares of an adaptive route, such as "6.2 of 10 %": the extra cost of losing attempts, and its allowed
// maximum.
std::string extra_cost_text(const json& route) {
  if (!route.contains("speculation")) return "-";
  const json& adaptive = route.at("speculation");
  const double most = adaptive.at("max_extra_cost").get<double>() * 100;
  for (const json& spent : adaptive.at("spent")) {
    const double extra = spent.at("hedge").get<double>() + spent.at("trial").get<double>() +
                         spent.at("rescue").get<double>();
    return fixed(100 * extra / spent.at("winner").get<double>(), 1) + " of " + fixed(most, 0) + " %";
  }
  return "0 of " + fixed(most, 0) + " %";
}

void print_routes(const json& feed, std::ostream& out) {
  if (feed.at("routes").empty()) return;
  rows table{{"ROUTE", "POLICY", "IN FLIGHT", "REQUESTS", "EXTRA COST"}};
  for (const json& each : feed.at("routes"))
    table.push_back({each.at("route").get<std::string>(), each.at("policy").get<std::string>(),
                     std::to_string(each.at("in_flight").get<std::int64_t>()),
                     std::to_string(each.at("requests").get<std::uint64_t>()), extra_cost_text(each)});
  out << '\n';
  print_table(table, out);
}

std::string end_text(const json& race) {
  if (!race.contains("answer")) return race.at("winner").is_null() ? "racing" : "streaming";
  return race.at("answer").at("outcome").get<std::string>();
}

std::vector<std::string> race_row_of(const json& race) {
  std::string winner = "-", token = "-";
  if (!race.at("winner").is_null()) {
    const json& won = race.at("attempts").at(race.at("winner").get<std::size_t>());
    winner = won.at("target").get<std::string>();
    if (won.contains("first_token_seconds")) token = fixed(won.at("first_token_seconds").get<double>() * 1000, 0);
  }
  return {race.at("id").get<std::string>(), race.at("route").get<std::string>(), std::move(winner), std::move(token),
          std::to_string(race.at("attempts").size()), end_text(race)};
}

void print_races(const json& feed, std::ostream& out) {
  const json& races = feed.at("races");
  if (races.empty()) return;
  rows table{{"RACE", "ROUTE", "WINNER", "FIRST TOKEN ms", "ATTEMPTS", "END"}};
  for (std::size_t count = 0; count < std::min(races.size(), most_races); ++count)
    table.push_back(race_row_of(races.at(races.size() - 1 - count)));
  out << '\n';
  print_table(table, out);
}

}  // namespace

std::string top_screen(std::string_view feed, std::string_view stats, std::optional<std::size_t> columns) {
  const json live = parse_page(feed), known = parse_page(stats);
  const json& requests = live.at("requests");
  std::ostringstream out;
  out << "photofinish " << live.at("version").get<std::string>() << ", up "
      << up_time(live.at("at_ms").get<std::int64_t>() / 1000 - live.at("started_at").get<std::int64_t>()) << ": "
      << fixed(requests.at("per_second").get<double>(), 1) << " requests/s, "
      << requests.at("in_flight").get<std::int64_t>() << " in flight, " << requests.at("total").get<std::uint64_t>()
      << " since the start; TTFT and tok/s cover the last 15 minutes\n";
  out << coverage_text(live);
  const json answering = live.value("answered_by", json());
  if (live.value("gateway", json()).is_null() && answering.is_string())
    out << "races, cooldowns and version are those of " << answering.get<std::string>() << "";
  out << '\n';
  print_targets(live, known, columns, out);
  print_routes(live, out);
  print_races(live, out);
  return out.str();
}

std::string cut_to_terminal(std::string_view screen, std::size_t lines, std::size_t columns) {
  std::string cut;
  for (std::size_t at = 0, line = 0; at < screen.size() && line < lines; ++line) {
    const std::size_t end = std::min(screen.find('\n', at), screen.size());
    if (line > 0) cut += '\n';
    cut.append(screen.substr(at, std::min(end - at, columns)));
    at = end + 1;
  }
  return cut;
}

}  // namespace photofinish::gateway
