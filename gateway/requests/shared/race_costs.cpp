// The cost that an answer shows: race_endpoint, continued.
#include "gateway/records/costs/race_cost.hpp"
#include "gateway/relay/costed_writer.hpp"
#include "gateway/requests/race_endpoint.hpp"

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::gateway {

// Losers may still run, or be closed in the same turn of the loop: what their streams show now counts.
std::string race_endpoint::cost_text(const racing::race_run& run) const {
  if (!record_.continued.empty()) return {};  // what another race added is known only at its end
  race_account seen;
  seen.settings = settings_;
  seen.planned = record_.planned;
  seen.prompt_bytes = record_.prompt_bytes;
  seen.extent = record_.extent;
  seen.unreported_output = record_.unreported_output;
  seen.race = run.report_until_now();
  const auto prices_of = [this](const target_name& each) { return worker_.prices.find(settings_, each); };
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::optional<double> usd = cost_until_now(seen, prices_of, now);
  return usd ? usd_text(*usd) : std::string();
}

// A stream whose client does not ask pays nothing.
void race_endpoint::show_costs(const racing::race_run& run, client_answer& to) {
  if (record_.form != answer_form::whole && !wants_cost_) return;
  std::function<void(std::string_view)> on_end;
  if (!to.is_streamed())
    on_end = [&to](std::string_view cost) {
      if (!cost.empty()) to.add_field("x-race-cost-usd", cost);
    };
  const auto in_usage = wants_cost_ ? costed_writer::usage_cost::shown : costed_writer::usage_cost::hidden;
  auto cost = [this, &run] { return cost_text(run); };
  writer_ = std::make_unique<costed_writer>(std::move(writer_), std::move(cost), in_usage, std::move(on_end));
}

}  // namespace photofinish::gateway
