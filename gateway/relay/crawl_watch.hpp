// Watches how fast a winner's text comes, for `min_tokens_per_second`. Tokens are counted as the metrics count them.
// Only time in which we wait for more of a text counts: not what the client takes to read, and not the silence behind
// reasoning, a call or anything else, which may be healthy: some think unseen, and some hold a call's arguments until
// they are whole. With `crawl_in_reasoning` reasoning counts as text does.
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
  std::chrono::duration<double> watched{};  // the window's part of the answer
};

class crawl_watch {
 public:
  // `settings` has a limit. `tokens` outlives this.
  crawl_watch(const racing::crawl_settings& settings, const answer_tokens& tokens)
      : rule_(static_cast<double>(*settings.min_tokens_per_second), settings.window),
        pause_(settings.window / racing::crawl_rule::looks),
        counts_reasoning_(settings.counts_reasoning),
        tokens_(tokens) {}

  // The reader waits for the provider from now on.
  void waits(proxy::instant now) { waits_since_ = now; }
  // An event that says nothing of the answer changes nothing: a ping is not a pause of the text.
  void came(const proxy::stream_event& event) {
    count_wait(event.read_at);
    waits_since_.reset();
    if (!event.deltas.empty()) is_text_due_ = is_watched(event.deltas.back());
  }

  // To be asked each pause(). Nothing once it was found.
  std::optional<found_crawl> look(proxy::instant now) {
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
  bool is_text_due_ = false;  // the last that came was watched
  std::chrono::nanoseconds due_{0};  // since the last look
  std::uint64_t counted_ = 0;        // until then
  bool is_found_ = false;
};

}  // namespace photofinish::gateway
