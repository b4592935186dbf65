#include "gateway/requests/stages/delivery_stage.hpp"

#include "gateway/http/date_of_now.hpp"
#include "gateway/records/costs/race_cost.hpp"
#include "gateway/relay/costed_writer.hpp"
#include "gateway/requests/stages/answer_memory.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::gateway {

namespace {

// Returns the format of an attempt's events. The last event may be only an end marker, which has no format.
proxy::wire_format spoken_by(const std::vector<proxy::kept_event>& events) {
  const bool is_ended = events.back().kind() == proxy::event_kind::end;
  return is_ended && events.size() > 1 ? events[events.size() - 2].spoken() : events.back().spoken();
}

}  // namespace

void delivery_stage::prepare(racing::race_run& run, const request_plan& plan) {
  request_record& record = context_.record;
  const std::size_t index = *run.report().winner;
  const target_name& winner = record.planned[index].target;
  const proxy::wire_format spoken = spoken_by(run.held_events());
  answer_identity answer{record.id, unix_seconds(), std::string(winner.sent_model()), spoken};
  if (answer_recorder* const recorder = cache_.recorder(); recorder != nullptr)
    recorder->begin(answer, winner, proxy::media_type_of(run.held_events()), record.notes.trace.get());
  make_known(context_, plan, answer, winner);
  if (record.winner.unreported_output > 0 && answer.shown_id)
    answer.shown_id = [&record, shown = std::move(answer.shown_id)](std::string_view id) {
      if (record.background_id.empty()) record.background_id = id;  // keeps an id that is already set
      return shown(id);
    };
  reply_.writer() =
      remember_reasoning(context_, plan, context_.called.writer(plan.asked, std::move(answer)), index, spoken);
}

boost::asio::awaitable<relayed> delivery_stage::deliver(racing::race_run& run, client_answer& to) {
  if (run.held_failure() && run.is_keeping()) {
    relayed broken{answer_end::truncated, run.held_failure(), {}};
    co_return broken;
  }
  reply_.begin(run.report(), proxy::media_type_of(run.held_events()), to);
  show_costs(run, to);
  if (to.is_streamed()) run.answer_began();
  if (!to.is_streamed() || run.report().hold) to.take_room(run.take_memory());
  note_decision(run);
  const std::chrono::nanoseconds stalled_before = context_.client.time_stalled();
  std::function<void()> on_silence;
  if (to.is_of_events()) on_silence = [this, &to] { to.send_keepalive(context_.called.sign_of_life()); };
  const racing::race_settings& limits = context_.limits;
  winner_reader winner(run.winner(), run.held_events(), run.held_failure(), context_.worker.alarms, limits,
                       context_.record.times.received_at + limits.total_timeout, std::move(on_silence));
  const auto speed = limits.crawl.min_tokens_per_second
                         ? std::make_unique<crawl_watch>(limits.crawl, context_.tokens) : nullptr;
  if (speed) watch_crawl(*speed, winner, run, to);
  relayed result = co_await reply_.relay(winner, to, cache_.recorder());
  run.winner().close();
  if (to.is_streamed()) context_.record.times.client_stalled = context_.client.time_stalled() - stalled_before;
  co_return result;
}

void delivery_stage::note_decision(racing::race_run& run) {
  std::optional<proxy::instant>& decided = context_.record.times.decided_by_read_at;
  decided = run.held_events().back().read_at();
  // The winner may be chosen after its last event was read. This happens if the race held tokens back, replaced the
  // winner, or reached a time limit.
  if (run.report().hold || run.report().replaced)
    decided = std::max(*decided, run.report().decided_at);
}

// Adds the cost to the answer's usage. Does nothing for a stream whose client does not ask for the cost.
void delivery_stage::show_costs(const racing::race_run& run, client_answer& to) {
  if (context_.record.form != answer_form::whole && !context_.shows_cost) return;
  std::function<void(std::string_view)> on_end;
  if (!to.is_streamed())
    on_end = [&to](std::string_view cost) {
      if (!cost.empty()) to.add_field("x-race-cost-usd", cost);
    };
  const auto in_usage = context_.shows_cost ? costed_writer::usage_cost::shown : costed_writer::usage_cost::hidden;
  auto cost = [this, &run] { return cost_text(run); };
  std::unique_ptr<answer_writer>& writer = reply_.writer();
  writer = std::make_unique<costed_writer>(std::move(writer), std::move(cost), in_usage, std::move(on_end));
}

// Returns the cost of the race as text. Losing attempts may still be running, so their cost is computed from their
// usage so far.
std::string delivery_stage::cost_text(const racing::race_run& run) const {
  const request_record& record = context_.record;
  // Returns no cost if another target has continued the answer, because the cost of a continuation is known only at its
  // end.
  if (!record.continuation.races.empty()) return {};
  race_account seen;
  seen.settings = context_.settings;
  seen.planned = record.planned;
  seen.prompt = record.prompt;
  seen.winner.unreported_output = record.winner.unreported_output;
  seen.race = run.report_until_now();
  const auto prices_of = [this](const target_name& each, proxy::price_tier tier) {
    return context_.worker.prices.find(context_.settings, each, tier);
  };
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::optional<double> usd = cost_until_now(seen, prices_of, now);
  return usd ? usd_text(*usd) : std::string();
}

void delivery_stage::watch_crawl(crawl_watch& watch, winner_reader& winner, racing::race_run& run,
                                 client_answer& to) {
  winner.watch_speed(watch, [this, &run, &to](const found_crawl& found) {
    const metrics::crawl_end end = end_of_crawl(run, to);
    context_.record.winner.crawls.push_back({*run.report().winner, found.tokens_per_second, found.watched,
                                             static_cast<double>(*context_.limits.crawl.min_tokens_per_second), end});
    return end != metrics::crawl_end::reported;
  });
}

// Decides whether to replace or end the answer of a winner that has become too slow. A runner-up can replace the answer
// if no byte was sent to the client. Unless `on_crawl` is set to `cut`, the runner-up must already have sent text,
// because otherwise it may never send any.
metrics::crawl_end delivery_stage::end_of_crawl(const racing::race_run& run, const client_answer& to) const {
  const bool is_cut = context_.limits.crawl.action == racing::on_crawl::cut;
  const bool may_answer = run.has_ready_runner_up() || (is_cut && run.is_keeping());
  if (may_answer && !to.has_begun()) return metrics::crawl_end::replaced;
  return is_cut ? metrics::crawl_end::cut : metrics::crawl_end::reported;
}

}  // namespace photofinish::gateway
