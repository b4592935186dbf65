// Computes the figures of one request, with AIPerf's names, units and formulas. [pure]
// docs/bench/figures.md explains each figure.
#pragma once

#include "gateway/bench/request_record.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace photofinish::gateway::bench {

enum class direction { lower, higher };  // shows whether lower or higher values of a figure are better

struct figure {
  std::string_view tag;     // the figure's name in JSON, for example time_to_first_token
  std::string_view header;  // the figure's name in tables and CSV, for example Time to First Token
  std::string_view unit;    // the figure's unit, for example ms, tokens or tokens/sec/user
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
  // The time between the moment when a request was due, or could have started, and the start of the request.
  credit_to_start_latency,
};
inline constexpr std::size_t figure_count = 12;

std::span<const figure> figures();  // returns all figures in the order of figure_id
const figure& figure_of(figure_id id);
const figure* find_figure(std::string_view tag);  // returns the figure with this name, or null if there is none

enum class token_source { none, usage, tokenizer };

struct request_figures {
  std::array<std::optional<double>, figure_count> values;  // the value of each figure; none if the figure is unknown
  // The times between consecutive chunks of the answer, in the order in which the chunks were read.
  std::vector<double> chunk_gaps_ms;
  token_source source = token_source::none;

  std::optional<double> value(const figure& of) const;
  std::optional<double> value(figure_id id) const { return values[static_cast<std::size_t>(id)]; }
};

// Computes the figures of a successful request.
request_figures figures_of(const request_record& record);

}  // namespace photofinish::gateway::bench
