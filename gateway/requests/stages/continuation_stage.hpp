// `on_break: continue`: if a winner breaks off an answer of plain text, another target continues it. The continuation
// is a race of its own, one target after the other, whose winner's words join those that the client has.
// Why and how: docs/decisions/0062.
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
  // All outlive it.
  continuation_stage(request_context& context, cache_stage& cache, client_reply& reply)
      : context_(context), cache_(cache), reply_(reply) {}

  // The race has a winner: keeps its text and the plan if its answer may be continued. Call it before the plan goes.
  void prepare(racing::race_run& run, request_plan& plan);
  bool may_continue(const relayed& result) const;
  // Continues the answer until it is whole, or no target is left. `plan` is the race's if that still keeps it, or null.
  // `result` stays as it is if no target speaks.
  boost::asio::awaitable<void> run(racing::race_run& broken, std::shared_ptr<request_plan> plan, client_answer& to,
                                   relayed& result);
  // No other target may answer any more.
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
  text_observer* text_ = nullptr;       // one of the observers; null: no answer may be continued
  std::shared_ptr<request_plan> plan_;  // with the text, once the race is decided: the request that may be continued
};

}  // namespace photofinish::gateway
