// The driver of one race: opens attempts, reads each up to its first token (and has the rest of that read kept, for the
// buffer is shared), obeys the rules (race.hpp).
// It decides nothing. Whatever happens while it obeys lands in its inbox, so race::on is never re-entered.
// Single-threaded; must outlive its attempts: await ended() before destroying it.
#pragma once

#include "proxy/loop/alarms.hpp"
#include "proxy/loop/signal.hpp"
#include "proxy/memory/memory_share.hpp"
#include "proxy/upstream.hpp"
#include "racing/event_buffer.hpp"
#include "racing/race.hpp"
#include "racing/race_callbacks.hpp"
#include "racing/race_plan.hpp"
#include "racing/race_report.hpp"

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::racing {

class race_run {
 public:
  using upstream_factory = decltype(race_callbacks::make_upstream);

  // Bounds the memory, in bytes, that the events of one attempt take before it may win; above it the attempt fails.
  // Called, like the factory, when an attempt starts: never after the race is decided.
  using held_limit = decltype(race_callbacks::max_held);

  // `alarms` and `executor` outlive the run.
  race_run(race_plan plan, upstream_factory make_upstream, proxy::alarms& alarms,
           const boost::asio::any_io_executor& executor, held_limit max_held, proxy::memory_share memory = {});
  race_run(race_plan, upstream_factory, proxy::alarms&, boost::asio::any_io_executor&&, held_limit,
           proxy::memory_share = {}) = delete;
  ~race_run();

  // Whether the hedge with that index in the plan may start: asked when it is due, and again while it may not. Before
  // decide(), for the policy adaptive; without it no hedge starts.
  void ask_before_hedges(decltype(race_callbacks::may_spend) may_spend) { callbacks_.may_spend = std::move(may_spend); }

  // With `win_on: finish`: which of those that have spoken the race goes on with, and how long it is held for a silent
  // one. Before decide(); without it the first token wins.
  void ask_whom_to_hold(decltype(race_callbacks::choose_held) choose) { callbacks_.choose_held = std::move(choose); }

  // With `keep_runner_up`: whether that loser may run on, to answer where the winner fails. Asked once, when the race
  // is decided. Before decide(); without it none does.
  void ask_before_keeping(decltype(race_callbacks::may_keep) may_keep) { callbacks_.may_keep = std::move(may_keep); }

  // Called at the steps of each attempt, in the turn they happen in: it began, spoke, failed (report() says why), was
  // cut, or ended without a token. Set before decide(). It must not touch the run.
  void watch_steps(decltype(race_callbacks::watch) watch) { callbacks_.watch = std::move(watch); }

  // Runs the race; returns as soon as it is decided. The caller is resumed before the losers are closed, so
  // that the winner's first bytes are written first; the losers follow in the same turn of the loop, unless they
  // are observed. Throws what broke the race off.
  boost::asio::awaitable<void> decide();

  // The client has left: cancels every attempt at once, but for a winner; decide() returns. It does not throw.
  void leave();

  // The client has its answer: observed losers have so long at most. Without effect when there is none.
  void request_over(std::chrono::nanoseconds grace) { deliver(request_ended{grace}); }
  bool is_observing() const { return report_.winner && !race_.is_over(); }

  // A loser runs on, and may answer in the winner's place; it has spoken. Until its time is over, or the answer has
  // begun.
  bool is_keeping() const { return kept_ && race_.keeps_runner_up(); }
  bool has_ready_runner_up() const { return race_.has_ready_runner_up(); }
  // What it read with its token brought a failure, too.
  bool is_broken(std::size_t attempt) const { return attempts_[attempt].broken.has_value(); }
  // A byte of the answer is on its way to the client.
  void answer_began() {
    if (is_keeping()) deliver(answer_begun{});
  }
  // The winner failed, and is closed; the one that is kept goes on in its place. Returns when that has won, or the race
  // is lost. What was lent of the winner is gone then.
  boost::asio::awaitable<void> go_on_without_winner(proxy::failure why);

  // Waits until no attempt's coroutine is left.
  boost::asio::awaitable<void> ended();
  // The same in steps: while has_children(), await child_end(). It awaits a signal alone, and so cannot fail for want
  // of memory: what must end before this goes is waited for in this way.
  bool has_children() const { return children_ > 0 || is_pumping_; }
  auto child_end() { return ended_.wait(); }

  // Valid once decided; attempts' figures are complete once ended.
  const race_report& report() const { return report_; }
  // A copy, with what the streams of all attempts have shown until now.
  race_report report_until_now() const;
  // Behind ended(), once: all of it, with what the winner's stream has shown until now.
  race_report take_report();
  // The winner's, once decided; the caller goes on with it where held_events() end.
  proxy::upstream& winner();
  std::vector<proxy::kept_event>& held_events();
  // What was counted for them, which goes on with them to the answer that they become.
  proxy::memory_share take_memory();
  // The read that brought its token also brought its end as a failure: nothing follows the held events.
  const proxy::maybe_failure& held_failure() const;

 private:
  struct outlook {
    bool has_token = false;
    bool has_ended = false;
  };
  struct running_attempt {
    std::unique_ptr<proxy::upstream> upstream;
    event_buffer held;
    proxy::maybe_failure broken;
    bool is_whole = false;  // the rules know that it comes in one piece
    bool is_awaited = false;  // held: the race waits for what it reads next
    bool is_handed_on = false;  // it has won: what it reads next is its new reader's

    outlook hold_read(std::optional<proxy::result<proxy::stream_event>> next, std::size_t max_held, win_on wins,
                      buffer_memory& memory);
  };

  boost::asio::awaitable<void> run(std::size_t index, std::size_t max_held);
  boost::asio::awaitable<void> hold_on(std::size_t index, std::size_t max_held);
  bool is_held(std::size_t index) const;
  void fail(std::size_t index, proxy::failure why);

  void strike();
  void notice_whole();
  void deliver(race_event event);
  void pump();
  void obey(const race_command& command);
  void start(const start_attempt& command);
  void cancel(const cancel_attempt& command);
  void name(const name_winner& command);
  bool is_decided() const { return report_.winner || report_.defeated || bug_; }
  void break_off(std::exception_ptr bug);
  void attempt_ended(const std::exception_ptr& error, std::size_t index);

  race race_;
  win_on wins_;
  proxy::alarms& alarms_;
  const boost::asio::any_io_executor& executor_;  // by reference: an open stream keeps its run
  race_callbacks callbacks_;
  std::optional<std::size_t> kept_;  // it may run on

  std::vector<race_event> inbox_;  // one or two at a time
  bool is_pumping_ = false;
  std::exception_ptr bug_;  // it broke the race off: no rule is obeyed any more
  std::vector<running_attempt> attempts_;
  buffer_memory memory_;  // for the events that attempts hold
  std::size_t children_ = 0;
  race_report report_;
  instant obeying_at_;
  proxy::alarm wake_up_;
  proxy::signal decided_;
  proxy::signal ended_;
  proxy::signal handed_on_;  // the winner's wait is over
};

}  // namespace photofinish::racing
