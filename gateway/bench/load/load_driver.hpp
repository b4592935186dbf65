// Carries a plan out: starts requests when they are due, keeps within limits and caps, collects the records.
// One thread; everything belongs to the loop of `over`.
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
  std::vector<request_record> records;  // warm-ups too, in the order in which they ended
};

// Where a run is, for who watches.
struct run_progress {
  const load_level* level = nullptr;  // null before the first and after the last
  run_phase phase = run_phase::warmup;
  std::size_t ended = 0;
  std::size_t failed = 0;
  std::size_t running = 0;
  std::optional<std::size_t> wanted;  // requests; none: until the duration is over
  proxy::instant begun_at;
};

class load_driver {
 public:
  // `plan` outlives it, and `spent` too: what other drivers of the same run spend as well; null: there are none.
  load_driver(boost::asio::io_context& loop, proxy::outbound& over, const bench_plan& plan, request_context how,
              run_spending* spent = nullptr);
  load_driver(const load_driver&) = delete;
  load_driver& operator=(const load_driver&) = delete;

  // One request on its own, outside of every level: whether the endpoint answers at all.
  boost::asio::awaitable<request_record> probe();

  // Level by level, until all are done, a cap is reached, or stop(). `on_begin` is called before each level's first
  // request, `on_level` after its last one.
  boost::asio::awaitable<void> run(std::function<void(const load_level&)> on_begin,
                                   std::function<void(level_result)> on_level);

  // A turn of a comparison: the level's requests with prompts of `input_tokens`, added to its records.
  boost::asio::awaitable<void> turn(level_result& level, std::size_t input_tokens);
  // The level's requests as warm-ups, with prompts that the bench makes.
  boost::asio::awaitable<void> warm_up(level_result& level);

  // Starts nothing more and cancels what runs. Idempotent.
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
  std::size_t input_tokens_;  // of the prompts, about
  spend_guard spending_;
  proxy::wakeup changed_;
  proxy::alarm due_;
  std::list<child> running_;
  std::size_t started_ = 0;       // in this phase
  std::uint64_t next_number_ = 0;  // of all requests of the run
  std::optional<prompt_deck> deck_;  // of the user's own prompts
  std::size_t next_prompt_ = 0;
  run_progress progress_;
  bool is_stopped_ = false;
  std::exception_ptr bug_;  // a request's: thrown on once all have ended
};

}  // namespace photofinish::gateway::bench
