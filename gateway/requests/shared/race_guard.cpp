// Guardrails, which judge a request before a byte of its answer is written: race_endpoint, continued.
#include "gateway/api/json_body.hpp"
#include "gateway/guardrails/judging.hpp"
#include "gateway/guardrails/verdict_rules.hpp"
#include "gateway/http/leave_hook.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

namespace {

// Texts of longer bodies are looked through beside the loop.
constexpr std::size_t most_judged_here = 1u << 20;

}  // namespace

void race_endpoint::find_guardrails() {
  guard_ = judging::of({worker_.outbound, worker_.executor, worker_.shard}, settings_, record_.route, record_.id,
                       memory_.another());
}

asio::awaitable<void> race_endpoint::do_with_body(std::function<void()> work) {
  if (attempts_->asked.body->json().size() > most_judged_here) co_await worker_.beside(std::move(work));
  else work();
}

// Behind its own limits, and before any target is asked. Those in parallel begin here, too: each is asked at once.
asio::awaitable<std::optional<api_error>> race_endpoint::judge() {
  std::optional<judged_text> text;
  std::string json;
  std::function<void()> read = [&text, &json, this] {
    text.emplace(attempts_->asked);
    json = text->request_json();
  };
  co_await do_with_body(std::move(read));
  if (!guard_->begin(*std::move(text), json)) {
    guard_.reset();
    co_return memory_overloaded();
  }
  json.clear();
  json.shrink_to_fit();
  const proxy::instant began = worker_.alarms.now();
  std::optional<api_error> refused;
  {
    const leave_hook hook(client_, [this] { guard_->cancel(); });
    if (client_.is_abandoned()) guard_->cancel();
    co_await guard_->until(guardrail_mode::before);
    // A request that is answered already is sent to no provider.
    if (guard_->has_masks() && !is_answered_already()) refused = co_await mask();
  }
  if (client_.is_abandoned()) guard_->cancel();
  guard_->drop_text();
  note_verdict(worker_.alarms.now() - began);
  if (guard_->is_cancelled()) co_return std::nullopt;
  if (!refused) refused = guard_->refusal();
  co_return refused;
}

// What is sent has every mask, or nothing is sent.
asio::awaitable<std::optional<api_error>> race_endpoint::mask() {
  std::optional<std::size_t> again;
  std::optional<std::string> body;
  while (!guard_->refusal() && !guard_->is_cancelled()) {
    std::function<void()> apply = [&again, &body, this] {
      again = guard_->take_masks();
      if (!again) body = guard_->masked_body();
    };
    co_await do_with_body(std::move(apply));
    if (!again) break;
    co_await guard_->ask_again(*again);
  }
  guard_->end_masks();
  if (!body || guard_->refusal() || guard_->is_cancelled()) co_return std::nullopt;
  co_return co_await send_instead(*std::move(body));
}

// The request as its client would have written it with the masks.
asio::awaitable<std::optional<api_error>> race_endpoint::send_instead(std::string body) {
  ask& asked = attempts_->asked;
  proxy::memory_share memory = memory_.another();
  if (!memory.grow_to(body.size(), proxy::memory_use::arriving))
    co_return memory_overloaded();
  read_ask read;
  std::function<void()> work = [&read, &body, this] {
    proxy::tolerant_parser of_its_own;
    read = api_.read(std::move(body), of_its_own);
    if (ask* fresh = std::get_if<ask>(&read)) read_ahead(*fresh, *settings_, who_, worker_.attempts.dialects);
  };
  co_await do_with_body(std::move(work));
  if (std::holds_alternative<api_error>(read)) co_return explain_unapplied_mask(guard_->note().by);
  ask fresh = std::get<ask>(std::move(read));
  guard_->drop_text();
  show_usage(fresh);
  fresh.state = std::move(asked.state);
  asked = std::move(fresh);
  asked.body = counted_body(std::move(asked.body), std::move(memory));
  attempts_->recall(asked, worker_.load.conversations, who_, worker_.alarms);
  note_size(asked);
  if (asked.others && !count_forms()) co_return memory_overloaded();
  co_return std::nullopt;
}

void race_endpoint::note_verdict(std::chrono::nanoseconds held_before) {
  auto noted = std::make_shared<guardrail_note>(guard_->note());
  noted->held_before = held_before;
  if (record_.judged) {
    noted->held_before = record_.judged->held_before;
    noted->released_at = guard_->judged_at();
  }
  record_.judged = std::move(noted);
}

// The rest of the verdicts. None where it may be answered.
asio::awaitable<std::optional<api_error>> race_endpoint::await_verdicts() {
  co_await guard_->until(guardrail_mode::parallel);
  while (guard_->is_out()) co_await guard_->change();
  const bool has_left = guard_->is_cancelled();
  std::optional<api_error> refused = guard_->refusal();
  note_verdict({});
  guard_.reset();
  if (has_left) note_departure();
  if (has_left && !refused) refused.emplace();
  co_return refused;
}

// Not all verdicts may be there.
void race_endpoint::note_departure() {
  record_.judged.reset();
  record_.outcome = departure();
  record_.status = client_left_status;
}

// Its race may be decided; its first token is still here.
asio::awaitable<std::optional<after_response>> race_endpoint::end_unless_passed(racing::race_run& run,
                                                                                client_answer& to) {
  const std::optional<api_error> refused = co_await await_verdicts();
  if (!refused) co_return std::nullopt;
  if (run.report().winner) run.winner().close();
  run.leave();
  attempts_.reset();
  if (record_.status == client_left_status && client_.has_left()) co_return after_response::close;
  if (record_.status == client_left_status) {
    const after_response then = co_await end_drained(to, run.report());
    co_return then;
  }
  tell_others(*refused);
  record_.outcome = outcome_of(*refused);
  co_return co_await fail(*refused, to, facts_of(run.report()));
}

// An answer that is there already waits for the verdicts, too.
asio::awaitable<std::optional<after_response>> race_endpoint::refuse_unless_passed() {
  std::optional<api_error> refused;
  {
    const leave_hook hook(client_, [this] {
      if (guard_) guard_->cancel();
    });
    if (client_.is_abandoned()) guard_->cancel();
    refused = co_await await_verdicts();
  }
  if (!refused) co_return std::nullopt;
  if (record_.status == client_left_status) co_return co_await end_departed();
  co_return co_await refuse(*refused);
}

}  // namespace photofinish::gateway
