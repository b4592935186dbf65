#include "proxy/dialects/openai/openai_stream.hpp"

#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/failures/error_shapes.hpp"

#include <algorithm>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::string_view done = "[DONE]";

// Returns the index of the choice that contains a tool call. `call` is the call's index among all calls of the chunk.
std::int64_t choice_of(const chunk_facts& facts, std::size_t call) {
  std::int64_t position = 0;
  for (const choice_facts& each : facts.choices) {
    if (call >= each.first_call && call < each.first_call + each.calls) return each.index.value_or(position);
    ++position;
  }
  return 0;
}

// Returns the failure that a chunk reports, in the provider's words. If only a finish_reason reports the failure, the
// failure's detail contains this finish_reason.
failure trouble_in(const chunk_facts& facts, std::string_view json) {
  failure why = error_from_event(json);
  const auto has_failed = [](const choice_facts& each) { return is_failed_finish(each.finish_text); };
  const auto failed = std::find_if(facts.choices.begin(), facts.choices.end(), has_failed);
  const bool is_explained = failed == facts.choices.end() || why.detail != no_error_text;
  return is_explained ? why : failed_finish(failed->finish_text);
}

}  // namespace

result<openai_stream::relayed> openai_stream::on_event(const sse_event& event, instant read_at) {
  events_.clear();
  if (is_over_) return relayed{};
  const std::string_view data = without_space(event.data);
  if (event.type == "error") return fail(error_from_event(data));
  // JSON never begins with a colon. Therefore, a line such as `data: : keepalive` is a misplaced comment.
  if (data.empty() || data.front() == ':') return relayed{};
  if (data == done) return complete(read_at);
  return on_chunk(event.is_line ? data : in_one_line(data, own().one_line), read_at);
}

result<openai_stream::relayed> openai_stream::on_chunk(std::string_view json, instant read_at) {
  if (auto read = inspector_.inspect(json); !read) return fail(std::move(read).error());
  const chunk_facts& facts = inspector_.facts();
  if (facts.is_error) return fail(trouble_in(facts, json));
  // An event without choices and without usage is a keep-alive message. Like a comment, the event does not count as
  // activity when the gateway checks for stalled streams.
  if (!facts.has_choices && !facts.has_usage && !facts.usage) return relayed{};
  has_token_ |= facts.kind != event_kind::progress;
  stream_event event{.kind = facts.kind, .spoken = form_.format};
  event.deltas = facts.deltas;
  event.read_at = read_at;
  if (facts.usage) event.usage = &*facts.usage;
  const bool is_known = inspector_.is_repetition() && state_.is_settled();
  const auto disposition = is_known ? stream_state::disposition::relay : state_.on_chunk(facts, json);
  if (disposition == stream_state::disposition::refuse) return fail(bad_stream("too many choices or tool calls"));
  if (!is_known && !state_.held_chunk().empty()) {
    relay_text(own_piece_, state_.held_chunk(), read_at);
    events_.back().kind = event_kind::token;
    events_.back().deltas = state_.held_deltas();
  }
  if (disposition == stream_state::disposition::relay) event.json = mended(json);
  if (!is_known) event.deltas = deltas_of(facts);
  pairs_.join(event, inspector_.halves());
  events_.push_back(event);
  return relayed{events_};
}

// Applies the edits that the stream's state has planned for the current chunk.
std::span<const std::string_view> openai_stream::mended(std::string_view json) {
  if (state_.plan().is_clean) {
    whole_ = json;
    return {&whole_, 1};
  }
  json_edits& edits = own().edits;
  edits.reset(json);
  add_chunk_edits(state_.plan(), json, edits);
  return edits.pieces();
}

openai_stream::own_texts& openai_stream::own() {
  if (!own_) own_ = std::make_unique<own_texts>();
  return *own_;
}

result<openai_stream::relayed> openai_stream::on_body_end(std::string_view unfinished_data, instant read_at) {
  events_.clear();
  if (is_over_) return relayed{};
  if (without_space(unfinished_data) == done || state_.is_finished()) return complete(read_at);
  return fail(bad_stream("the stream ended early"));
}

result<void> openai_stream::on_whole(std::string body) {
  if (passes_whole_) {
    passed_ = std::make_unique<passed_answer>(state_.settings());
    if (passed_->take(body)) return {};
    passed_.reset();
  }
  answer_ = std::make_unique<whole_answer>(std::move(body), form_);
  const std::string failed = answer_->failed_finish();
  if (answer_->is_completion() && failed.empty()) return {};
  is_over_ = true;
  if (answer_->is_completion()) return proxy::failed_finish(failed);
  return error_in_answer(answer_->body());
}

result<openai_stream::relayed> openai_stream::next_of_whole(instant read_at) {
  events_.clear();
  if (is_over_) return relayed{};
  if (passed_) {
    is_over_ = true;
    events_.push_back(passed_->event(read_at));
    events_.push_back({.kind = event_kind::end, .read_at = read_at});
    return relayed{events_};
  }
  const std::string_view chunk = answer_->next_chunk();
  return chunk.empty() ? complete(read_at) : on_chunk(chunk, read_at);
}

result<openai_stream::relayed> openai_stream::complete(instant read_at) {
  // The stream has ended without any token or finish_reason. [DONE] alone is not an answer.
  if (!has_token_ && !state_.has_finish()) return fail(bad_stream("the stream ended without an answer"));
  if (auto why = inspector_.failure_if_all_is_lost()) return fail(*std::move(why));
  is_over_ = true;
  std::string finishes = state_.missing_finishes(), usage = state_.usage_at_end();
  if (pairs_.is_keeping()) {
    events_.push_back({.spoken = form_.format, .read_at = read_at});
    pairs_.join(events_.back(), {}, true);
  }
  if (!finishes.empty()) {
    own().finishes = std::move(finishes);
    relay_text(own_piece_, own_->finishes, read_at);
    events_.back().deltas = state_.finishes();
  }
  if (!usage.empty()) {
    own().usage = std::move(usage);
    relay_text(own_->usage_piece, own_->usage, read_at);
  }
  events_.push_back({.kind = event_kind::end, .read_at = read_at});
  return relayed{events_};
}

void openai_stream::relay_text(std::string_view& piece, const std::string& json, instant read_at) {
  if (json.empty()) return;
  piece = json;
  events_.push_back({.spoken = form_.format, .json = {&piece, 1}, .read_at = read_at});
}

// Returns the deltas of a chunk as they are sent to the client. Each call keeps its index, and its name is sent only
// once. Deltas that finish a choice come last.
std::span<const delta> openai_stream::deltas_of(const chunk_facts& facts) {
  if (facts.calls.empty() && state_.finishes().empty()) return facts.deltas;
  deltas_ = facts.deltas;
  const std::vector<call_place>& places = state_.places();
  // The loop goes from the last call to the first, because removing a delta changes the indexes of all later deltas.
  for (std::size_t at = places.size(); at-- > 0;) {
    const tool_call_facts& entry = facts.calls[at];
    const auto first = deltas_.begin() + static_cast<std::ptrdiff_t>(entry.first_delta);
    auto next = first;
    if (!entry.name.empty()) (next++)->id = places[at].is_id_sent ? std::string_view{} : entry.id;
    if (!entry.arguments.empty()) ++next;
    for (auto each = first; each != next; ++each) each->part = places[at].index;
    if (!entry.arguments.empty() && places[at].are_arguments_held) deltas_.erase(next - 1);
    const bool is_id_new = !places[at].is_id_sent && !entry.id.empty();
    if (!entry.name.empty() && places[at].is_name_sent && !is_id_new) deltas_.erase(first);
    if (entry.name.empty() && is_id_new)
      deltas_.insert(first, {.kind = delta_kind::call,
                             .choice = choice_of(facts, at),
                             .part = places[at].index,
                             .id = entry.id});
  }
  deltas_.insert(deltas_.end(), state_.finishes().begin(), state_.finishes().end());
  return deltas_;
}

}  // namespace photofinish::proxy
