// The figures of one request, by AIPerf's names, units and formulas. [pure]
// docs/bench/figures.md defines each figure.
#pragma once

#include "gateway/bench/request_record.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

enum class direction { lower, higher };  // which is better

struct figure {
  std::string_view tag;     // in JSON: time_to_first_token
  std::string_view header;  // in tables and CSV: Time to First Token
  std::string_view unit;    // ms, tokens, tokens/sec/user
  direction better = direction::lower;
};

enum class figure_id : std::size_t {
  time_to_first_token,
  time_to_second_token,
  time_to_first_output_token,
  request_latency,
  inter_token_latency,
  output_token_throughput_per_user,
  output_speed_first_256,
  output_speed_256_to_1024,
  output_speed_beyond_1024,
  output_sequence_length,
  input_sequence_length,
  credit_to_start_latency,  // due, or free to start, until started
};
inline constexpr std::size_t figure_count = 12;

std::span<const figure> figures();  // in the order of figure_id
const figure& figure_of(figure_id id);
const figure* find_figure(std::string_view tag);  // null when there is none

enum class token_source { none, usage, tokenizer };

struct request_figures {
  std::array<std::optional<double>, figure_count> values;  // none: cannot be said
  std::vector<double> chunk_gaps_ms;                       // between neighbours, as read
  token_source source = token_source::none;

  std::optional<double> value(const figure& of) const;
  std::optional<double> value(figure_id id) const { return values[static_cast<std::size_t>(id)]; }
};

// Of a request without an error.
request_figures figures_of(const request_record& record);

}  // namespace photofinish::gateway::bench
