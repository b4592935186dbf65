#include "gateway/requests/observers/answer_recorder.hpp"

#include "gateway/traces/request_trace.hpp"

#include <utility>

namespace photofinish::gateway {

bool answer_recorder::lead(const digest& race) {
  led_.emplace(place_.cache, race, answer_);
  if (led_->leads()) return true;
  led_.reset();
  return false;
}

void answer_recorder::begin_race() {
  when_unread_ = std::make_shared<unread_call>(unread_call{this, {}});
  when_unread_->call = [state = when_unread_.get()] {
    answer_recorder* const recorder = state->recorder;
    if (recorder != nullptr && recorder->answer_->abandon_unless_read()) recorder->leave_();
  };
}

void answer_recorder::end_race() {
  if (when_unread_) when_unread_->recorder = nullptr;
}

void answer_recorder::on_leave(client_connection& client, std::function<void()> leave) {
  leave_ = std::move(leave);
  client.on_leave([this] {
    const recorded_answer::callback when_unread(when_unread_, &when_unread_->call);
    if (!answer_->outlive_client(place_.executor, when_unread)) leave_();
  });
}

void answer_recorder::begin(const answer_identity& answer, const target_name& winner, std::string_view media_type,
                            const request_trace* trace) {
  answer_origin origin{answer.id, answer.created, winner, answer.spoken, std::string(media_type), {}};
  if (trace != nullptr) origin.trace = proxy::trace_parent{trace->id, trace->own, trace->is_sampled};
  seen_ = {};
  answer_->begin(std::move(origin));
}

void answer_recorder::event(const proxy::stream_event& event) {
  seen_.see(event);
  answer_->add(event);
}

boost::asio::awaitable<void> answer_recorder::read_rest(recording_source& from, answer_tokens& tokens) {
  while (!from.is_over() && !answer_->abandon_unless_read()) {
    auto came = from.poll();
    while (!came) {
      co_await from.readable();
      came = from.read();
    }
    if (*came) tokens.add((*came)->deltas, (*came)->read_at);
  }
}

// Stores the answer, or reports its error to the requests that share it. If the answer broke off while the client is
// connected, the request itself reports the error, because a runner-up may still replace the answer. If the client has
// left, no runner-up can replace the answer, so this function reports the error.
void answer_recorder::keep(const recording_source& from, const relayed& result, proxy::instant now) {
  if (!from.is_over()) return;
  if (from.failed()) {
    if (result.end == answer_end::client_left) failed(explain_broken_winner({}, *from.failed()));
    return;
  }
  answer_->complete();
  const bool is_whole = result.end != answer_end::truncated && answer_->is_complete();
  if (may_be_kept_ && is_whole && seen_.is_sound(place_.called))
    place_.cache.keep(place_.question, {place_.route, place_.owner, place_.limits}, answer_, now);
  led_.reset();  // from now on, an equal request gets the stored answer or starts a new race
}

void answer_recorder::failed(const api_error& error) {
  answer_->fail(error);
  led_.reset();
}

}  // namespace photofinish::gateway
