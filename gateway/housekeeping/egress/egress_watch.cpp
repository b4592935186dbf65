#include "gateway/housekeeping/egress/egress_watch.hpp"

namespace photofinish::gateway {
namespace {

using proxy::failure_kind;

enum class evidence { reached, unreached, none };

// Any response from a provider proves that the provider can be reached, even an error. A timeout proves nothing.
evidence evidence_in(std::optional<failure_kind> failed) {
  if (!failed) return evidence::reached;
  switch (*failed) {
    case failure_kind::dns:
    case failure_kind::connect:
    case failure_kind::tls: return evidence::unreached;
    case failure_kind::timeout:
    case failure_kind::stall:
    case failure_kind::crawl:
    case failure_kind::cancelled:
    case failure_kind::busy: return evidence::none;
    case failure_kind::rate_limited:
    case failure_kind::quota:
    case failure_kind::auth:
    case failure_kind::bad_request:
    case failure_kind::server_error:
    case failure_kind::bad_stream: return evidence::reached;
  }
  return evidence::none;
}

}  // namespace

void egress_watch::note(std::optional<failure_kind> failed, instant now) {
  const evidence seen = evidence_in(failed);
  if (seen == evidence::none) return;
  if (seen == evidence::reached) return begin_again();
  if (now - last_failure_ > recent_ticks * tick_) failures_ = 0;
  if (failures_++ == 0) first_failure_ = now;
  last_failure_ = now;
}

bool egress_watch::is_suspected(instant now) const {
  return failures_ >= enough_failures && now - first_failure_ >= enough_ticks * tick_ &&
         now - last_failure_ <= recent_ticks * tick_;
}

bool egress_watch::is_check_due(instant now) const {
  return now >= next_check_ && (lost_since_ || is_suspected(now) || now < asked_until_);
}

void egress_watch::checked(bool is_reached, instant now) {
  if (is_reached) {
    if (now < asked_until_) answer_ = gateway_ + ' ' + std::to_string(++answers_);
    begin_again();
    next_check_ = now + answer_ticks * tick_;
    return;
  }
  next_check_ = now + tick_;
  if (!lost_since_ && is_suspected(now)) lost_since_ = now;
}

void egress_watch::begin_again() {
  failures_ = 0;
  lost_since_.reset();
  last_answer_.reset();
  others_until_ = {};
}

void egress_watch::heard(const egress_signs& signs, instant now) {
  if (signs.is_asked) asked_until_ = now + asked_ticks * tick_;
  if (!lost_since_) return;
  const bool is_own = signs.answer.starts_with(gateway_ + ' ');
  const bool is_new = last_answer_ && *last_answer_ != signs.answer && !signs.answer.empty() && !is_own;
  if (is_new) others_until_ = now + believed_ticks * tick_;
  last_answer_ = signs.answer;
}

void egress_watch::forget_others() {
  last_answer_.reset();
  asked_until_ = others_until_ = {};
}

egress_state egress_watch::state(instant now) const {
  if (!lost_since_) return egress_state::works;
  return now < others_until_ ? egress_state::lost_alone : egress_state::lost;
}

}  // namespace photofinish::gateway
