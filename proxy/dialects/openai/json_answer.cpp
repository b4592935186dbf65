#include "proxy/dialects/openai/json_answer.hpp"

#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

namespace photofinish::proxy {
namespace {

// As much as a chat answer that is put together may have.
constexpr std::size_t most_bytes = 64u << 20;

// A usage of OpenAI's is 300 bytes.
constexpr std::size_t longest_usage = 64u << 10;

failure not_an_answer(std::string_view body) {
  const std::string_view shown = body.substr(0, max_error_bytes);
  return read_error({.status = 200, .content_type = "application/json", .body = shown}, {});
}

failure no_stream() {
  failure why;
  why.kind = failure_kind::bad_stream;
  why.detail = "the provider streams an answer that has no stream";
  return why;
}

// {"error":null} and the like stand on good answers.
bool reports_error(std::string_view value) {
  return !json_is_null(value) && value != "false" && value != R"("")" && value != "0";
}

bool has_entries(std::string_view list) { return json_walk(list).next_element().has_value(); }

std::optional<std::uint64_t> count_at(std::string_view object, std::string_view key) {
  const auto value = json_find(object, key);
  if (!value) return std::nullopt;
  double count = 0;  // Cohere writes 12.0
  const auto read = std::from_chars(value->data(), value->data() + value->size(), count);
  constexpr double largest = 1e15;  // whole numbers are exact up to here
  const bool is_count = read.ec == std::errc{} && count >= 0 && count <= largest;
  return is_count ? std::optional(static_cast<std::uint64_t>(count)) : std::nullopt;
}

std::optional<std::uint64_t> first_of(std::string_view object, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys)
    if (const auto count = count_at(object, key)) return count;
  return std::nullopt;
}

std::optional<token_usage> read_usage(std::string_view object) {
  if (!json_is_object(object)) return std::nullopt;
  const auto input = first_of(object, {"prompt_tokens", "input_tokens", "total_tokens"});
  const auto output = first_of(object, {"completion_tokens", "output_tokens"});
  if (!input && !output) return std::nullopt;
  return token_usage{.input_tokens = input.value_or(0), .output_tokens = output.value_or(0)};
}

}  // namespace

std::optional<token_usage> usage_of_answer(const std::vector<json_member>& members) {
  std::optional<token_usage> usage;
  for (const json_member& member : members) {
    if (usage || member.value.size() > longest_usage) continue;
    if (json_key_is(member.raw_key, "usage")) usage = read_usage(member.value);
    if (!json_key_is(member.raw_key, "meta") || !json_is_object(member.value)) continue;
    for (const std::string_view counts : {"billed_units", "tokens"})
      if (const auto object = json_find(member.value, counts); object && !usage) usage = read_usage(*object);
  }
  return usage;
}

answer_kind json_answer::on_head(const response_head& head) {
  return kind_by_type(head) == answer_kind::whole ? answer_kind::whole : answer_kind::refusal;
}

result<std::span<const stream_event>> json_answer::on_event(const sse_event&, instant) { return no_stream(); }

result<std::span<const stream_event>> json_answer::on_body_end(std::string_view, instant) { return no_stream(); }

std::size_t json_answer::max_whole_bytes(std::size_t max_event_bytes) const {
  return std::max(most_bytes, max_event_bytes);
}

result<void> json_answer::see_whole(std::string_view so_far) {
  if (scan_.see(so_far)) return {};
  return not_an_answer(so_far);
}

result<void> json_answer::on_whole(std::string body) {
  const bool is_valid = scan_.see(body) && scan_.is_complete();
  const std::vector<json_member> members = is_valid ? scan_.members(body) : std::vector<json_member>();
  if (!is_answer(members)) return not_an_answer(body);
  usage_ = usage_of_answer(members);
  body_ = std::move(body);
  return {};
}

// Without an error, and with the list that every one of these APIs answers with.
bool json_answer::is_answer(const std::vector<json_member>& members) const {
  bool has_list = false;
  for (const json_member& member : members) {
    if (json_key_is(member.raw_key, "error") && reports_error(member.value)) return false;
    const bool is_list = json_key_is(member.raw_key, "data") || json_key_is(member.raw_key, "results");
    has_list |= is_list && json_is_array(member.value) && (format_.may_be_empty || has_entries(member.value));
  }
  return has_list;
}

result<std::span<const stream_event>> json_answer::next_of_whole(instant read_at) {
  stream_event said{.kind = event_kind::token, .spoken = format_.format, .read_at = read_at};
  if (usage_) said.usage = &*usage_;
  kept_.emplace(said, std::exchange(body_, {}));
  events_[0] = kept_->view();
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return std::span<const stream_event>(events_);
}

}  // namespace photofinish::proxy
