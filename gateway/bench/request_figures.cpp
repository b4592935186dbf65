#include "gateway/bench/request_figures.hpp"

#include "gateway/bench/part_speeds.hpp"
#include "gateway/records/speed.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace photofinish::gateway::bench {
namespace {

constexpr std::array<figure, figure_count> all_figures{{
    {"time_to_first_token", "Time to First Token", "ms"},
    {"time_to_second_token", "Time to Second Token", "ms"},
    {"time_to_first_output_token", "Time to First Output Token", "ms"},
    {"request_latency", "Request Latency", "ms"},
    {"inter_token_latency", "Inter Token Latency", "ms"},
    {"output_token_throughput_per_user", "Output Token Throughput Per User", "tokens/sec/user", direction::higher},
    {"output_speed_first_256", "Output Speed First 256 Tokens", "tokens/sec/user", direction::higher},
    {"output_speed_256_to_1024", "Output Speed 256 to 1024 Tokens", "tokens/sec/user", direction::higher},
    {"output_speed_beyond_1024", "Output Speed Beyond 1024 Tokens", "tokens/sec/user", direction::higher},
    {"output_sequence_length", "Output Sequence Length", "tokens", direction::higher},
    {"input_sequence_length", "Input Sequence Length", "tokens"},
    {"credit_to_start_latency", "Credit-to-Start Latency", "ms"},
}};

double milliseconds(proxy::instant from, proxy::instant to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

class figure_writer {
 public:
  figure_writer(const request_record& record, request_figures& into) : record_(record), into_(into) {}

  void write() {
    count_tokens();
    set(figure_id::credit_to_start_latency, milliseconds(record_.due_at, record_.started_at));
    set(figure_id::request_latency, milliseconds(record_.due_at, record_.ended_at));
    const auto& usage = record_.seen.usage;
    if (usage) set(figure_id::input_sequence_length, static_cast<double>(usage->input_tokens));
    if (into_.source != token_source::none) set(figure_id::output_sequence_length, static_cast<double>(tokens_));
    if (record_.seen.first_token_at) write_stream();
  }

 private:
  void set(figure_id id, double value) { into_.values[static_cast<std::size_t>(id)] = value; }

  void count_tokens() {
    if (record_.seen.usage) {
      into_.source = token_source::usage;
      const proxy::token_usage& reported = *record_.seen.usage;
      tokens_ = record_.seen.first_token_at ? streamed_tokens(reported, record_.seen) : reported.output_tokens;
    } else if (record_.counted_tokens) {
      into_.source = token_source::tokenizer;
      tokens_ = *record_.counted_tokens;
    }
  }

  void write_stream() {
    const double ttft = milliseconds(record_.due_at, *record_.seen.first_token_at);
    set(figure_id::time_to_first_token, ttft);
    if (record_.second_chunk_at)
      set(figure_id::time_to_second_token, milliseconds(*record_.seen.first_token_at, *record_.second_chunk_at));
    if (record_.first_visible_at)
      set(figure_id::time_to_first_output_token, milliseconds(record_.due_at, *record_.first_visible_at));
    for (std::size_t i = 1; i < record_.chunks_at.size(); ++i)
      into_.chunk_gaps_ms.push_back(milliseconds(record_.chunks_at[i - 1], record_.chunks_at[i]));
    write_speeds();
  }

  // Computes the speed and the inter-token latency, which is (t_last - t_first) / (N - tokens in the first chunk).
  // Endpoints do not report tokens per chunk. Therefore the computation assumes that the first chunk's share of the
  // tokens equals its share of the text. It leaves out a speed that would be mere noise (speed.hpp).
  void write_speeds() {
    if (into_.source == token_source::none) return;
    proxy::stream_summary seen = record_.seen;
    if (!seen.usage) seen.usage = proxy::token_usage{.output_tokens = tokens_};
    const auto part = [](std::uint64_t of, std::uint64_t all) {
      return all == 0 ? 1 : static_cast<double>(of) / static_cast<double>(all);
    };
    const double share = part(seen.first_text_bytes, seen.text_bytes);
    const double behind_first = std::round(static_cast<double>(tokens_) * (1 - share));
    const double took_ms = milliseconds(*seen.first_token_at, *seen.last_token_at);
    if (behind_first < 1 || took_ms <= 0) return;
    set(figure_id::inter_token_latency, took_ms / behind_first);
    if (measure_speed(seen, std::nullopt, {}).samples[metrics::token_source::usage])
      set(figure_id::output_token_throughput_per_user, behind_first / took_ms * 1000);
    const auto parts = part_speeds(record_, tokens_);
    for (std::size_t i = 0; i < parts.size(); ++i)
      if (parts[i]) into_.values[static_cast<std::size_t>(figure_id::output_speed_first_256) + i] = *parts[i];
  }

  const request_record& record_;
  request_figures& into_;
  std::uint64_t tokens_ = 0;
};

}  // namespace

std::span<const figure> figures() { return all_figures; }

const figure& figure_of(figure_id id) { return all_figures[static_cast<std::size_t>(id)]; }

const figure* find_figure(std::string_view tag) {
  const auto has_tag = [tag](const figure& each) { return each.tag == tag; };
  const auto found = std::find_if(all_figures.begin(), all_figures.end(), has_tag);
  return found == all_figures.end() ? nullptr : &*found;
}

std::optional<double> request_figures::value(const figure& of) const {
  return values[static_cast<std::size_t>(&of - all_figures.data())];
}

request_figures figures_of(const request_record& record) {
  request_figures request;
  figure_writer(record, request).write();
  return request;
}

}  // namespace photofinish::gateway::bench
