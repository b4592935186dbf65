#include "gateway/guardrails/guardrail_check.hpp"

#include "gateway/guardrails/verdict_rules.hpp"
#include "gateway/threads/held_value.hpp"
#include "proxy/failures/redactor.hpp"
#include "proxy/loop/spawn.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cassert>
#include <utility>

namespace photofinish::gateway {

using metrics::guardrail_verdict;

namespace {

// The maximum size of a guardrail's answer that contains no masked text. Such answers are short. An answer with masked
// text is about as long as the text that the guardrail received. It is a little longer if it uses more escapes.
constexpr std::size_t most_of_a_verdict = 64u << 10;
constexpr std::size_t most_escaped = 3;

std::size_t max_answer_to(const guardrail_settings& by, std::size_t shown) {
  return most_of_a_verdict + (by.mode == guardrail_mode::before ? shown * most_escaped : 0);
}

verdict no_answer(const proxy::failure& why) {
  verdict none;
  if (why.kind == proxy::failure_kind::timeout) none.said = guardrail_verdict::timeout;
  none.trouble = why.kind == proxy::failure_kind::timeout ? "no answer in time" : to_string(why.kind);
  return none;
}

// Removes the service's keys from the reason that the service gave. The client gets this reason, and it may quote the
// request to the service.
std::string without_keys(const std::string& reason, const guardrail_settings& by) {
  std::vector<proxy::secret> keys;
  for (const auto& [name, value] : by.headers) proxy::add_header_secrets(value.reveal(), keys);
  return proxy::redact(reason, keys);
}

}  // namespace

std::unique_ptr<guardrail_check> guardrail_check::of(means by, std::shared_ptr<const config> settings,
                                                     std::string_view route, std::string request_id,
                                                     proxy::memory_share memory) {
  std::vector<call> calls;
  for (const guardrail_settings& each : settings->guardrails)
    if (each.judges(route)) calls.push_back({&each});
  if (calls.empty()) return nullptr;
  std::unique_ptr<guardrail_check> made(new guardrail_check(by, std::move(settings), std::move(request_id),
                                                            std::move(memory)));
  made->calls_ = std::move(calls);
  return made;
}

guardrail_check::~guardrail_check() { assert(running_ == 0); }

bool guardrail_check::begin(judged_text text, const std::string& json) {
  if (!memory_.grow_to(json.size() * calls_.size() + text.held_bytes(), proxy::memory_use::arriving)) return false;
  text_.emplace(std::move(text));
  for (std::size_t index = 0; index < calls_.size(); ++index) {
    proxy::spawn(by_.executor, "a guardrail's call", ask(index, json),
                 [this, index](const std::exception_ptr& bug) { call_ended(index, bug); });
    ++running_;
  }
  return true;
}

proxy::fetch_request guardrail_check::request_to(const guardrail_settings& to, std::string json) const {
  proxy::fetch_request request;
  request.max_body = max_answer_to(to, json.size());
  request.head.method = "POST";
  request.head.path = to.service.url.path + "/request";
  request.head.fields = {{"content-type", "application/json"},
                         {"accept", "application/json"},
                         {"user-agent", "photofinish"},
                         {"x-request-id", request_id_}};
  for (const auto& [name, value] : to.headers) request.head.fields.push_back({name, value.reveal()});
  request.body = std::move(json);
  request.patience = to.timeout;
  return request;
}

boost::asio::awaitable<void> guardrail_check::ask(std::size_t index, std::string json) {
  const guardrail_settings& by = *calls_[index].by;
  proxy::fetch asking(by_.over, by.service);
  std::optional<held_value<proxy::fetch*>> place(std::in_place, calls_[index].asking, &asking);
  const proxy::instant began = by_.over.alarms().now();
  proxy::fetch_request request = request_to(by, std::move(json));
  const std::size_t max_answer = request.max_body;
  if (is_cancelled_) asking.cancel();
  const auto answer = co_await asking.run(std::move(request));
  place.reset();
  if (is_cancelled_ || refusal_) co_return;  // the call was cancelled, so its answer is ignored
  verdict said = read(answer, max_answer);
  if (!said.reason.empty()) said.reason = without_keys(said.reason, by);
  judged_at_ = by_.over.alarms().now();
  by_.shard.guardrail(by.name).cell<metrics::names::guardrail_seconds>(said.said).observe(*judged_at_ - began);
  take(index, std::move(said));
}

// Reads the verdict in an answer. A redirect is not followed, because the texts may be sent only to the configured
// host.
verdict guardrail_check::read(const proxy::result<proxy::fetched>& answer, std::size_t max_answer) const {
  if (!answer) return no_answer(answer.error());
  if (answer->broken) return no_answer(*answer->broken);
  verdict none;
  if (answer->head.status < 200 || answer->head.status >= 300)
    none.trouble = "status " + std::to_string(answer->head.status);
  else if (answer->body.size() >= max_answer)
    none.trouble = "the answer is longer than the limit for verdicts";
  else
    return read_verdict(answer->body, by_.over.parser());
  return none;
}

void guardrail_check::take(std::size_t index, verdict said) {
  call& mine = calls_[index];
  const guardrail_settings& by = *mine.by;
  if (!said.trouble.empty()) spdlog::warn("guardrail '{}' gave no verdict: {}", by.name, said.trouble);
  const ruling ruled = rule_on(said.said, by.mode, by.on_failure);
  mine.said = std::move(said);
  if (ruled == ruling::unavailable) return refuse(index, explain_no_verdict(by.name));
  if (ruled == ruling::refuse && mine.said->said == guardrail_verdict::mask) {
    spdlog::warn("guardrail '{}' returned a mask, which needs mode: before; the request was refused", by.name);
    return refuse(index, explain_unapplied_mask(by.name));
  }
  if (ruled == ruling::refuse) return refuse(index, explain_block(by.name, *mine.said));
}

// Refuses the request. Later verdicts of other guardrails then have no effect.
void guardrail_check::refuse(std::size_t index, api_error error) {
  if (refusal_) return;
  refusal_ = std::move(error);
  refused_by_ = index;
  stop_asking();
  if (const auto tell = std::exchange(tell_, nullptr)) tell();
}

void guardrail_check::stop_asking() {
  for (const call& each : calls_)
    if (each.asking != nullptr) each.asking->cancel();
}

// Handles the end of a call. If an exception prevents the verdict or an error from being recorded, the request must not
// pass. It is then cancelled as if its client had left.
void guardrail_check::call_ended(std::size_t index, const std::exception_ptr& bug) {
  try {
    if (bug) proxy::report_bug("a guardrail's call", bug);
    if (bug) take(index, {});
  } catch (...) {
    proxy::report_bug("a guardrail's verdict", std::current_exception());
    cancel();
  }
  --running_;
  changed_.wake();  // this call must come last, because it may destroy this object
}

bool guardrail_check::has_judged(guardrail_mode mode) const {
  return std::all_of(calls_.begin(), calls_.end(),
                     [mode](const call& each) { return each.said || each.by->mode != mode; });
}

boost::asio::awaitable<void> guardrail_check::until(guardrail_mode mode) {
  while (!refusal_ && !is_cancelled_ && running_ > 0 && !has_judged(mode)) co_await changed_.wait();
}

void guardrail_check::cancel() {
  if (std::exchange(is_cancelled_, true)) return;
  tell_ = nullptr;
  stop_asking();
  changed_.wake();
}

bool guardrail_check::has_masks() const {
  return std::any_of(calls_.begin(), calls_.end(), [](const call& each) {
    return each.by->mode == guardrail_mode::before && each.said && each.said->said == guardrail_verdict::mask;
  });
}

std::optional<std::size_t> guardrail_check::take_masks() {
  for (; next_mask_ < calls_.size() && !unapplied_; ++next_mask_, is_asked_again_ = false) {
    const call& each = calls_[next_mask_];
    if (each.by->mode != guardrail_mode::before || !each.said || each.said->said != guardrail_verdict::mask) continue;
    const masks_of seen = is_asked_again_ ? masks_of::current : masks_of::original;
    const mask_result result = text_->take(each.said->contents, seen);
    if (result == mask_result::conflict) return next_mask_;
    if (result == mask_result::impossible) unapplied_ = next_mask_;
  }
  return std::nullopt;
}

void guardrail_check::end_masks() {
  if (unapplied_) refuse(*unapplied_, explain_unapplied_mask(calls_[*unapplied_].by->name));
}

boost::asio::awaitable<void> guardrail_check::ask_again(std::size_t index) {
  is_asked_again_ = true;
  calls_[index].said.reset();
  std::string json = text_->request_json();
  co_await ask(index, std::move(json));
}

std::optional<std::string> guardrail_check::masked_body() const {
  if (!text_ || !text_->is_masked()) return std::nullopt;
  return text_->masked_body();
}

// Returns the verdict that is logged: the refusal or mask if there is one. Otherwise it is the verdict of the first
// guardrail that let the request pass.
guardrail_note guardrail_check::note() const {
  if (refusal_ && calls_[refused_by_].said) return {calls_[refused_by_].said->said, calls_[refused_by_].by->name};
  guardrail_note noted{guardrail_verdict::pass, calls_.front().by->name};
  for (const call& each : calls_)
    if (each.said && noted.verdict == guardrail_verdict::pass) noted = {each.said->said, each.by->name};
  return noted;
}

}  // namespace photofinish::gateway
