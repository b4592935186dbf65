// Asks the guardrails of a route: no byte of an answer is written before their verdicts. Those of mode `before` also
// hold the race, and may mask the request; those of mode `parallel` judge while it runs.
// The flow owns the stage, and awaits is_out() to be false before the stage goes.
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

  // Finds the guardrails that judge the request's route.
  void find();
  // True until the last verdict has come, if a guardrail judges the request.
  bool is_on() const { return judging_ != nullptr; }

  // Asks all guardrails, and waits for those of mode `before`. `is_stored`: the answer is there already, so that the
  // request is sent to no provider and no mask is applied.
  boost::asio::awaitable<stage_result> check(const request_plan& plan, body_stage& body, bool is_stored);

  // Called once, if a guardrail refuses while the race runs.
  void on_refusal(std::function<void()> end_race) {
    if (judging_) judging_->on_refusal(std::move(end_race));
  }
  // Waits for the verdicts that are missing.
  boost::asio::awaitable<stage_result> pass();

  // No verdict is of use any more. It may be called again.
  void cancel() {
    if (judging_) judging_->cancel();
  }
  // A call of a guardrail runs. change() awaits a signal alone, and so cannot fail because memory is short.
  bool is_out() const { return judging_ && judging_->is_out(); }
  auto change() { return judging_->change(); }

 private:
  boost::asio::awaitable<stage_result> mask(body_stage& body);
  void note_verdict(std::chrono::nanoseconds held_before);

  request_context& context_;
  std::unique_ptr<guardrail_check> judging_;  // null: no guardrail judges the request, or all have
};

}  // namespace photofinish::gateway
