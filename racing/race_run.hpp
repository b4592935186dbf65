// Runs one race: opens attempts, reads each attempt up to its first token, and executes the commands of the rules
// (race.hpp). It also stores the bytes that the same read returned after the first token, because all attempts share
// the read buffer. This class makes no decisions. Events that occur while a command is executed wait in an inbox, so
// that race::on is never called recursively. The class is single-threaded. It must outlive its attempts: await ended()
// before destroying it.
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

  // A function that returns how many bytes of events an attempt may buffer before its first token. If there are more
  // bytes, the attempt fails. The function is called when an attempt starts. It is never called after the race is
  // decided.
  using held_limit = decltype(race_callbacks::max_held);

  // `alarms` and `executor` must outlive this object.
  race_run(race_plan plan, upstream_factory make_upstream, proxy::alarms& alarms,
           const boost::asio::any_io_executor& executor, held_limit max_held, proxy::memory_share memory = {});
  race_run(race_plan, upstream_factory, proxy::alarms&, boost::asio::any_io_executor&&, held_limit,
           proxy::memory_share = {}) = delete;
  ~race_run();

  // Sets the function that decides whether a hedge may start. Its parameter is the index of the hedge's target in the
  // plan. It is called when the hedge is due, and again after each refusal. It is used with the policy adaptive. If it
  // is not set before decide(), no hedge starts.
  void ask_before_hedges(decltype(race_callbacks::may_spend) may_spend) { callbacks_.may_spend = std::move(may_spend); }

  // Sets the function that chooses which attempt to hold back among those that have sent their first token, and for how
  // long. It is used with `win_on: finish`. If it is not set before decide(), the first token wins.
  void ask_whom_to_hold(decltype(race_callbacks::choose_held) choose) { callbacks_.choose_held = std::move(choose); }

  // Sets the function that decides whether a loser may continue as the runner-up. It is used with `keep_runner_up`, and
  // is called once, when the race is decided. If it is not set before decide(), no loser continues.
  void ask_before_keeping(decltype(race_callbacks::may_keep) may_keep) { callbacks_.may_keep = std::move(may_keep); }

  // Sets the function that observes the events of each attempt. It is called when an attempt starts, has its first
  // token, fails (report() contains the reason), is cancelled, or ends without a token. The call happens in the same
  // turn of the event loop as the event. Set the function before decide(). The function must not use this object.
  void watch_steps(decltype(race_callbacks::watch) watch) { callbacks_.watch = std::move(watch); }

  // Runs the race, and returns as soon as the race is decided. The caller resumes before the losers are closed, so that
  // it can write the winner's first bytes first. Losers that are not observed are closed in the same turn of the event
  // loop. If an error aborted the race, throws it.
  boost::asio::awaitable<void> decide();

  // Call this function if the client has left. It immediately cancels all attempts except a winner, and decide()
  // returns. The function does not throw.
  void leave();

  // Call this function when the client has received its answer. Losers that continue to their first tokens may do so
  // for the time `grace`. If there are no such losers, the function does nothing.
  void request_over(std::chrono::nanoseconds grace) { deliver(request_ended{grace}); }
  bool is_observing() const { return report_.winner && !race_.is_over(); }

  // True as long as the runner-up may still replace the winner. This ends after a limited time, or when the client has
  // received the first byte of the answer.
  bool is_keeping() const { return kept_ && race_.keeps_runner_up(); }
  bool has_ready_runner_up() const { return race_.has_ready_runner_up(); }
  // True if the read that contained the attempt's token also ended in a failure.
  bool is_broken(std::size_t attempt) const { return attempts_[attempt].broken.has_value(); }
  // Call this function when a byte of the answer has been sent to the client.
  void answer_began() {
    if (is_keeping()) deliver(answer_begun{});
  }
  // Call this function after the winner has failed and was closed. The runner-up then replaces the winner. Returns when
  // the runner-up has won or the race is lost. References to data of the old winner's upstream are then invalid.
  boost::asio::awaitable<void> go_on_without_winner(proxy::failure why);

  // Waits until all attempts' coroutines have ended.
  boost::asio::awaitable<void> ended();
  // These functions do the same as ended(), but step by step: while has_children() is true, await child_end(). A step
  // only waits for a signal, so it cannot fail for lack of memory. Use these functions for cleanup that must succeed
  // before this object is destroyed.
  bool has_children() const { return children_ > 0 || is_pumping_; }
  auto child_end() { return ended_.wait(); }

  // Returns the report, which is valid after the race is decided. The facts about the attempts are complete after
  // ended().
  const race_report& report() const { return report_; }
  // Returns a copy of the report, with the current summaries of all attempts.
  race_report report_until_now() const;
  // Returns the whole report, with the winner's current summary. Call this function once, after ended().
  race_report take_report();
  // Returns the winner's upstream. Call this function after the decision. The upstream returns the events that follow
  // held_events().
  proxy::upstream& winner();
  std::vector<proxy::kept_event>& held_events();
  // Returns the memory share of the stored events (held_events()). The share then belongs to the new owner of these
  // events.
  proxy::memory_share take_memory();
  // If the read with the first token also returned a failure, returns this failure. The attempt then has no events
  // after those of held_events().
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
    bool is_awaited = false;  // true while the attempt is held back and the race waits for the attempt's next read
    // True if the attempt has won, and the race has passed the attempt's stream to a new reader.
    bool is_handed_on = false;

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
  const boost::asio::any_io_executor& executor_;  // a reference saves memory, because a race_run object lives as long
                                                  // as its stream
  race_callbacks callbacks_;
  std::optional<std::size_t> kept_;  // index of the runner-up, if one was kept

  std::vector<race_event> inbox_;  // events that wait to be processed, usually one or two
  bool is_pumping_ = false;
  std::exception_ptr bug_;  // the error that aborted the race; no commands are executed after it
  std::vector<running_attempt> attempts_;
  buffer_memory memory_;  // memory of the events that all attempts have buffered
  std::size_t children_ = 0;
  race_report report_;
  instant obeying_at_;
  proxy::alarm wake_up_;
  proxy::signal decided_;
  proxy::signal ended_;
  proxy::signal handed_on_;  // this signal is woken when the race no longer waits for the winner's next read
};

}  // namespace photofinish::racing
