#include "gateway/commands/doctor/doctor_report.hpp"

#include "gateway/commands/text_table.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/decimal_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace photofinish::gateway {
namespace {

using nlohmann::ordered_json;
using proxy::rate_headroom;
using proxy::shown_text;

std::string decimals(int digits, std::optional<double> value) {
  return value ? proxy::fixed_text(*value, digits) : "-";
}

// Returns the text of a rate limit, such as "59 of 60, full again in 12 s". Returns "-" if the provider
// reported no limit.
std::string limit_text(std::uint32_t left, std::uint32_t all, std::uint32_t reset_ms) {
  if (left == rate_headroom::unknown) return "-";
  std::string text = std::to_string(left) + " left";
  if (all != rate_headroom::unknown) text = std::to_string(left) + " of " + std::to_string(all);
  if (reset_ms > 0) text += ", " + std::to_string((reset_ms + 999) / 1000) + " s";
  return text;
}

std::string works_text(const examined_target& each) { return each.works ? "yes" : "NO: " + each.reason; }

std::string cost_text(const examined_target& each) {
  if (!each.works) return "-";
  return each.cost_usd ? decimals(6, each.cost_usd) : "unknown";
}

ordered_json limit_json(std::uint32_t left, std::uint32_t all, std::uint32_t reset_ms) {
  if (left == rate_headroom::unknown) return nullptr;
  ordered_json made{{"remaining", left}, {"limit", nullptr}, {"reset_ms", nullptr}};
  if (all != rate_headroom::unknown) made["limit"] = all;
  if (reset_ms > 0) made["reset_ms"] = reset_ms;
  return made;
}

template <class T>
ordered_json or_null(const std::optional<T>& value) { return value ? ordered_json(*value) : ordered_json(nullptr); }

ordered_json target_json_of(const examined_target& each) {
  ordered_json made{{"target", each.target}, {"works", each.works}, {"key", each.key}};
  made["error"] = nullptr;
  if (!each.works)
    made["error"] = {{"reason", each.reason},
                     {"status", each.status == 0 ? ordered_json(nullptr) : ordered_json(each.status)},
                     {"cause", each.trouble.cause}, {"advice", each.trouble.advice}};
  made["ttft_ms"] = or_null(each.ttft_ms);
  made["tokens_per_second"] = or_null(each.tokens_per_second);
  made["input_tokens"] = or_null(each.input_tokens);
  made["output_tokens"] = or_null(each.output_tokens);
  made["cost_usd"] = or_null(each.cost_usd);
  const rate_headroom& limits = each.limits;
  made["limits"] = {{"requests", limit_json(limits.requests, limits.requests_limit, limits.requests_reset_ms)},
                    {"tokens", limit_json(limits.tokens, limits.tokens_limit, limits.tokens_reset_ms)}};
  made["ends"] = or_null(each.ends);
  made["notes"] = each.notes;
  return made;
}

}  // namespace

bool doctor_report::all_work() const {
  return std::all_of(targets.begin(), targets.end(), [](const examined_target& each) { return each.works; });
}

double doctor_report::cost_usd() const {
  double sum = 0;
  for (const examined_target& each : targets) sum += each.cost_usd.value_or(0);
  return sum;
}

void print_report(const doctor_report& report, std::ostream& out) {
  std::vector<std::vector<std::string>> rows{
      {"TARGET", "WORKS", "TTFT ms", "tok/s", "REQUESTS LEFT", "TOKENS LEFT", "COST USD", "KEY"}};
  for (const examined_target& each : report.targets) {
    const rate_headroom& limits = each.limits;
    rows.push_back({each.target, works_text(each), decimals(0, each.ttft_ms),
                    decimals(1, each.tokens_per_second),
                    limit_text(limits.requests, limits.requests_limit, limits.requests_reset_ms),
                    limit_text(limits.tokens, limits.tokens_limit, limits.tokens_reset_ms), cost_text(each), each.key});
  }
  print_table(rows, out);
  for (const examined_target& each : report.targets) {
    if (!each.works) {
      out << '\n' << each.target << ": " << shown_text(each.trouble.cause) << '\n';
      if (!each.trouble.advice.empty()) out << "  what to do: " << shown_text(each.trouble.advice) << '\n';
    }
    for (const std::string& note : each.notes) out << '\n' << each.target << ": note: " << shown_text(note) << '\n';
  }
  for (const std::string& note : report.notes) out << "\nnote: " << note << '\n';
  const auto working = std::count_if(report.targets.begin(), report.targets.end(),
                                     [](const examined_target& each) { return each.works; });
  out << '\n' << working << " of " << report.targets.size() << " targets work; this cost "
      << decimals(6, report.cost_usd()) << " USD, not counting targets without a known price\n";
}

std::string report_json(const doctor_report& report) {
  ordered_json targets = ordered_json::array();
  for (const examined_target& each : report.targets) targets.push_back(target_json_of(each));
  const ordered_json page{{"object", "doctor"},
                  {"works", report.all_work()},
                  {"cost_usd", report.cost_usd()},
                  {"targets", std::move(targets)},
                  {"notes", report.notes}};
  return proxy::escape_controls(page.dump(2, ' ', false, ordered_json::error_handler_t::replace));
}

}  // namespace photofinish::gateway
