#include "gateway/relay/crawl_watch.hpp"

#include <algorithm>

namespace photofinish::gateway {

bool crawl_watch::is_watched(const proxy::delta& each) const {
  if (each.text.empty()) return false;
  if (each.kind == proxy::delta_kind::reasoning) return counts_reasoning_;
  return each.kind == proxy::delta_kind::text || each.kind == proxy::delta_kind::refusal;
}

// An event that says nothing of the answer changes nothing: a ping is not a pause of the text.
void crawl_watch::came(const proxy::stream_event& event) {
  count_wait(event.read_at);
  waits_since_.reset();
  if (!event.deltas.empty()) is_text_due_ = is_watched(event.deltas.back());
}

std::optional<found_crawl> crawl_watch::look(proxy::instant now) {
  if (is_found_) return std::nullopt;
  count_wait(now);
  const std::optional<std::uint64_t> counted = tokens_.so_far();
  if (!counted) return std::nullopt;  // much of it is still being counted: the next look takes this time, too
  rule_.passed(due_, *counted - std::min(counted_, *counted));
  due_ = {};
  counted_ = *counted;
  if (!rule_.is_crawling()) return std::nullopt;
  is_found_ = true;
  return found_crawl{rule_.tokens_per_second(), rule_.watched()};
}

void crawl_watch::count_wait(proxy::instant until) {
  if (!waits_since_) return;
  if (is_text_due_) due_ += std::max(std::chrono::nanoseconds{0}, until - *waits_since_);
  waits_since_ = std::max(*waits_since_, until);
}

}  // namespace photofinish::gateway
