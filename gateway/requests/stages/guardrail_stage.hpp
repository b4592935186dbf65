// Asks the guardrails of a route about a request. The gateway sends no byte of an answer before all of them have
// answered. Guardrails with mode `before` delay the race, and may mask text in the request. Guardrails with mode
// `parallel` check the request while its race runs. This object belongs to request_flow, which may destroy it only when
// is_out() returns false.
#pragma once

#include "gateway/guardrails/guardrail_check.hpp"
#include "gateway/requests/stages/body_stage.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <utility>

namespace photofinish::gateway {

class guardrail_stage {
 public:
  explicit guardrail_stage(request_context& context) : context_(context) {}

  // Finds the guardrails of the request's route.
  void find();
  // Returns true if a guardrail checks the request and has not given its verdict yet.
  bool is_on() const { return judging_ != nullptr; }

  // Asks all guardrails, and waits for the verdicts of guardrails with mode `before`. `is_stored` is true if the
  // request will get a stored answer. In that case no provider gets the request, so its text is not masked.
  boost::asio::awaitable<stage_result> check(const request_plan& plan, body_stage& body, bool is_stored);

  // The stage calls `end_race` once if a guardrail refuses the request while the race runs.
  void on_refusal(std::function<void()> end_race) {
    if (judging_) judging_->on_refusal(std::move(end_race));
  }
  // Waits for the verdicts that have not arrived yet.
  boost::asio::awaitable<stage_result> pass();

  // Call cancel() when the verdicts are no longer needed. cancel() may be called several times.
  void cancel() {
    if (judging_) judging_->cancel();
  }
  // Returns true while a call to a guardrail is running. To wait for the end of the call, use change(), which works
  // even if memory is short.
  bool is_out() const { return judging_ && judging_->is_out(); }
  auto change() { return judging_->change(); }

 private:
  boost::asio::awaitable<stage_result> mask(body_stage& body);
  void note_verdict(std::chrono::nanoseconds held_before);

  request_context& context_;
  // The running check; null if no guardrail judges the request, or if all have given their verdicts.
  std::unique_ptr<guardrail_check> judging_;
};

}  // namespace photofinish::gateway
