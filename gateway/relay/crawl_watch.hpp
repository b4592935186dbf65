// Watches how fast a winner's text comes, for `min_tokens_per_second`. Tokens are counted as the metrics count them.
// Only time in which we wait for more of a text counts: not what the client takes to read, and not the silence behind
// reasoning, a call or anything else, which may be healthy: some think unseen, and some hold a call's arguments until
// they are whole. With `crawl_in_reasoning` reasoning counts as text does.
#pragma once

#include "gateway/relay/answer_tokens.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "racing/crawl_rule.hpp"
#include "racing/race_plan.hpp"

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
  void came(const proxy::stream_event& event);

  // To be asked each pause(). Nothing once it was found.
  std::optional<found_crawl> look(proxy::instant now);
  std::chrono::nanoseconds pause() const { return pause_; }

 private:
  bool is_watched(const proxy::delta& each) const;
  void count_wait(proxy::instant until);

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
