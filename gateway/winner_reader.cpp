#include "gateway/winner_reader.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

winner_reader::winner_reader(proxy::upstream& winner, std::optional<proxy::failure> held_failure,
                             proxy::alarms& alarms, const racing::race_settings& limits, proxy::instant ends_at,
                             std::function<void()> on_silence)
    : winner_(winner),
      held_failure_(std::move(held_failure)),
      alarms_(alarms),
      stall_timeout_(limits.stall_timeout),
      on_silence_(std::move(on_silence)),
      stall_(alarms, [this] { check_silence(); }),
      heartbeat_(alarms, [this] { check_heartbeat(); }),
      total_(alarms, [this] { cut(proxy::failure_kind::timeout, "the answer took longer than total_timeout"); }) {
  const proxy::instant now = alarms_.now();
  reading_since_ = last_heartbeat_ = now;
  stall_.arm(now + stall_timeout_);
  if (on_silence_) heartbeat_.arm(now + heartbeat_interval);
  total_.arm(ends_at);
}

asio::awaitable<proxy::result<proxy::stream_event>> winner_reader::next() {
  if (held_failure_) co_return *held_failure_;
  is_reading_ = true;
  reading_since_ = alarms_.now();
  auto event = co_await winner_.next_event();
  is_reading_ = false;
  if (!event && cut_) co_return *cut_;
  co_return event;
}

std::optional<proxy::result<proxy::stream_event>> winner_reader::poll() {
  if (held_failure_) return *held_failure_;
  return winner_.poll_event();
}

void winner_reader::check_silence() {
  const proxy::instant due = (is_reading_ ? reading_since_ : alarms_.now()) + stall_timeout_;
  if (due > alarms_.now()) return stall_.arm(due);
  cut(proxy::failure_kind::stall, "sent nothing for " + std::to_string(stall_timeout_.count()) + " ms");
}

void winner_reader::check_heartbeat() {
  const proxy::instant now = alarms_.now();
  const proxy::instant due = std::max(is_reading_ ? reading_since_ : now, last_heartbeat_) + heartbeat_interval;
  if (due > now) return heartbeat_.arm(due);
  last_heartbeat_ = now;
  heartbeat_.arm(now + heartbeat_interval);
  on_silence_();
}

void winner_reader::cut(proxy::failure_kind kind, std::string detail) {
  if (cut_) return;
  proxy::failure why;
  why.kind = kind;
  why.detail = std::move(detail);
  cut_ = std::move(why);
  winner_.close();
}

}  // namespace photofinish::gateway
