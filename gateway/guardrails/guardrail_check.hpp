// One request's guardrails: all are asked at once, each once, or once more where two of them mask one text.
// Of one worker's thread. Its owner awaits ended() before it destroys it.
#pragma once

#include "gateway/api/api_error.hpp"
#include "gateway/config/config.hpp"
#include "gateway/guardrails/judged_text.hpp"
#include "gateway/guardrails/verdict.hpp"
#include "gateway/records/race_account.hpp"
#include "metrics/shard.hpp"
#include "proxy/fetch.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/outbound.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway {

class guardrail_check {
 public:
  struct means {
    proxy::outbound& over;
    const boost::asio::any_io_executor& executor;
    metrics::shard& shard;
  };

  // Null where no guardrail judges that route's requests. What `by` refers to outlives it; `memory` is an empty share
  // of the request's.
  static std::unique_ptr<guardrail_check> of(means by, std::shared_ptr<const config> settings, std::string_view route,
                                             std::string request_id, proxy::memory_share memory);
  ~guardrail_check();

  // Asks all of them for their verdicts on `text`, whose request_json() is `json`. False: there is no memory for it.
  bool begin(judged_text text, const std::string& json);

  // Until all of that mode have given their verdicts, one refuses, or it is cancelled. One waiter at a time.
  boost::asio::awaitable<void> until(guardrail_mode mode);
  bool is_out() const { return running_ > 0; }
  const std::optional<api_error>& refusal() const { return refusal_; }
  // Called once, where one refuses while it runs.
  void on_refusal(std::function<void()> tell) { tell_ = std::move(tell); }

  bool has_masks() const;
  // Once those of mode before have judged: applies masks, in the order of the guardrails. It takes as long as the text
  // is, and may run beside the loop. One is named where it has to be asked again, as it masks what another has masked;
  // then call it again.
  std::optional<std::size_t> take_masks();
  boost::asio::awaitable<void> ask_again(std::size_t index);
  void end_masks();  // it refuses where one could not be applied
  // None: it stays as it is. It may run beside the loop.
  std::optional<std::string> masked_body() const;
  // What it keeps of the request's body goes.
  void drop_text() { text_.reset(); }

  // The client has left: no verdict is of use any more. Idempotent.
  void cancel();
  bool is_cancelled() const { return is_cancelled_; }
  // Before it goes: awaited while is_out(). It awaits a signal alone, and so cannot fail for want of memory.
  auto change() { return changed_.wait(); }

  guardrail_note note() const;
  // When the last verdict came; none: no verdict has.
  std::optional<proxy::instant> judged_at() const { return judged_at_; }

 private:
  struct call {
    const guardrail_settings* by;
    proxy::fetch* asking = nullptr;  // while it runs
    std::optional<verdict> said = {};
  };

  guardrail_check(means by, std::shared_ptr<const config> settings, std::string request_id, proxy::memory_share memory)
      : by_(by), settings_(std::move(settings)), request_id_(std::move(request_id)), memory_(std::move(memory)) {}

  boost::asio::awaitable<void> ask(std::size_t index, std::string json);
  proxy::fetch_request request_to(const guardrail_settings& to, std::string json) const;
  verdict read(const proxy::result<proxy::fetched>& answer, std::size_t max_answer) const;
  void take(std::size_t index, verdict said);
  void call_ended(std::size_t index, const std::exception_ptr& bug);
  void refuse(std::size_t index, api_error error);
  void stop_asking();
  bool has_judged(guardrail_mode mode) const;

  means by_;
  std::shared_ptr<const config> settings_;  // the guardrails are of it
  std::string request_id_;
  proxy::memory_share memory_;
  std::optional<judged_text> text_;
  std::vector<call> calls_;
  std::size_t next_mask_ = 0;  // of which call masks are taken next
  bool is_asked_again_ = false;  // that one has seen the masks before its own
  std::optional<std::size_t> unapplied_;
  std::size_t running_ = 0;
  bool is_cancelled_ = false;
  std::optional<proxy::instant> judged_at_;
  std::optional<api_error> refusal_;
  std::size_t refused_by_ = 0;
  std::function<void()> tell_;
  proxy::signal changed_;
};

}  // namespace photofinish::gateway
