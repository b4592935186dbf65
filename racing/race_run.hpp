// The driver of one race. It opens attempts, reads each attempt up to its first token, and carries out the commands of
// the rules (race.hpp). It also stores the rest of the read that contained the token, because several attempts share
// the read buffer. It makes no decision itself. Events that happen while it carries out a command go to its inbox, so
// race::on never calls itself. The driver is single-threaded. It must outlive its attempts: await ended() before
// destroying it.
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

  // A function that returns how many bytes the events of one attempt may take before the attempt may win. With more
  // bytes the attempt fails. The function is called when an attempt starts, and never after the race is decided.
  using held_limit = decltype(race_callbacks::max_held);

  // The objects `alarms` and `executor` must outlive the run.
  race_run(race_plan plan, upstream_factory make_upstream, proxy::alarms& alarms,
           const boost::asio::any_io_executor& executor, held_limit max_held, proxy::memory_share memory = {});
  race_run(race_plan, upstream_factory, proxy::alarms&, boost::asio::any_io_executor&&, held_limit,
           proxy::memory_share = {}) = delete;
  ~race_run();

  // Sets the function that decides whether a hedge may start. Its parameter is the index of the hedge's target in the
  // plan. It is called when the hedge is due, and again after each refusal. Set it before decide(), for the policy
  // adaptive; without it no hedge starts.
  void ask_before_hedges(decltype(race_callbacks::may_spend) may_spend) { callbacks_.may_spend = std::move(may_spend); }

  // Sets the function that chooses the best of the attempts that have sent their first token, and how long to hold it
  // for a silent attempt. It is used with `win_on: finish`. Set it before decide(); without it the first token wins.
  void ask_whom_to_hold(decltype(race_callbacks::choose_held) choose) { callbacks_.choose_held = std::move(choose); }

  // Sets the function that decides whether a loser may continue, to answer if the winner fails. It is used with
  // `keep_runner_up`, and called once, when the race is decided. Set it before decide(); without it no loser continues.
  void ask_before_keeping(decltype(race_callbacks::may_keep) may_keep) { callbacks_.may_keep = std::move(may_keep); }

  // Sets the function that observes each attempt's steps, in the turn of the event loop in which they happen. The
  // steps: it began, had its first token, failed (report() has the reason), was cut, or ended without a token. Set the
  // function before decide(). The function must not use the run.
  void watch_steps(decltype(race_callbacks::watch) watch) { callbacks_.watch = std::move(watch); }

  // Runs the race, and returns as soon as it is decided. The caller is resumed before the losers are closed, so that
  // the winner's first bytes are written first. Losers that are not observed are closed in the same turn of the event
  // loop. Throws the error that aborted the race.
  boost::asio::awaitable<void> decide();

  // Call this function if the client has left. It cancels every attempt except a winner immediately, and decide()
  // returns. The function does not throw.
  void leave();

  // Call this function when the client has its answer. Observed losers may then run for the time `grace`. The function
  // does nothing if no loser is observed.
  void request_over(std::chrono::nanoseconds grace) { deliver(request_ended{grace}); }
  bool is_observing() const { return report_.winner && !race_.is_over(); }

  // True while a loser that has sent its first token may still replace the winner: until the loser's time is over, or
  // the answer has begun.
  bool is_keeping() const { return kept_ && race_.keeps_runner_up(); }
  bool has_ready_runner_up() const { return race_.has_ready_runner_up(); }
  // True if the read with the attempt's token also ended in a failure.
  bool is_broken(std::size_t attempt) const { return attempts_[attempt].broken.has_value(); }
  // Call this function when a byte of the answer was sent to the client.
  void answer_began() {
    if (is_keeping()) deliver(answer_begun{});
  }
  // Call this function after the winner failed and was closed, so that the kept runner-up replaces the winner. Returns
  // when the runner-up has won, or the race is lost. References that the winner's upstream returned are then invalid.
  boost::asio::awaitable<void> go_on_without_winner(proxy::failure why);

  // Waits until no attempt's coroutine is left.
  boost::asio::awaitable<void> ended();
  // The next two functions wait as ended() does, but in steps: while has_children(), await child_end(). A step awaits
  // only a signal, so it cannot fail because of missing memory. Use these functions for work that must end before this
  // object is destroyed.
  bool has_children() const { return children_ > 0 || is_pumping_; }
  auto child_end() { return ended_.wait(); }

  // Returns the report, which is valid once the race is decided. The figures of attempts are complete after ended().
  const race_report& report() const { return report_; }
  // Returns a copy with the current figures of all attempts' streams.
  race_report report_until_now() const;
  // Returns the whole report, with the current figures of the winner's stream. Call this function once, after ended().
  race_report take_report();
  // Returns the winner's upstream after the decision. This upstream returns the events that follow the events of
  // held_events().
  proxy::upstream& winner();
  std::vector<proxy::kept_event>& held_events();
  // Passes on the memory share of the held events, which belongs to the same answer as the events.
  proxy::memory_share take_memory();
  // The failure that the read with the first token also returned, if any. No event follows the held events then.
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
    bool is_whole = false;  // true if the rules know that the answer arrives in one piece
    bool is_awaited = false;  // true if the attempt is held and the race waits for its next read
    bool is_handed_on = false;  // true if the attempt has won, so its next read belongs to the new reader

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
  const boost::asio::any_io_executor& executor_;  // a reference, because an open stream keeps its race_run object
  race_callbacks callbacks_;
  std::optional<std::size_t> kept_;  // index of the runner-up, which may continue

  std::vector<race_event> inbox_;  // events that wait to be processed, usually one or two
  bool is_pumping_ = false;
  std::exception_ptr bug_;  // the error that aborted the race; afterwards no command is carried out
  std::vector<running_attempt> attempts_;
  buffer_memory memory_;  // memory of the events that the attempts buffer
  std::size_t children_ = 0;
  race_report report_;
  instant obeying_at_;
  proxy::alarm wake_up_;
  proxy::signal decided_;
  proxy::signal ended_;
  proxy::signal handed_on_;  // woken when the wait for the winner's read is over
};

}  // namespace photofinish::racing
