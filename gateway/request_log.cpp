#include "gateway/request_log.hpp"

#include "gateway/race_headers.hpp"
#include "proxy/character_set.hpp"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::size_t longest_text = 200;

constexpr proxy::character_set plain("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:#");

// Names come from requests too: control characters and quotes must not make lines of their own.
void append_text(std::string& line, std::string_view text) {
  const auto is_harmful = [](char each) {
    const auto byte = static_cast<unsigned char>(each);
    return byte < 0x20 || byte == 0x7f || each == '"';
  };
  const auto begin = static_cast<std::ptrdiff_t>(line.size());
  std::size_t size = std::min(text.size(), longest_text);
  while (size > 0 && size < text.size() && (text[size] & 0xC0) == 0x80) --size;  // not within a character
  line += text.substr(0, size);
  std::replace_if(line.begin() + begin, line.end(), is_harmful, '?');
}

// `key` is one like " route="; `value` a word or a number of ours.
void append_word(std::string& line, std::string_view key, std::string_view value) { line.append(key).append(value); }

void append_field(std::string& line, std::string_view key, std::string_view value) {
  if (value.size() <= longest_text && plain.holds_all(value)) return append_word(line, key, value);
  line += key;
  const bool needs_quotes = value.find_first_of(" \";") != std::string_view::npos;
  if (needs_quotes) line.push_back('"');
  append_text(line, value);
  if (needs_quotes) line.push_back('"');
}

// A word that a provider made up for a finish_reason, and nothing that might be more than a word.
std::string finish_word(std::string_view told) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool is_word = told.size() <= 40 && told.find_first_not_of(letters) == std::string_view::npos;
  return is_word ? std::string(told) : "unprintable";
}

using milliseconds = std::chrono::duration<double, std::milli>;

// "0.00012"; a loser's is an estimate.
std::string usd_text(double usd) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", usd);
  return text;
}

// Ours first, since they are there for every provider; then what the provider told.
void append_tokens(std::string& text, const metrics::attempt_observation& seen) {
  using enum metrics::token_source;
  const auto append_speed = [&text](std::string_view key, const std::optional<metrics::decode_sample>& sample) {
    if (!sample) return;
    const double speed = static_cast<double>(sample->tokens) / sample->duration.count();
    append_word(text, key, milliseconds_text(milliseconds(speed)));
  };
  append_speed(" tok_s=", seen.speed[tokenizer]);
  if (seen.output[tokenizer]) append_word(text, " tokens=", std::to_string(*seen.output[tokenizer]));
  append_speed(" usage_tok_s=", seen.speed[usage]);
  if (seen.output[usage]) append_word(text, " usage_tokens=", std::to_string(*seen.output[usage]));
  if (seen.reasoning_tokens > 0) append_word(text, " reasoning_tokens=", std::to_string(seen.reasoning_tokens));
}

void append_attempt(std::string& text, const target_name& target, const racing::attempt_report* attempt,
                    const metrics::attempt_observation& seen) {
  append_text(text, target.text());
  text.append(" ").append(to_string(seen.outcome));
  if (seen.reason != metrics::attempt_reason::none) text.append("/").append(to_string(seen.reason));
  if (seen.ttft) append_word(text, " ttft_ms=", milliseconds_text(*seen.ttft));
  append_tokens(text, seen);
  if (attempt && !attempt->summary.foreign_finish.empty())
    append_word(text, " finish=", finish_word(attempt->summary.foreign_finish));
  if (const auto* cost = std::get_if<metrics::cost>(&seen.price)) append_word(text, " usd=", usd_text(cost->usd));
  if (attempt) append_word(text, " ms=", milliseconds_text(attempt->ended_at - attempt->started_at));
}

}  // namespace

std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts) {
  std::string line;
  line.reserve(512);
  line = "request";
  append_field(line, " id=", record.id);
  append_field(line, " route=", record.route);
  append_field(line, " client=", record.client);
  append_word(line, " outcome=", to_string(record.outcome));
  append_word(line, " status=", std::to_string(record.status));
  append_word(line, " form=", record.form == answer_form::stream ? "stream" : "whole");
  append_word(line, " duration_ms=", milliseconds_text(record.ended_at - record.received_at));
  if (record.first_written_at && record.form == answer_form::stream)
    append_word(line, " ttft_ms=", milliseconds_text(*record.first_written_at - record.received_at));
  if (record.race.winner) append_field(line, " winner=", record.runners[*record.race.winner].target.text());
  const char* separator = " attempts=\"";
  for (std::size_t index = 0; index < attempts.size(); ++index) {
    const bool has_run = index < record.race.attempts.size();
    const racing::attempt_report* attempt = has_run ? &record.race.attempts[index] : nullptr;
    const target_name& target = has_run ? record.runners[attempt->target].target
                                        : record.skipped[index - record.race.attempts.size()].first;
    line += std::exchange(separator, "; ");
    append_attempt(line, target, attempt, attempts[index]);
  }
  if (!attempts.empty()) line += "\"";
  return line;
}

void log_request(const request_record& record, std::span<const metrics::attempt_observation> attempts) {
  if (spdlog::should_log(spdlog::level::info)) spdlog::info(request_line(record, attempts));
}

}  // namespace photofinish::gateway
