#include "gateway/requests/request_flow.hpp"

#include "gateway/access/fingerprints.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/stages/body_stage.hpp"
#include "gateway/requests/stages/limit_stage.hpp"
#include "gateway/requests/stages/plan_stage.hpp"
#include "gateway/traces/request_trace.hpp"

#include <spdlog/spdlog.h>

#include <array>
#include <cstdint>
#include <exception>
#include <functional>
#include <utility>
#include <variant>

namespace photofinish::gateway {

// Answers the request in three steps. First, prepare() does all work that may refuse the request before the first byte
// is sent. Second, a race runs, and its winner's answer is delivered. If the answer breaks off, another target may
// continue it. No race runs if an answer is already stored. Third, settle() records the request and its usage.
boost::asio::awaitable<after_response> request_flow::serve() {
  after_response then = context_.style.then;
  std::exception_ptr bug, second_bug;
  try {
    const std::optional<after_response> ended = co_await prepare();
    if (ended) then = *ended;
    else if (cache_.has_answer()) then = co_await cache_.replay(std::move(place_), *plan_, guardrails_, reply_);
    else then = co_await race_.run(std::move(place_));
  } catch (...) {
    bug = std::current_exception();
  }
  place_ = {};
  guardrails_.cancel();
  while (guardrails_.is_out()) co_await guardrails_.change();
  try {
    if (bug) then = co_await reply_.end_by_bug(bug);
  } catch (...) {
    second_bug = std::current_exception();  // stores the exception, so that the session can report it
  }
  settle();
  if (second_bug) std::rethrow_exception(second_bug);
  co_return then;
}

// Runs the stages before the answer. If the request can be answered, counts it and returns nothing. Otherwise sends the
// error. prepare() is a separate coroutine, so that the frames of its stages and their errors are freed before the
// answer streams.
boost::asio::awaitable<std::optional<after_response>> request_flow::prepare() {
  body_stage body(context_, *plan_);
  limit_stage limits(context_, *plan_, std::move(table_));
  plan_stage plan(context_, *plan_);
  stage_result result;

  // Reads the body first, because all later stages need the parsed request.
  if (body.is_long()) result = co_await body.read_aside();
  else result = body.read();

  // Makes the plan before the limits are charged, because the prices of the plan's targets determine the request's
  // possible cost.
  if (is_next(result)) result = plan.choose_targets(limits);

  // Searches the cache before limits are charged, because a request with a stored answer uses no tokens and no money.
  const bool is_planned = is_next(result);
  if (is_planned && plan.can_run()) cache_.look(*plan_);
  if (is_planned) result = plan.record(cache_.has_answer());

  // Runs the guardrails after the limits are charged, because a request that exceeds a limit must not cause the cost of
  // a check.
  if (is_next(result)) guardrails_.find();
  if (is_next(result)) result = limits.take(place_, cache_.has_answer());
  if (is_next(result) && limits.must_wait()) result = co_await limits.wait();
  if (is_next(result) && guardrails_.is_on())
    result = co_await guardrails_.check(*plan_, body, cache_.has_answer());

  // Shares the request's race only after the guardrails have run. A refused request must not start a race whose answer
  // other requests share.
  if (is_next(result)) {
    cache_.join(*plan_);
    co_return std::nullopt;
  }
  place_ = {};
  if (const auto* refused = std::get_if<api_error>(&result)) co_return co_await reply_.refuse(*refused);
  co_return co_await reply_.end_departed();
}

// Records and charges the request, even if an error occurs. Does not wait for another thread that is still counting the
// request's tokens, so that the connection can serve its next request immediately.
void request_flow::settle() {
  request_record& record = context_.record;
  if (record.times.ended_at == proxy::instant{}) record.times.ended_at = context_.worker.alarms.now();
  context_.hold.leave();  // frees the slots for parallel requests if the request ran no race
  try {
    context_.worker.records.settlements.cut_usage(record);
    context_.observers.ended(record);
  } catch (const std::exception& bug) {
    spdlog::error("a race's observations or its stored answer are lost: {}", bug.what());
  }
  context_.worker.records.settlements.close(std::move(account_));
}

request_flow::request_flow(client_call& call, const api& by, client_request request, std::string model,
                           presented_keys keys, const caller& who, proxy::memory_share memory)
    : account_(std::make_unique<request_ledger>([&worker = call.worker](std::string text,
                                                                        std::function<void(std::uint64_t)> counted) {
        return worker.keeper.counting().count(std::move(text), worker.executor, std::move(counted));
      })),
      context_{call.worker, call.client, by, call.settings, who, account_->record, account_->tokens,
               account_->hold, std::move(call.fields), call.style, std::move(memory)},
      plan_(std::make_shared<request_plan>()),
      table_(call.limits) {
  plan_->request = std::move(request);
  plan_->path_model = std::move(model);
  plan_->keys = std::move(keys);
  plan_->memory = context_.memory.another();
  describe(call);
}

// Copies the description of the request into its record. Also creates the ids of the request's trace, because attempts
// send them to providers long before the trace's spans exist.
void request_flow::describe(client_call& call) {
  request_record& record = context_.record;
  const caller& who = context_.who;
  const std::span<const proxy::header_field> fields = plan_->request.fields;
  record.endpoint = context_.called.label();
  record.id = std::move(call.id);
  record.peer = call.caller_address;
  record.forwarded_for = last_forwarded(fields).substr(0, longest_noted_name);
  record.caller.client = who.label();
  record.caller.id = caller_print(who.name(), context_.worker.random.fingerprint_salt);
  if (who.sealed) record.caller.subject = who.sealed;
  record.caller.team = who.team();
  record.times.received_at = plan_->request.received_at;
  record.settings = context_.settings;
  if (!context_.settings->tracing.is_on()) return;
  random_bits& random = context_.worker.random.unguessable;
  const std::array bits{random.next(), random.next(), random.next(), random.next()};
  request_trace trace = begin_trace(context_.settings->tracing, fields, bits);
  trace.is_https = call.is_https;
  record.notes.trace = std::make_shared<const request_trace>(std::move(trace));
}

}  // namespace photofinish::gateway
