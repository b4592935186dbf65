// Carries out the plan of a run: starts requests when they are due, respects limits and spending caps, and collects the
// records. Only the thread of the event loop uses this object.
#pragma once

#include "gateway/bench/level_report.hpp"
#include "gateway/bench/load/one_request.hpp"
#include "gateway/bench/plan.hpp"
#include "gateway/bench/spend_guard.hpp"
#include "proxy/loop/wakeup.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <list>
#include <optional>
#include <utility>
#include <vector>

namespace photofinish::gateway::bench {

struct level_result {
  load_level level;
  level_end end = level_end::complete;
  // The records of all requests, including warm-ups, in the order in which the requests ended.
  std::vector<request_record> records;
};

// The current state of a run, for the display of its progress.
struct run_progress {
  const load_level* level = nullptr;  // the current level; null before the first level and after the last level
  run_phase phase = run_phase::warmup;
  std::size_t ended = 0;
  std::size_t failed = 0;
  std::size_t running = 0;
  // The number of requests of the level; none if the level runs until its duration is over.
  std::optional<std::size_t> wanted;
  proxy::instant begun_at;
};

class load_driver {
 public:
  // `plan` and `spent` must outlive this object. `spent` is the spending of all drivers of the run; null if this driver
  // is the only one.
  load_driver(boost::asio::io_context& loop, proxy::outbound& over, const bench_plan& plan, request_context how,
              run_spending* spent = nullptr);
  load_driver(const load_driver&) = delete;
  load_driver& operator=(const load_driver&) = delete;

  // Sends one request that belongs to no level, to find out if the endpoint answers.
  boost::asio::awaitable<request_record> probe();

  // Runs one level after another until all levels are done, a spending cap is reached, or stop() is called. Calls
  // `on_begin` before the first request of each level, and `on_level` after its last request.
  boost::asio::awaitable<void> run(std::function<void(const load_level&)> on_begin,
                                   std::function<void(level_result)> on_level);

  // Sends the requests of one turn of a comparison: requests to one endpoint, with prompts of `input_tokens` tokens.
  // Adds their records to `level`.
  boost::asio::awaitable<void> turn(level_result& level, std::size_t input_tokens);
  // Sends the requests of the level as warm-up requests, with generated prompts.
  boost::asio::awaitable<void> warm_up(level_result& level);

  // Starts no more requests, and cancels the running requests. stop() may be called several times.
  void stop() noexcept;

  const run_progress& progress() const { return progress_; }
  const spend_guard& spending() const { return spending_; }

 private:
  struct child {
    child(load_driver& home, request_text text, request_record record, const token_amount& at_worst, std::size_t bytes)
        : request(home.over_, home.how_, std::move(text), std::move(record)), worst(at_worst), prompt_bytes(bytes) {}

    one_request request;
    token_amount worst;
    std::size_t prompt_bytes;
  };
  struct phase_limits {
    run_phase phase;
    std::optional<std::size_t> wanted;
    std::optional<proxy::instant> until;
  };
  struct next_request {
    request_text text;
    std::size_t prompt_bytes = 0;
    std::size_t max_tokens = 0;
  };

  boost::asio::awaitable<void> run_phase_of(level_result& level, const phase_limits& limits);
  next_request write_next(run_phase phase) const;
  std::chrono::nanoseconds traced(const load_level& level) const;
  bool has_all(const phase_limits& limits, level_result& level);
  bool start_one(level_result& level, const phase_limits& limits, proxy::instant due_at);
  void ended(level_result& level, std::list<child>::iterator which, std::exception_ptr bug);
  std::optional<token_amount> billed(const request_record& record) const;

  boost::asio::io_context& loop_;
  proxy::outbound& over_;
  const bench_plan& plan_;
  const request_context how_;
  std::size_t input_tokens_;  // the approximate size of the prompts, in tokens
  spend_guard spending_;
  proxy::wakeup changed_;
  proxy::alarm due_;
  std::list<child> running_;
  std::size_t started_ = 0;       // the number of requests started so far in the current phase: warm-up or measurement
  std::uint64_t next_number_ = 0;  // the number of the next request; the first request of the run has the number 0
  std::optional<prompt_deck> deck_;  // the user's own prompts; none if prompts are generated
  std::size_t next_prompt_ = 0;
  run_progress progress_;
  bool is_stopped_ = false;
  std::exception_ptr bug_;  // an exception in a request, which is thrown again after all requests have ended
};

}  // namespace photofinish::gateway::bench
