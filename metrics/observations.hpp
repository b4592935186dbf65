// What one finished request tells the metrics: plain values, handed to a shard once, by its own thread. [pure]
// What is undefined for a request stays empty, and counts nowhere.
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

// The part of an answer that its speed is measured on: tokens after the first chunk, first token to last.
struct decode_sample {
  std::uint64_t tokens = 0;
  seconds duration{};  // above zero
};

// What an attempt had to do with its provider's prompt cache.
struct prompt_cache_observation {
  by<prompt_part, std::uint64_t> tokens{};    // a winner's input, as far as the provider tells
  std::optional<expected_prefix> expected{};  // of a winner of a race that follows prompt caches
  found_prefix found = found_prefix::unknown;
  bool is_prefill_finished = false;  // a loser that ran on so that its target has read the prompt
};

// What an attempt cost that did not win. Estimates.
struct lost_token_count {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  billing billed = billing::unknown;
};

// What an attempt cost, where its price is known.
struct cost {
  double usd = 0;
  cost_kind kind = cost_kind::winner;
};

struct unpriced {};  // it cost something, and how much is unknown

struct attempt_observation {
  target_series& target;
  attempt_outcome outcome = attempt_outcome::failed;
  attempt_reason reason = attempt_reason::none;

  std::optional<connection_kind> connection{};  // none: it never had one
  std::optional<seconds> first_byte{};          // all from the attempt's start, before DNS
  std::optional<seconds> ttft{};
  ttft_sample sample = ttft_sample::won;     // whose TTFT that is
  std::optional<seconds> first_visible{};    // a winner's: behind its reasoning
  by<reported_stage, std::optional<seconds>> reported{};  // a winner's: as its provider says
  std::optional<seconds> abandoned_after{};  // a loser's age when it was cancelled
  std::optional<seconds> cancel{};           // from the win, or the client's leaving, to our close

  // A winner's tokens and speed as each source counts them; nothing for all others.
  by<token_source, std::optional<std::uint64_t>> output{};
  by<token_source, std::optional<decode_sample>> speed{};
  std::optional<unmeasurable_reason> unmeasurable{};  // why the tokenizer's count gives no speed
  std::optional<crawl_end> crawl{};  // slower than its route's limit
  by<repeat_reason, bool> repeated{};                 // asked once more, without what was refused
  std::uint64_t reasoning_tokens = 0;                 // of the output, as far as the provider tells
  prompt_cache_observation prompt_cache{};
  std::optional<lost_token_count> lost{};
  std::variant<std::monostate, cost, unpriced> price{};  // nothing for an attempt that is not billed
};

// The winner in OpenTelemetry's words.
struct gen_ai_observation {
  target_series& winner;
  attempt_reason error = attempt_reason::none;  // label error_type, empty for none
  std::optional<seconds> ttft{};
  std::optional<seconds> time_per_output_token{};
  std::optional<seconds> duration{};
  std::optional<std::uint64_t> input_tokens{};  // as billed; never guessed
  std::optional<std::uint64_t> output_tokens{};
};

// What an adaptive race did and cost.
struct speculation_observation {
  metrics::currency currency = currency::tokens;
  by<spent_on, double> cost{};
  by<start_cause, std::uint64_t> starts{};
  by<held_back, std::uint64_t> held_back_hedges{};
  std::optional<double> prediction_ratio{};  // races with a first token, where one was predicted
  by<predicted, bool> within{};
  bool is_choice_new = false;
  std::optional<move_reason> moved{};  // none: the race began where the prompt is warm, or it is warm nowhere
  double move_cost_usd = 0;            // what the first target costs more than the warm one, expected
  std::optional<deadline_end> deadline{};  // races that had one
};

// With `win_on: finish`: the last attempt of a race whose tokens were held.
struct hold_observation {
  hold_why why = hold_why::race_over;
  seconds duration{};
};

struct request_observation {
  route_series& route;
  const client_series& client;
  metrics::endpoint endpoint = metrics::endpoint::chat_completions;
  request_outcome outcome = request_outcome::ok;

  std::optional<seconds> ttft{};  // streamed requests
  std::optional<seconds> duration{};
  std::optional<seconds> overhead{};                // streamed requests
  std::optional<seconds> margin{};                  // observed races
  std::optional<gen_ai_observation> gen_ai{};       // requests with a winner
  std::optional<speculation_observation> speculation{};  // adaptive races
  std::optional<hold_observation> hold{};
  std::optional<cache_result> cache{};       // routes with a cache
  std::optional<runner_up_end> runner_up{};  // races that kept one
  std::span<const attempt_observation> attempts{};  // of every target of the race; read during the call only
};

}  // namespace photofinish::metrics
