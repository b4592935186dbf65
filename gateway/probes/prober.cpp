#include "gateway/probes/prober.hpp"

#include "gateway/config/config_secrets.hpp"
#include "gateway/housekeeping/stats_page.hpp"
#include "gateway/probes/prompt.hpp"
#include "gateway/records/cost.hpp"
#include "gateway/records/price_book.hpp"
#include "gateway/records/speed.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/providers/known_facts.hpp"
#include "racing/cooldowns.hpp"
#include "racing/statistics/stats_report.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <spdlog/spdlog.h>

#include <algorithm>
#include <exception>
#include <random>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

using racing::attempt_step;

// The length of the longest time slot of the statistics. Statistics of the last probe interval may therefore include
// data that is older by up to this time.
constexpr std::chrono::hours longest_slot{1};

// The prober's number in attempt ids, in place of a worker's number. No worker has this number, because there are fewer
// workers.
constexpr std::uint64_t probers_part = std::uint64_t{0xFFFF} << 48;

std::uint64_t random_seed() {
  std::random_device random;
  return std::uint64_t{random()} << 32 | random();
}

std::chrono::sys_seconds wall_seconds() {
  return std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
}

racing::instant steady_now() { return std::chrono::steady_clock::now(); }

double seconds(std::chrono::steady_clock::duration time) { return std::chrono::duration<double>(time).count(); }

// True if the target caused the failure. A failure that the request caused does not show that the target is bad.
bool is_the_targets(const proxy::failure& why) {
  return why.origin != proxy::failure_origin::gateway &&
         racing::counts_against_target(racing::blame_for(why.kind, why.status, why.scope));
}

}  // namespace

prober::prober(probe_means by) : by_(std::move(by)), seed_(random_seed()), schedule_(seed_) {}

void prober::adopt(std::shared_ptr<const config> settings) {
  const std::lock_guard lock(thread_guard_);
  const bool is_asked_for = settings->probes.has_value();
  if (!is_asked_for && !thread_.joinable()) return;
  asio::post(loop_, [this, settings = std::move(settings)]() mutable { take(std::move(settings)); });
  if (thread_.joinable()) return;
  if (early_board_) take_credentials(std::move(early_board_));
  proxy::spawn_vital(loop_, "the sender of probes", tend(), [] {});
  thread_ = std::thread([this] { loop_.run(); });
}

void prober::adopt(std::shared_ptr<const credential_board> board) {
  const std::lock_guard lock(thread_guard_);
  if (thread_.joinable()) take_credentials(std::move(board));
  else early_board_ = std::move(board);
}

void prober::take_credentials(std::shared_ptr<const credential_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { credentials_.adopt(std::move(board)); });
}

void prober::leave() {
  asio::post(loop_, [this] {
    is_stopping_ = true;
    timer_.cancel();
    if (running_) running_->cancel();
  });
}

void prober::stop() {
  leave();
  const std::lock_guard lock(thread_guard_);
  if (thread_.joinable()) thread_.join();
}

void prober::take(std::shared_ptr<const config> settings) {
  settings_ = std::move(settings);
  secrets_ = std::make_shared<const proxy::redactor>(secrets_of(*settings_));
  const probe_plan plan = plan_probes(*settings_);
  schedule_.adopt(plan.pairs, settings_->probes.value_or(probe_settings{}).every, steady_now());
  timer_.cancel();
  if (settings_->probes && !over_) {
    over_ = std::make_unique<proxy::outbound>(loop_);
    accounts_.open(by_.state_dir);
  }
  warn_of_unpriced(plan.unpriced);
  accounts_.adopt(settings_->probes ? settings_->probes->max_nano_usd_a_day : 0);
}

void prober::warn_of_unpriced(const std::vector<std::string>& targets) const {
  if (targets.empty()) return;
  spdlog::warn("{} targets are not probed, because their price is unknown and the gateway could not enforce "
               "max_cost_per_day, for example {}: set providers.NAME.prices",
               targets.size(), targets.front());
}

asio::awaitable<void> prober::tend() {
  while (!is_stopping_) {
    const auto pair = schedule_.due(steady_now());
    if (!pair) {
      co_await pause();
      continue;
    }
    bool is_failing = false;
    try {
      co_await consider(*pair);
    } catch (const std::exception& failure) {  // the process may lack memory now, but a later probe may succeed
      spdlog::error("a probe of {} could not be sent: {}", pair->target.text(), failure.what());
      is_failing = true;
    }
    if (is_failing) schedule_.put_off(*pair, steady_now());
  }
  if (over_) co_await over_->stop();
}

asio::awaitable<void> prober::pause() {
  boost::system::error_code ec;
  timer_.expires_at(schedule_.next().value_or(racing::instant::max()));
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, ec));
}

asio::awaitable<void> prober::consider(probe_pair pair) {
  sent_probe probe{settings_, {}, pair.input_tokens};
  const auto chosen = find_probe_candidate(*probe.settings, pair.target);
  if (!chosen || chosen->key.source == key_source::none) co_return schedule_.done(pair, steady_now());
  probe.chosen = *chosen;
  const probe_surroundings around = co_await look_around(probe.chosen, probe.settings->probes->every);
  if (is_stopping_) co_return;
  const probe_verdict verdict = judge(around);
  if (verdict == probe_verdict::later) co_return schedule_.put_off(pair, steady_now());
  const bool is_sent = verdict == probe_verdict::send && reserve(probe);
  if (is_sent) co_await send(std::move(probe));
  schedule_.done(pair, steady_now());
}

asio::awaitable<probe_surroundings> prober::look_around(race_candidate chosen, std::chrono::milliseconds every) {
  const std::string name = chosen.target.text();
  std::string all_gateways;
  const auto stats = co_await by_.keeper.reports().stats(std::move(all_gateways), every);
  const racing::target_report* known = stats->report->find(name);
  const std::uint64_t seen = known ? known->all.ttft.seen : 0;
  const racing::instant now = steady_now();
  probe_surroundings around;
  around.clients_samples = seen - std::min(seen, answered_since(name, now - every - longest_slot));
  around.requests = by_.requests.load(std::memory_order_relaxed);
  around.workers = by_.workers;
  around.at_target = by_.flights.of(name).load(std::memory_order_relaxed);
  around.at_provider = by_.flights.of(chosen.target.provider).load(std::memory_order_relaxed);
  const auto& most = chosen.provider->limits.max_running;
  around.is_limited = (most && around.at_provider >= *most) || by_.rooms.of(chosen.id)->is_full(1, now);
  co_return around;
}

bool prober::reserve(sent_probe& probe) {
  const probe_settings& wanted = *probe.settings->probes;
  const auto* prices = prices_of(*probe.settings, probe.chosen.target);
  probe.reserved = expected_nano_usd(prices, probe.input_tokens, wanted.max_output, wall_seconds());
  return accounts_.reserve(probe.reserved, wanted.max_nano_usd_a_day);
}

asio::awaitable<void> prober::send(sent_probe probe) {
  const std::string name = probe.chosen.target.text();
  flight_place at_target(by_.flights.of(name));
  const flight_place at_provider(by_.flights.of(probe.chosen.target.provider));
  probe.in_flight = at_target.number();
  probe.number = ++number_;
  const auto room = by_.rooms.of(probe.chosen.id);
  const rate_room::start start = room->started(probe.input_tokens + probe.settings->probes->max_output);
  const probe_attempt_answer answer = co_await measure(probe);
  if (answer.summary.headroom.says_something() && answer.summary.first_byte_at)
    room->note(answer.summary.headroom, start, *answer.summary.first_byte_at);
  tell_statistics(probe, answer);
  tell_forecast(probe, answer);
  settle(probe, answer);
  if (answer.why) spdlog::info("the probe of {} with {} tokens has failed: {}: {}", name, probe.input_tokens,
                               to_string(answer.why->kind), answer.why->detail);
}

asio::awaitable<probe_attempt_answer> prober::measure(const sent_probe& probe) {
  const std::string name = probe.chosen.target.text();
  const racing::instant begun = steady_now();
  auto asked = make_probe_request(*over_, probe.chosen.target, make_prompt(probe.input_tokens, seed_, probe.number),
                                  probe.settings->probes->max_output);
  const request_extent extent = extent_of(std::get<parsed_request>(asked));
  probe_attempt_request wanted{std::get<parsed_request>(std::move(asked)), probe.chosen, "probe"};
  wanted.on_first_token = [this, &probe, name, begun](racing::instant at) {
    by_.keeper.speeds().note_probe(name, step_of(probe, attempt_step::spoke, begun, at));
  };
  by_.keeper.speeds().note_probe(name, step_of(probe, attempt_step::began, begun, begun));
  probe_attempt one(*over_, race_builder(*over_, credentials_, secrets_), std::move(wanted));
  running_ = &one;
  const struct running_end {
    probe_attempt*& which;
    ~running_end() { which = nullptr; }
  } end{running_};
  probe_attempt_answer answer = co_await one.run();
  cut_usage(probe, extent, answer.summary);
  co_return answer;
}

// Limits the usage that a provider reports for a probe. Otherwise a single false report could use up the whole daily
// budget.
void prober::cut_usage(const sent_probe& probe, const request_extent& extent, proxy::stream_summary& seen) {
  if (!seen.usage) return;
  const target_name& target = probe.chosen.target;
  const auto known = [&] { return proxy::known_facts(*probe.chosen.provider, target.sent_model()); };
  if (const auto cut = cut_if_impossible(*seen.usage, extent, seen.text_bytes, known))
    spdlog::warn("{} reports impossible usage for a probe: {} input and {} output tokens, counted as {} and {}",
                 target.text(), cut->reported.input_tokens, cut->reported.output_tokens, cut->counted.input_tokens,
                 cut->counted.output_tokens);
}

racing::attempt_event prober::step_of(const sent_probe& probe, attempt_step what, racing::instant started_at,
                                      racing::instant at) const {
  return {.step = what,
          .attempt = probers_part | probe.number,
          .started_at = started_at,
          .at = at,
          .input_tokens = static_cast<double>(probe.input_tokens),
          .in_flight = static_cast<double>(probe.in_flight)};
}

void prober::tell_statistics(const sent_probe& probe, const probe_attempt_answer& answer) {
  racing::target_sample sample;
  sample.target = probe.chosen.target.text();
  sample.input_tokens = probe.input_tokens;
  sample.concurrency = probe.in_flight;
  const proxy::stream_summary& seen = answer.summary;
  if (seen.is_unstreamed) return;
  if (seen.first_token_at) sample.ttft_seconds = seconds(*seen.first_token_at - answer.started_at);
  else if (answer.why && answer.is_late) sample.ttft_at_least_seconds = seconds(answer.ended_at - answer.started_at);
  if (const auto decoded = measure_speed(seen, answer.counted, {}).samples[metrics::token_source::tokenizer])
    sample.tokens_per_second = static_cast<double>(decoded->tokens) / decoded->duration.count();
  by_.keeper.scores().note_probe(sample);
  if (sample.ttft_seconds) note_answered(probe, probe.settings->probes->every);
}

void prober::tell_forecast(const sent_probe& probe, const probe_attempt_answer& answer) {
  const proxy::stream_summary& seen = answer.summary;
  attempt_step what = attempt_step::dropped;
  if (answer.why && answer.is_late && !seen.first_token_at) what = attempt_step::cut;
  else if (answer.why && is_the_targets(*answer.why)) what = attempt_step::failed;
  else if (!answer.why && seen.first_token_at) what = attempt_step::answered;
  racing::attempt_event step = step_of(probe, what, answer.started_at, answer.ended_at);
  if (what == attempt_step::answered) {
    const std::uint64_t counted = answer.counted.value_or(counted_tokens{}).all;
    step.output_tokens = static_cast<double>(seen.usage ? seen.usage->output_tokens : counted);
    step.decode_seconds = std::max(0.0, seconds(*seen.last_token_at - *seen.first_token_at));
    step.max_tokens = probe.settings->probes->max_output;
  }
  by_.keeper.speeds().note_probe(probe.chosen.target.text(), step);
}

void prober::settle(const sent_probe& probe, const probe_attempt_answer& answer) {
  std::int64_t paid = 0;
  const auto* prices = prices_of(*probe.settings, probe.chosen.target);
  if (answer.why) {
    if (may_be_billed(*answer.why)) paid = probe.reserved;
  } else if (prices) {
    const estimated_tokens estimated{probe.input_tokens, answer.counted.value_or(counted_tokens{}).all};
    paid = nano_usd_of(winner_cost(*prices, answer.summary, estimated, wall_seconds()).usd);
  }
  accounts_.settle(probe.chosen.target, probe.reserved, paid, answer.why ? probe_end::failed : probe_end::answered);
}

void prober::note_answered(const sent_probe& probe, std::chrono::milliseconds every) {
  auto& times = answered_[probe.chosen.target.text()];
  const racing::instant now = steady_now();
  while (!times.empty() && times.front() < now - every - longest_slot) times.pop_front();
  times.push_back(now);
}

std::uint64_t prober::answered_since(const std::string& target, racing::instant then) const {
  const auto found = answered_.find(target);
  if (found == answered_.end()) return 0;
  return static_cast<std::uint64_t>(
      std::count_if(found->second.begin(), found->second.end(), [then](racing::instant at) { return at >= then; }));
}

}  // namespace photofinish::gateway
