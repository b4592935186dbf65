#include "gateway/bench/load/load_driver.hpp"

#include "gateway/probes/prompt.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/loop/spawn.hpp"

#include <algorithm>

namespace photofinish::gateway::bench {

namespace asio = boost::asio;

load_driver::load_driver(asio::io_context& loop, proxy::outbound& over, const bench_plan& plan, request_context how,
                         run_spending* spent)
    : loop_(loop),
      over_(over),
      plan_(plan),
      how_(std::move(how)),
      input_tokens_(plan.input_tokens),
      spending_(plan.spending, std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now()), spent),
      changed_(loop),
      due_(over.alarms(), [this] { changed_.wake(); }) {
  if (plan.prompts) deck_.emplace(plan.prompts->prompts.size(), plan.order, plan.order_seed);
}

asio::awaitable<request_record> load_driver::probe() {
  level_result alone{.level = {.concurrency = 1}};
  phase_limits limits{.phase = run_phase::warmup, .wanted = 1};
  co_await run_phase_of(alone, limits);
  if (!alone.records.empty()) co_return std::move(alone.records.front());
  request_record none;
  none.error.emplace();
  none.error->kind = is_stopped_ ? proxy::failure_kind::cancelled : proxy::failure_kind::quota;
  none.error->detail = "the spending cap is below the cost of a single request: raise the cap, or lower --max-tokens";
  co_return none;
}

asio::awaitable<void> load_driver::turn(level_result& level, std::size_t input_tokens) {
  input_tokens_ = input_tokens;
  phase_limits limits{.phase = run_phase::profiling, .wanted = level.level.requests};
  co_await run_phase_of(level, limits);
}

asio::awaitable<void> load_driver::warm_up(level_result& level) {
  phase_limits limits{.phase = run_phase::warmup, .wanted = level.level.requests};
  co_await run_phase_of(level, limits);
}

asio::awaitable<void> load_driver::run(std::function<void(const load_level&)> on_begin,
                                       std::function<void(level_result)> on_level) {
  for (const load_level& level : plan_.levels) {
    level_result result{.level = level};
    progress_.level = &level;
    on_begin(level);
    phase_limits warmup{.phase = run_phase::warmup, .wanted = level.warmup};
    co_await run_phase_of(result, warmup);
    phase_limits profiling{.phase = run_phase::profiling, .wanted = level.requests};
    if (plan_.duration) profiling.until = over_.alarms().now() + *plan_.duration;
    if (result.end == level_end::complete) co_await run_phase_of(result, profiling);
    progress_.level = nullptr;
    const bool is_cut = result.end == level_end::spend_cap || result.end == level_end::interrupted;
    on_level(std::move(result));
    if (is_cut) co_return;
  }
}

// Starts all requests that are due. Then waits until the next request is due or a running request ends.
asio::awaitable<void> load_driver::run_phase_of(level_result& level, const phase_limits& limits) {
  const bool is_open = level.level.is_open() && limits.phase == run_phase::profiling;
  arrival_clock arrivals(level.level.rate.value_or(1), plan_.arrivals, mixed_seed(plan_.seed, next_number_));
  progress_.phase = limits.phase;
  progress_.ended = progress_.failed = 0;
  progress_.wanted = limits.wanted;
  progress_.begun_at = over_.alarms().now();
  started_ = 0;
  const auto next_due = [&] {
    return progress_.begun_at + (level.level.replay_speed ? traced(level.level) : arrivals.next());
  };
  proxy::instant due_at = is_open ? next_due() : progress_.begun_at;
  bool is_over = false;
  while (true) {
    while (!is_over && running_.size() < level.level.concurrency) {
      is_over = has_all(limits, level);
      if (is_over || (is_open && due_at > over_.alarms().now())) break;
      is_over = !start_one(level, limits, is_open ? due_at : over_.alarms().now());
      if (is_open) due_at = next_due();
    }
    if (is_over && running_.empty()) break;
    if (is_open && !is_over && running_.size() < level.level.concurrency) due_.arm(due_at);
    co_await changed_.wait();
  }
  due_.disarm();
  if (bug_) std::rethrow_exception(bug_);
}

bool load_driver::has_all(const phase_limits& limits, level_result& level) {
  if (is_stopped_) {
    level.end = level_end::interrupted;
    return true;
  }
  if (limits.wanted && started_ >= *limits.wanted) return true;
  if (!limits.until || over_.alarms().now() < *limits.until) return false;
  level.end = level_end::duration;
  return true;
}

// Returns the due time of the next request in the trace, counted from the start of the trace.
std::chrono::nanoseconds load_driver::traced(const load_level& level) const {
  const auto& prompts = plan_.prompts->prompts;
  const workload_prompt& next = prompts[std::min(next_prompt_, prompts.size() - 1)];
  const double ms = (*next.at_ms - *prompts.front().at_ms) / *level.replay_speed;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::duration<double, std::milli>(ms));
}

// Writes the next request of the run. Warm-up requests use generated prompts, so that the endpoint does not cache the
// user's own prompts.
load_driver::next_request load_driver::write_next(run_phase phase) const {
  const workload_prompt* own =
      deck_ && phase == run_phase::profiling ? &plan_.prompts->prompts[deck_->at(next_prompt_)] : nullptr;
  const std::size_t max_tokens = own ? own->max_tokens.value_or(plan_.max_tokens) : plan_.max_tokens;
  if (own && !own->messages.empty()) return {write_chat(how_.traits, *own), own->messages.size(), max_tokens};
  const std::string prompt = make_prompt(own ? own->input_tokens : input_tokens_, plan_.seed, next_number_);
  workload_prompt made{.messages = {}, .max_tokens = max_tokens, .members = {}};
  made.messages = R"([{"role":"user","content":)" + proxy::json_quote(prompt) + "}]";
  return {write_chat(how_.traits, made), prompt.size(), max_tokens};
}

// Starts the next request. Returns false if a spending cap is reached.
bool load_driver::start_one(level_result& level, const phase_limits& limits, proxy::instant due_at) {
  next_request next = write_next(limits.phase);
  const token_amount worst{.input = spending_.worst_input(next.prompt_bytes), .output = next.max_tokens};
  if (!spending_.reserve(worst)) {
    level.end = level_end::spend_cap;
    return false;
  }
  request_record record{.number = next_number_++, .phase = limits.phase, .due_at = due_at};
  if (limits.phase == run_phase::profiling) ++next_prompt_;
  ++started_;
  const auto at = running_.emplace(running_.end(), *this, std::move(next.text), std::move(record), worst,
                                   next.prompt_bytes);
  proxy::spawn(loop_, "a request", at->request.run(),
               [this, at, &level](const std::exception_ptr& bug) { ended(level, at, bug); });
  progress_.running = running_.size();
  return true;
}

void load_driver::ended(level_result& level, std::list<child>::iterator which, std::exception_ptr bug) {
  if (bug) bug_ = bug;
  request_record& record = which->request.record();
  spending_.settle(which->worst, billed(record), which->prompt_bytes);
  ++progress_.ended;
  if (record.error) ++progress_.failed;
  level.records.push_back(std::move(record));
  running_.erase(which);
  progress_.running = running_.size();
  changed_.wake();
}

// Returns the usage that counts for a request. A request that the endpoint rejected has used no tokens. Returns nothing
// if the usage is unknown.
std::optional<token_amount> load_driver::billed(const request_record& record) const {
  if (const auto& usage = record.seen.usage)
    return token_amount{usage->input_tokens, usage->output_tokens, usage->cached_input_tokens};
  const bool was_refused = record.status != 0 && record.status != 200;
  const bool was_sent = record.seen.connection != proxy::connection_used::none;
  if (record.error && (was_refused || !was_sent)) return token_amount{};
  return std::nullopt;
}

void load_driver::stop() noexcept {
  is_stopped_ = true;
  for (child& each : running_) each.request.cancel();
  changed_.wake();
}

}  // namespace photofinish::gateway::bench
