#include "gateway/relay/winner_reader.hpp"

#include "proxy/words/decimal_text.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::gateway {

winner_reader::winner_reader(proxy::upstream& winner, std::vector<proxy::kept_event>& held,
                             proxy::maybe_failure held_failure, proxy::alarms& alarms,
                             const racing::race_settings& limits, proxy::instant ends_at,
                             std::function<void()> on_silence)
    : winner_(winner),
      held_(held),
      alarms_(alarms),
      held_failure_(std::move(held_failure)),
      reading_since_(alarms.now()),
      stall_timeout_(limits.stall_timeout),
      ends_at_(ends_at),
      last_heartbeat_(reading_since_),
      on_silence_(std::move(on_silence)),
      alarm_(alarms, [this] { look(); }) {
  arm(reading_since_);
}

std::optional<proxy::result<proxy::stream_event>> winner_reader::poll() {
  if (next_held_ < held_.size()) return noted(held_[next_held_++].view());
  if (next_held_ > 0) forget_held();
  if (held_failure_) return *held_failure_;
  if (watch_ == nullptr) return winner_.poll();
  auto event = winner_.poll();
  if (event && *event) noted(**event);
  return event;
}

const proxy::stream_event& winner_reader::noted(const proxy::stream_event& event) {
  if (watch_) watch_->came(event);
  return event;
}

void winner_reader::watch_speed(crawl_watch& watch, std::function<bool(const found_crawl&)> is_to_be_cut) {
  watch_ = &watch;
  is_to_be_cut_ = std::move(is_to_be_cut);
  arm(reading_since_);
}

// Frees the memory of the stored events now, because the answer may take minutes.
void winner_reader::forget_held() {
  next_held_ = 0;
  std::vector<proxy::kept_event>().swap(held_);
}

boost::asio::awaitable<void> winner_reader::readable() {
  if (!std::exchange(is_reading_, true)) {
    reading_since_ = alarms_.now();
    if (watch_) watch_->waits(reading_since_);
  }
  return winner_.readable();
}

std::optional<proxy::result<proxy::stream_event>> winner_reader::read() {
  auto event = winner_.read();
  if (!event) return event;
  is_reading_ = false;
  if (!*event && cut_) return *cut_;
  if (*event) noted(**event);
  return event;
}

void winner_reader::look() {
  const proxy::instant now = alarms_.now();
  const proxy::instant stalls_at = silent_since(now) + stall_timeout_;
  if (now >= std::min(stalls_at, ends_at_)) {
    if (ends_at_ <= stalls_at) return cut(proxy::failure_kind::timeout, "the answer took longer than total_timeout");
    return cut(proxy::failure_kind::stall,
               "the target sent nothing for " + std::to_string(stall_timeout_.count()) + " ms");
  }
  if (watch_ && is_cut_for_crawl(now)) return;
  const bool is_silent = now >= next_heartbeat(now);
  if (is_silent) last_heartbeat_ = now;
  arm(now);
  if (is_silent) on_silence_();  // this call must come last, because a failed write may destroy this object
}

void winner_reader::arm(proxy::instant now) {
  const proxy::instant looks_at = watch_ ? now + watch_->pause() : proxy::instant::max();
  alarm_.arm(std::min({silent_since(now) + stall_timeout_, ends_at_, next_heartbeat(now), looks_at}));
}

bool winner_reader::is_cut_for_crawl(proxy::instant now) {
  const std::optional<found_crawl> found = watch_->look(now);
  if (!found || !is_to_be_cut_(*found)) return false;
  const auto text_of = [](double value) { return proxy::short_text(value, 3); };
  cut(proxy::failure_kind::crawl, "the target sent " + text_of(found->tokens_per_second) + " tokens a second over " +
                                      text_of(found->watched.count()) + " s, below min_tokens_per_second");
  return true;
}

proxy::instant winner_reader::next_heartbeat(proxy::instant now) const {
  return on_silence_ ? std::max(silent_since(now), last_heartbeat_) + heartbeat_interval : proxy::instant::max();
}

void winner_reader::cut(proxy::failure_kind kind, std::string detail) {
  if (cut_) return;
  cut_ = proxy::failure{.kind = kind, .detail = std::move(detail)};
  winner_.close();
}

}  // namespace photofinish::gateway
