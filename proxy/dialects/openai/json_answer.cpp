#include "proxy/dialects/openai/json_answer.hpp"

#include "proxy/dialects/passthrough/answer_members.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/json/member_index.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

// The size limit of a JSON answer. A chat answer that is assembled from chunks has the same limit.
constexpr std::size_t most_bytes = 64u << 20;

failure not_an_answer(std::string_view body, answer_promise promise) {
  const bool is_list = promise == answer_promise::entries || promise == answer_promise::list;
  return error_in_answer(body, is_list ? "an answer with the list that this API requires"
                                       : "an answer with the members that this API requires");
}

failure no_stream() { return bad_stream("the provider streams an answer that must come in one piece"); }

bool has_any(std::string_view list) { return json_walk(list).next_element().has_value(); }

}  // namespace

answer_kind json_answer::on_head(const response_head& head) {
  return kind_by_type(head) == answer_kind::whole ? answer_kind::whole : answer_kind::refusal;
}

result<dialect_stream::relayed> json_answer::on_event(const sse_event&, instant) { return no_stream(); }

result<dialect_stream::relayed> json_answer::on_body_end(std::string_view, instant) { return no_stream(); }

std::size_t json_answer::max_whole_bytes(std::size_t max_event_bytes) const {
  return std::max(most_bytes, max_event_bytes);
}

result<void> json_answer::see_whole(std::string_view so_far) {
  if (scan_.see(so_far)) return {};
  return not_an_answer(so_far, format_.promise);
}

result<void> json_answer::on_whole(std::string body) {
  const bool is_valid = scan_.see(body) && scan_.is_complete();
  const std::vector<json_member> members = is_valid ? scan_.members(body) : std::vector<json_member>();
  if (!is_answer(members)) return not_an_answer(body, format_.promise);
  usage_ = usage_of_answer(members);
  if (auto converted = convert(body); !converted) return converted;
  body_ = std::move(body);
  return {};
}

// Converts the embeddings of a short answer to another encoding. The embeddings of longer answers are converted later,
// outside the event loop, when the client's response is written.
result<void> json_answer::convert(std::string& body) const {
  const std::optional<vector_encoding> from = vectors_ ? encoding_at_first_sight(body) : std::nullopt;
  if (!from || *from == *vectors_) return {};
  if (body.size() > most_converted_in_a_turn) {
    if (is_convertible_at_first_sight(body)) return {};
    return not_convertible();
  }
  auto made = encoded_as(body, *vectors_);
  if (!made) return std::move(made).error();
  body = std::move(*made);
  return {};
}

// True if the answer has no error and contains the content that its API requires.
bool json_answer::is_answer(const std::vector<json_member>& members) const {
  if (reports_error(members)) return false;
  bool is_kept = false, has_data = false, has_results = false;
  for (const json_member& member : members) {
    const bool is_data = json_key_is(member.raw_key, "data");
    const bool is_results = json_key_is(member.raw_key, "results");
    // If `data` or `results` occurs twice, JSON parsers disagree about which of the two values counts. Therefore, the
    // answer is rejected.
    if ((is_data && has_data) || (is_results && has_results)) return false;
    has_data |= is_data;
    has_results |= is_results;
    is_kept |= keeps_promise(member);
  }
  return is_kept;
}

bool json_answer::keeps_promise(const json_member& member) const {
  switch (format_.promise) {
    case answer_promise::text: return json_key_is(member.raw_key, "text") && json_is_string(member.value);
    case answer_promise::output: return json_key_is(member.raw_key, "output") && !json_is_null(member.value);
    case answer_promise::input_tokens:
      return json_key_is(member.raw_key, "input_tokens") && !json_is_null(member.value);
    case answer_promise::entries:
    case answer_promise::list: break;
  }
  const bool is_list = json_key_is(member.raw_key, "data") || json_key_is(member.raw_key, "results");
  const bool may_be_empty = format_.promise == answer_promise::list;
  return is_list && json_is_array(member.value) && (may_be_empty || has_any(member.value));
}

result<dialect_stream::relayed> json_answer::next_of_whole(instant read_at) {
  stream_event said{.kind = event_kind::token, .spoken = format_.format, .read_at = read_at};
  if (usage_) said.usage = &*usage_;
  kept_.emplace(said, std::exchange(body_, {}));
  events_[0] = kept_->view();
  events_[1] = {.kind = event_kind::end, .read_at = read_at};
  return relayed(events_);
}

}  // namespace photofinish::proxy
