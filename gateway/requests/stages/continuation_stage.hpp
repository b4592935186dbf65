// Implements the setting `on_break: continue`. If a winner breaks off an answer of plain text, another target continues
// the answer. The continuation is a separate race, which tries one target after another. The gateway appends the text
// of the continuation's winner to the text that the client already has. docs/decisions/0062 explains why and how.
#pragma once

#include "gateway/requests/stages/cache_stage.hpp"
#include "racing/race_run.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace photofinish::gateway {

struct continued_text;

class continuation_stage {
 public:
  // The arguments of the constructor must outlive the stage.
  continuation_stage(request_context& context, cache_stage& cache, client_reply& reply)
      : context_(context), cache_(cache), reply_(reply) {}

  // Call prepare() when the race has a winner, before the plan is freed. If another target may continue the answer,
  // this function keeps the request's plan and collects the winner's text.
  void prepare(racing::race_run& run, request_plan& plan);
  bool may_continue(const relayed& result) const;
  // Continues the answer until it is complete or no target is left. `plan` is the race's plan, or null if the race has
  // already freed it. `result` stays unchanged if no target sends text.
  boost::asio::awaitable<void> run(racing::race_run& broken, std::shared_ptr<request_plan> plan, client_answer& to,
                                   relayed& result);
  // Call drop_plan() when the request certainly needs no other target.
  void drop_plan() { plan_.reset(); }

 private:
  class text_observer;

  std::shared_ptr<request_plan> next_plan(const racing::race_run& broken, std::size_t started,
                                          continued_text& before);
  std::vector<target_name> targets_that_spoke(const racing::race_run& broken) const;
  std::unique_ptr<race_account> new_record(const request_plan& plan) const;
  boost::asio::awaitable<void> race(request_plan& plan, race_account& record, continued_text& before,
                                    client_answer& to, relayed& result);
  boost::asio::awaitable<void> relay(racing::race_run& run, race_account& record, continued_text& before,
                                     client_answer& to, relayed& result);

  request_context& context_;
  cache_stage& cache_;
  client_reply& reply_;
  // Collects the text of the winner's answer. The list of observers owns this object. Null if the answer cannot be
  // continued.
  text_observer* text_ = nullptr;
  // The plan of the request whose answer may be continued. Null if `text_` is null.
  std::shared_ptr<request_plan> plan_;
};

}  // namespace photofinish::gateway
