#include "gateway/requests/stages/guardrail_stage.hpp"

#include "gateway/guardrails/verdict_rules.hpp"
#include "gateway/http/leave_hook.hpp"

#include <optional>

namespace photofinish::gateway {

namespace asio = boost::asio;

void guardrail_stage::find() {
  if (context_.settings->guardrails.empty()) return;
  judging_ = guardrail_check::of({context_.worker.outbound, context_.worker.executor, context_.worker.shard},
                                 context_.settings, context_.record.route, context_.record.id,
                                 context_.memory.another());
}

asio::awaitable<stage_result> guardrail_stage::check(const request_plan& plan, body_stage& body, bool is_stored) {
  std::optional<judged_text> text;
  std::string json;
  std::function<void()> read = [&text, &json, &plan] {
    text.emplace(plan.asked);
    json = text->request_json();
  };
  co_await body.do_with_body(std::move(read));
  if (!judging_->begin(*std::move(text), json)) {
    judging_.reset();
    co_return memory_overloaded();
  }
  json.clear();
  json.shrink_to_fit();
  const proxy::instant began = context_.worker.alarms.now();
  stage_result result;
  {
    const leave_hook hook(context_.client, [this] { judging_->cancel(); });
    if (context_.client.is_abandoned()) judging_->cancel();
    co_await judging_->until(guardrail_mode::before);
    if (judging_->has_masks() && !is_stored) result = co_await mask(body);
  }
  if (context_.client.is_abandoned()) judging_->cancel();
  judging_->drop_text();
  note_verdict(context_.worker.alarms.now() - began);
  if (judging_->is_cancelled()) co_return departed();
  if (is_next(result) && judging_->refusal()) result = *judging_->refusal();
  co_return result;
}

// Masks text in the request as the guardrails' verdicts demand. If a mask cannot be applied, the request is refused.
asio::awaitable<stage_result> guardrail_stage::mask(body_stage& body) {
  std::optional<std::size_t> again;
  std::optional<std::string> masked;
  while (!judging_->refusal() && !judging_->is_cancelled()) {
    std::function<void()> apply = [&again, &masked, this] {
      again = judging_->take_masks();
      if (!again) masked = judging_->masked_body();
    };
    co_await body.do_with_body(std::move(apply));
    if (!again) break;
    co_await judging_->ask_again(*again);
  }
  judging_->end_masks();
  if (!masked || judging_->refusal() || judging_->is_cancelled()) co_return next_stage();
  judging_->drop_text();  // the guardrails refer to the text of the old body, which is replaced now
  api_error unread = explain_unapplied_mask(judging_->note().by);
  co_return co_await body.read_masked(*std::move(masked), std::move(unread));
}

// Waits for the verdicts of all guardrails. If the client leaves, no verdict is recorded, because some verdicts may be
// missing.
asio::awaitable<stage_result> guardrail_stage::pass() {
  co_await judging_->until(guardrail_mode::parallel);
  while (judging_->is_out()) co_await judging_->change();
  stage_result result;
  if (judging_->is_cancelled()) {
    context_.record.notes.guardrail.reset();
    result = departed();
  } else {
    note_verdict({});
    if (judging_->refusal()) result = *judging_->refusal();
  }
  judging_.reset();
  co_return result;
}

void guardrail_stage::note_verdict(std::chrono::nanoseconds held_before) {
  auto noted = std::make_shared<guardrail_note>(judging_->note());
  noted->held_before = held_before;
  std::shared_ptr<const guardrail_note>& judged = context_.record.notes.guardrail;
  if (judged) {
    noted->held_before = judged->held_before;
    noted->released_at = judging_->judged_at();
  }
  judged = std::move(noted);
}

}  // namespace photofinish::gateway
