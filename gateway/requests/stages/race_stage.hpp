// Races the targets of a plan, and sends the winner's answer. If the winner fails before the client has received any
// byte of its answer, sends the runner-up's answer.
#pragma once

#include "gateway/requests/stages/continuation_stage.hpp"
#include "gateway/requests/stages/delivery_stage.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <optional>

namespace photofinish::gateway {

class race_stage {
 public:
  // The other stages that a race uses. They must outlive the race.
  struct neighbours {
    guardrail_stage& guardrails;
    cache_stage& cache;
    delivery_stage& delivery;
    continuation_stage& continuation;
    client_reply& reply;
  };

  // The arguments of the constructor must outlive the stage. The stage frees `plan` as soon as the request needs no
  // other target, because an answer may take minutes.
  race_stage(request_context& context, std::shared_ptr<request_plan>& plan, neighbours others)
      : context_(context), plan_(plan), others_(others) {}
  virtual ~race_stage() = default;
  race_stage(const race_stage&) = delete;
  race_stage& operator=(const race_stage&) = delete;

  boost::asio::awaitable<after_response> run(load_place place);

 protected:
  // Makes an attempt at a target of the plan. Tests override this function.
  virtual std::unique_ptr<proxy::upstream> new_attempt(std::size_t index);

 private:
  void let_client_leave(racing::race_run& run);
  void watch(racing::race_run& run);
  bool may_keep(const racing::race_run& run, const racing::ask_to_keep& asked) const;
  boost::asio::awaitable<after_response> decide(racing::race_run& run, client_answer& to);
  boost::asio::awaitable<std::optional<after_response>> end_unless_passed(racing::race_run& run, client_answer& to);
  boost::asio::awaitable<after_response> answer(racing::race_run& run, client_answer& to);
  void follow_winner(racing::race_run& run);
  bool may_be_replaced(const racing::race_run& run, const client_answer& to, const relayed& result) const;
  void forget_winner(racing::race_run& run);
  boost::asio::awaitable<after_response> end(racing::race_run& run, client_answer& to, relayed result);
  void release_losers(racing::race_run& run, after_response then);

  request_context& context_;
  std::shared_ptr<request_plan>& plan_;
  const neighbours others_;
};

}  // namespace photofinish::gateway
