#include "gateway/request_log.hpp"

#include "gateway/race_headers.hpp"

#include <spdlog/spdlog.h>

namespace photofinish::gateway {
namespace {

// Names come from requests too: control characters and quotes must not make lines of their own.
void append_text(std::string& line, std::string_view text) {
  for (const char each : text.substr(0, 200)) {
    const auto byte = static_cast<unsigned char>(each);
    line.push_back(byte < 0x20 || byte == 0x7f || each == '"' ? '?' : each);
  }
}

void append_field(std::string& line, std::string_view name, std::string_view value) {
  line.append(" ").append(name).append("=");
  const bool needs_quotes = value.find_first_of(" \";") != std::string_view::npos;
  if (needs_quotes) line.push_back('"');
  append_text(line, value);
  if (needs_quotes) line.push_back('"');
}

using milliseconds = std::chrono::duration<double, std::milli>;

std::string describe(const target_name& target, const racing::attempt_report* attempt,
                     const metrics::attempt_observation& seen) {
  std::string text = target.text() + " " + std::string(to_string(seen.outcome));
  if (seen.reason != metrics::attempt_reason::none) text += "/" + std::string(to_string(seen.reason));
  if (seen.ttft) text += " ttft_ms=" + milliseconds_text(*seen.ttft);
  if (const auto* speed = std::get_if<metrics::decode_sample>(&seen.speed))
    text += " tok_s=" + milliseconds_text(milliseconds(static_cast<double>(speed->tokens) / speed->duration.count()));
  if (seen.output) text += " tokens=" + std::to_string(seen.output->tokens);
  if (attempt) text += " ms=" + milliseconds_text(attempt->ended_at - attempt->started_at);
  return text;
}

}  // namespace

std::string request_line(const request_record& record, std::span<const metrics::attempt_observation> attempts) {
  std::string line = "request";
  append_field(line, "id", record.id);
  append_field(line, "route", record.route);
  append_field(line, "client", record.client);
  append_field(line, "outcome", to_string(record.outcome));
  append_field(line, "status", std::to_string(record.status));
  append_field(line, "form", record.form == answer_form::stream ? "stream" : "whole");
  append_field(line, "duration_ms", milliseconds_text(record.ended_at - record.received_at));
  if (record.first_written_at && record.form == answer_form::stream)
    append_field(line, "ttft_ms", milliseconds_text(*record.first_written_at - record.received_at));
  if (record.race.winner) append_field(line, "winner", record.runners[*record.race.winner].target.text());
  std::string text;
  for (std::size_t index = 0; index < attempts.size(); ++index) {
    const bool has_run = index < record.race.attempts.size();
    const racing::attempt_report* attempt = has_run ? &record.race.attempts[index] : nullptr;
    const target_name& target = has_run ? record.runners[attempt->target].target
                                        : record.skipped[index - record.race.attempts.size()].first;
    if (!text.empty()) text += "; ";
    text += describe(target, attempt, attempts[index]);
  }
  if (!text.empty()) {
    line += " attempts=\"";
    for (std::size_t at = 0; at < text.size(); at += 200) append_text(line, std::string_view(text).substr(at, 200));
    line += "\"";
  }
  return line;
}

void log_request(const request_record& record, std::span<const metrics::attempt_observation> attempts) {
  if (spdlog::should_log(spdlog::level::info)) spdlog::info(request_line(record, attempts));
}

}  // namespace photofinish::gateway
