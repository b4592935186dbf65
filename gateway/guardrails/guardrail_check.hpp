// The guardrails of one request. All guardrails are called at the same time. If two guardrails mask the same text, one
// of them is called a second time. Runs on one worker's thread. The owner must await change() until is_out() is false,
// and may then destroy this object.
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

  // Returns null if the configuration has no guardrails for the given route. All objects to which `by` refers must
  // outlive the check. `memory` is an empty reservation that belongs to the request.
  static std::unique_ptr<guardrail_check> of(means by, std::shared_ptr<const config> settings, std::string_view route,
                                             std::string request_id, proxy::memory_share memory);
  ~guardrail_check();

  // Calls all guardrails to judge `text`. `json` is the result of text.request_json(). Returns false if there is no
  // memory.
  bool begin(judged_text text, const std::string& json);

  // Waits until all guardrails with the given mode have returned verdicts, one guardrail has refused the request, or
  // the check was cancelled. Only one coroutine may wait at a time.
  boost::asio::awaitable<void> until(guardrail_mode mode);
  bool is_out() const { return running_ > 0; }
  const std::optional<api_error>& refusal() const { return refusal_; }
  // Sets a function that is called once if a guardrail refuses the running request.
  void on_refusal(std::function<void()> tell) { tell_ = std::move(tell); }

  bool has_masks() const;
  // Applies the masks in the order of the guardrails. Call this after all guardrails with `mode: before` have returned
  // verdicts. The duration is proportional to the size of the text, so the function may run on another thread. If two
  // guardrails mask the same text, the mask of the second guardrail is not applied, and the function returns the index
  // of this guardrail. The caller must then pass the index to ask_again(), and call this function again.
  std::optional<std::size_t> take_masks();
  boost::asio::awaitable<void> ask_again(std::size_t index);
  void end_masks();  // refuses the request if a mask could not be applied
  // Returns the body after the masks were applied. Returns nothing if the body is unchanged. May run on another thread.
  std::optional<std::string> masked_body() const;
  // Frees the data of the request's body.
  void drop_text() { text_.reset(); }

  // Cancels all calls because the client has left. May be called several times.
  void cancel();
  bool is_cancelled() const { return is_cancelled_; }
  // Waits until the state changes. As long as is_out() is true, the owner must await this function, and may not destroy
  // the check. The function allocates no memory, so it cannot fail.
  auto change() { return changed_.wait(); }

  guardrail_note note() const;
  // Returns the time of the latest verdict, or nothing if there is no verdict yet.
  std::optional<proxy::instant> judged_at() const { return judged_at_; }

 private:
  struct call {
    const guardrail_settings* by;
    proxy::fetch* asking = nullptr;  // the call that is running now; null if there is none
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
  std::shared_ptr<const config> settings_;  // the configuration; it owns the settings of the guardrails
  std::string request_id_;
  proxy::memory_share memory_;
  std::optional<judged_text> text_;
  std::vector<call> calls_;
  std::size_t next_mask_ = 0;    // the index of the guardrail whose mask is applied next
  bool is_asked_again_ = false;  // true if the guardrail already got the text with the masks of earlier guardrails
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
