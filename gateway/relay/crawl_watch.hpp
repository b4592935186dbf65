// Watches how fast a winner sends text, for the setting `min_tokens_per_second`. Tokens are counted as in the metrics.
// Only the time in which the gateway waits for more text counts, and not the time that the client needs to read. Pauses
// after reasoning, calls or other parts do not count either, because they may be normal: some models think without
// output, and some providers send a call's arguments only when they are complete. With `crawl_in_reasoning`, reasoning
// counts as text.
#pragma once

#include "gateway/relay/answer_tokens.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "racing/crawl_rule.hpp"
#include "racing/race_plan.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>

namespace photofinish::gateway {

struct found_crawl {
  double tokens_per_second = 0;
  std::chrono::duration<double> watched{};  // the period over which the speed was measured
};

class crawl_watch {
 public:
  // `settings` must set a minimum speed. `tokens` must outlive this object.
  crawl_watch(const racing::crawl_settings& settings, const answer_tokens& tokens)
      : rule_(static_cast<double>(*settings.min_tokens_per_second), settings.window),
        pause_(settings.window / racing::crawl_rule::looks),
        counts_reasoning_(settings.counts_reasoning),
        tokens_(tokens) {}

  // Call this when the gateway starts to wait for the provider.
  void waits(proxy::instant now) { waits_since_ = now; }
  // Call this for each event. An event without content, such as a ping, is ignored. It does not end a pause between two
  // pieces of text.
  void came(const proxy::stream_event& event) {
    count_wait(event.read_at);
    waits_since_.reset();
    if (!event.deltas.empty()) is_text_due_ = is_watched(event.deltas.back());
  }

  // Call this once after each pause(). Do not call it again after it has reported that the answer is too slow.
  std::optional<found_crawl> look(proxy::instant now) {
    if (is_found_) return std::nullopt;
    count_wait(now);
    const std::optional<std::uint64_t> counted = tokens_.so_far();
    if (!counted) return std::nullopt;  // some tokens are still being counted, so this time is added to the next
                                        // measurement
    rule_.passed(due_, *counted - std::min(counted_, *counted));
    due_ = {};
    counted_ = *counted;
    if (!rule_.is_crawling()) return std::nullopt;
    is_found_ = true;
    return found_crawl{rule_.tokens_per_second(), rule_.watched()};
  }
  std::chrono::nanoseconds pause() const { return pause_; }

 private:
  bool is_watched(const proxy::delta& each) const {
    if (each.text.empty()) return false;
    if (each.kind == proxy::delta_kind::reasoning) return counts_reasoning_;
    return each.kind == proxy::delta_kind::text || each.kind == proxy::delta_kind::refusal;
  }
  void count_wait(proxy::instant until) {
    if (!waits_since_) return;
    if (is_text_due_) due_ += std::max(std::chrono::nanoseconds{0}, until - *waits_since_);
    waits_since_ = std::max(*waits_since_, until);
  }

  racing::crawl_rule rule_;
  std::chrono::nanoseconds pause_;
  bool counts_reasoning_;
  const answer_tokens& tokens_;
  std::optional<proxy::instant> waits_since_;
  bool is_text_due_ = false;         // true if the last event contained text that counts for the measured speed
  std::chrono::nanoseconds due_{0};  // the time spent waiting since the last call of look()
  std::uint64_t counted_ = 0;        // the number of tokens that were counted when look() was last called
  bool is_found_ = false;
};

}  // namespace photofinish::gateway
