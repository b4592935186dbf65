// The facts about one finished request, as plain values. The thread that served the request reports them once, to its
// own set of metrics (shard). Members that do not apply to a request are empty and are not counted. [pure]
#pragma once

#include "metrics/outcomes.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

namespace photofinish::metrics {

struct client_series;
struct route_series;
struct target_series;

using seconds = std::chrono::duration<double>;

// The tokens and time from which an answer's speed is computed. The time runs from the first token to the last, and the
// tokens of the first chunk are not counted.
struct decode_sample {
  std::uint64_t tokens = 0;
  seconds duration{};  // above zero
};

// How an attempt used its provider's prompt cache.
struct prompt_cache_observation {
  by<prompt_part, std::uint64_t> tokens{};    // a winner's input tokens, by kind of cache use
  std::optional<expected_prefix> expected{};  // set for winners of races that prefer cached prompts
  found_prefix found = found_prefix::unknown;
  bool is_prefill_finished = false;  // true for a loser that continued until its target had read the whole prompt
};

// The estimated tokens of an attempt that did not win.
struct lost_token_count {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  billing billed = billing::unknown;
};

// The cost of an attempt whose price is known.
struct cost {
  double usd = 0;
  cost_kind kind = cost_kind::winner;
};

struct unpriced {};  // the attempt costs money, but the amount is unknown

struct attempt_observation {
  target_series& target;
  attempt_outcome outcome = attempt_outcome::failed;
  attempt_reason reason = attempt_reason::none;

  std::optional<connection_kind> connection{};  // the attempt's connection; empty if it never had one
  // The time to the first byte, measured from the attempt's start, before the DNS lookup. `ttft` and `first_visible`
  // begin at the same moment.
  std::optional<seconds> first_byte{};
  std::optional<seconds> ttft{};
  ttft_sample sample = ttft_sample::won;     // the kind of attempt whose TTFT was measured
  std::optional<seconds> first_visible{};    // a winner's time to its first token after the reasoning
  by<reported_stage, std::optional<seconds>> reported{};  // a winner's times by stage, as its provider reports them
  std::optional<seconds> abandoned_after{};  // age of a loser when it was cancelled
  // The time until the attempt's connection was closed. It is measured from the moment when another attempt won or the
  // client left.
  std::optional<seconds> cancel{};

  // The number of a winner's output tokens, and their speed, as reported by the provider and as counted by the
  // tokenizer. Empty for all other attempts.
  by<token_source, std::optional<std::uint64_t>> output{};
  by<token_source, std::optional<decode_sample>> speed{};
  std::optional<unmeasurable_reason> unmeasurable{};  // the reason why no speed is computed from the tokenizer's count
  std::optional<crawl_end> crawl{};  // the gateway's action, if the winner was slower than its route's minimum speed
  by<repeat_reason, bool> repeated{};                 // the reasons why the request was sent again
  // Number of output tokens that are reasoning, if the provider reports it.
  std::uint64_t reasoning_tokens = 0;
  prompt_cache_observation prompt_cache{};
  std::optional<lost_token_count> lost{};
  std::variant<std::monostate, cost, unpriced> price{};  // price of the attempt; std::monostate if it is not billed
};

// The facts about a winner that OpenTelemetry's conventions require.
struct gen_ai_observation {
  target_series& winner;
  attempt_reason error = attempt_reason::none;  // value of the label error_type; empty if there is no error
  std::optional<seconds> ttft{};
  std::optional<seconds> time_per_output_token{};
  std::optional<seconds> duration{};
  std::optional<std::uint64_t> input_tokens{};  // billed number of input tokens; never estimated
  std::optional<std::uint64_t> output_tokens{};
};

// The hedges, trials and costs of an adaptive race.
struct speculation_observation {
  metrics::currency currency = currency::tokens;
  by<spent_on, double> cost{};
  by<start_cause, std::uint64_t> starts{};
  by<held_back, std::uint64_t> held_back_hedges{};
  // The measured time to the first token divided by the predicted time. Empty if one of the two times is unknown.
  std::optional<double> prediction_ratio{};
  by<predicted, bool> within{};
  bool is_choice_new = false;
  // The reason why the race did not begin at the target with the cached prompt. Empty if it did, or if no target has
  // cached the prompt.
  std::optional<move_reason> moved{};
  // Expected cost of the first target minus the expected cost of the target that has cached the prompt.
  double move_cost_usd = 0;
  std::optional<deadline_end> deadline{};  // set for races with a deadline
};

// Describes why and for how long a race with `win_on: finish` last held back an attempt. A race holds back an attempt
// by storing its tokens until it knows which attempt will finish first.
struct hold_observation {
  hold_why why = hold_why::race_over;
  seconds duration{};
};

struct request_observation {
  route_series& route;
  const client_series& client;
  metrics::endpoint endpoint = metrics::endpoint::chat_completions;
  request_outcome outcome = request_outcome::ok;

  std::optional<seconds> ttft{};  // time to the first token; set for streamed requests
  std::optional<seconds> duration{};
  std::optional<seconds> overhead{};                // time that the gateway itself added; set for streamed requests
  std::optional<seconds> margin{};                  // seconds between the winner's first token and the next attempt's
                                                    // first token; set if losers ran to their first token
  std::optional<gen_ai_observation> gen_ai{};       // facts about the winner; set for requests with a winner
  std::optional<speculation_observation> speculation{};  // hedges, trials and costs; set for adaptive races
  std::optional<hold_observation> hold{};
  std::optional<cache_result> cache{};       // how the cache handled the request; set for routes with a cache
  std::optional<runner_up_end> runner_up{};  // how the runner-up ended; set for races that kept a runner-up
  // One entry for each target of the race; valid only during observe().
  std::span<const attempt_observation> attempts{};
};

}  // namespace photofinish::metrics
