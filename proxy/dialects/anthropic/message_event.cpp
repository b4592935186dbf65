#include "proxy/dialects/anthropic/message_event.hpp"

#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/failures/error_shapes.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace dom = simdjson::dom;

// Name of the API that can read Claude's signed or encrypted reasoning (see delta::id).
constexpr std::string_view own_words = "anthropic_messages";

// The maximum number of content blocks that are open at the same time. Anthropic's API opens one block at a time, but
// some servers that imitate the API open several.
constexpr std::size_t most_blocks = 256;

// The maximum number of calls in one answer. This reader, and the writer of the client's format, both need memory for
// each call.
constexpr std::int64_t most_calls = 1024;


constexpr std::array<finish_word, 8> stops{{{"end_turn", finish_reason::stop},
                                            {"tool_use", finish_reason::tool_calls},
                                            {"max_tokens", finish_reason::length},
                                            {"stop_sequence", finish_reason::stop},
                                            {"refusal", finish_reason::content_filter},
                                            // The provider paused the turn, so the answer is incomplete.
                                            {"pause_turn", finish_reason::length},
                                            {"compaction", finish_reason::length},
                                            {"model_context_window_exceeded", finish_reason::length}}};

// Returns the service tier of an answer. `service_tier: priority` means that the provider used capacity that was bought
// in advance. The standard price applies to the tokens of such an answer.
std::optional<price_tier> tier_of(dom::object usage) {
  const std::string_view speed = text_at(usage, "speed");
  if (speed == "fast") return price_tier::fast;
  const bool is_reported = !speed.empty() || !text_at(usage, "service_tier").empty();
  return is_reported ? std::optional(price_tier::standard) : std::nullopt;
}

// Returns the token counts of one usage object. Missing counts keep the values of `before`. Cached tokens are added to
// the input tokens, because Anthropic does not include them but other APIs do.
token_usage counts_of(dom::object usage, const token_usage& before) {
  token_usage counts = before;
  std::uint64_t uncached =
      before.input_tokens - std::min(before.input_tokens, before.cached_input_tokens + before.written_input_tokens);
  count_at(usage, "input_tokens", uncached);
  count_at(usage, "cache_read_input_tokens", counts.cached_input_tokens);
  count_at(usage, "cache_creation_input_tokens", counts.written_input_tokens);
  count_at(usage, "output_tokens", counts.output_tokens);
  if (const auto written = object_at(usage, "cache_creation"))
    count_at(*written, "ephemeral_1h_input_tokens", counts.written_for_hour_tokens);
  if (const auto details = object_at(usage, "output_tokens_details"))
    count_at(*details, "thinking_tokens", counts.reasoning_tokens);
  counts.input_tokens = uncached + counts.cached_input_tokens + counts.written_input_tokens;
  if (const auto tier = tier_of(usage)) counts.tier = tier;
  return counts;
}

void add_counts(token_usage& sum, const token_usage& more) {
  for (const auto count : all_counts) sum.*count = std::min(sum.*count + more.*count, largest_count);
}

// Adds up the token counts of all iterations in a usage object. Examples of iterations are a compaction, a step of a
// loop with server tools, an advisor's answer, and an attempt of a fallback model. Each iteration is billed, but the
// other counts of the usage object do not include all iterations.
token_usage sum_of_iterations(dom::object usage) {
  token_usage sum;
  dom::array iterations;
  if (usage.at_key("iterations").get(iterations) != simdjson::SUCCESS) return sum;
  for (const dom::element each : iterations)
    if (dom::object counted; each.get(counted) == simdjson::SUCCESS) add_counts(sum, counts_of(counted, {}));
  return sum;
}

failure too_many_calls() { return bad_stream("an answer has more than " + std::to_string(most_calls) + " tool calls"); }

}  // namespace

result<void> message_inspector::inspect(std::string_view json, std::string_view name) {
  facts_.clear();
  facts_.step = message_step::nothing;
  texts_.clear();
  auto parsed = parser_.parse(json);
  if (!parsed) return std::move(parsed).error();
  const std::string_view own = text_at(*parsed, "type");
  const std::string_view type = own.empty() ? as_event_name(name) : own;
  if (type == "error" || object_at(*parsed, "error")) return error_from_event(json);
  if (type.empty()) return {};
  facts_.step = message_step::going_on;
  facts_.name = as_event_name(type);
  return read(type, *parsed);
}

result<void> message_inspector::read(std::string_view type, object event) {
  if (!has_begun_ && type.starts_with("content_block"))
    return bad_stream("the stream does not begin with message_start");
  if (type == "content_block_delta") read_delta(event);
  else if (type == "content_block_start") return open(event);
  else if (type == "content_block_stop") close(event);
  else if (type == "message_start") return begin(event);
  else if (type == "message_delta" && has_begun_) return read_stop(event);
  else if (type == "message_stop") facts_.step = message_step::complete;
  if (!has_begun_ && type.starts_with("message_")) return bad_stream("the stream does not begin with message_start");
  return {};
}

// Reads the event message_start. Some servers send this event twice. If the second event starts a different message,
// reading fails. If code on Anthropic's server calls a tool, message_start already contains the call and the stop
// reason.
result<void> message_inspector::begin(object event) {
  const auto message = object_at(event, "message");
  if (!message) return bad_stream("message_start has no message");
  const std::string_view id = text_at(*message, "id");
  if (has_begun_ && id != id_) return bad_stream("a second message begins before the first one ends");
  if (has_begun_) return facts_.step = message_step::nothing, result<void>();
  has_begun_ = true;
  constexpr std::size_t longest = 256;
  id_ = id.substr(0, longest);
  if (const auto usage = object_at(*message, "usage")) read_usage(*usage);
  dom::array content;
  if (message->at_key("content").get(content) == simdjson::SUCCESS)
    for (const element each : content) {
      if (object block; each.get(block) == simdjson::SUCCESS) close_block(open_block_of(block, 0));
      if (facts_.deltas.size() >= most_said)
        return bad_stream("an event contains more than " + std::to_string(most_said) + " parts");
      if (calls_ > most_calls) return too_many_calls();
    }
  return stop_with(*message);
}

message_inspector::open_block* message_inspector::find_block(std::int64_t index) {
  const auto found = std::find_if(blocks_.begin(), blocks_.end(),
                                  [index](const open_block& each) { return each.index == index; });
  return found == blocks_.end() ? nullptr : &*found;
}

result<void> message_inspector::open(object event) {
  const auto content = object_at(event, "content_block");
  if (content && blocks_.size() < most_blocks) blocks_.push_back(open_block_of(*content, place_at(event, "index")));
  return calls_ > most_calls ? too_many_calls() : result<void>();
}

// Reads the start of a content block. The start may already contain the block's whole content.
message_inspector::open_block message_inspector::open_block_of(object content, std::int64_t index) {
  const std::string_view type = text_at(content, "type");
  open_block block{.index = index, .text_begin = characters_};
  if (type == "text") {
    say(delta_kind::text, text_at(content, "text"));
    dom::array cited;
    if (content.at_key("citations").get(cited) == simdjson::SUCCESS)
      for (const element each : cited) hold_citation(each, block);
  } else if (type == "thinking") {
    say(delta_kind::reasoning, text_at(content, "thinking"));
    say_own(delta_kind::signature, text_at(content, "signature"));
  } else if (type == "redacted_thinking") {
    say_own(delta_kind::opaque, text_at(content, "data"));
  } else if (type == "tool_use") {
    open_call(content, block);
  } else {
    block.type = block_type::other;
    open_other(type);
  }
  return block;
}

// Reads the start of a block that only Anthropic's API has. If this block is a call of a server tool, it counts as a
// token, because the model has generated the tool's name. Clients of other APIs do not get such blocks.
void message_inspector::open_other(std::string_view type) {
  if (use_ == json_use::passes) {
    if (type.ends_with("tool_use")) facts_.kind = event_kind::token;
  } else if (lost_.note(type)) {
    facts_.deltas.push_back({.kind = delta_kind::lost_part, .text = type});
  }
}

void message_inspector::open_call(object content, open_block& block) {
  block.type = block_type::call;
  block.part = calls_++;
  say_token();
  facts_.deltas.push_back({.kind = delta_kind::call,
                           .part = block.part,
                           .text = any_text_at(content, "name", texts_),
                           .id = any_text_at(content, "id", texts_)});
  if (const auto input = object_at(content, "input"); input && input->size() == 0) return;
  block.input = any_text_at(content, "input", texts_);
  held_ += block.input.size();
}

void message_inspector::read_delta(object event) {
  const auto said = object_at(event, "delta");
  if (!said) return;
  const std::string_view type = text_at(*said, "type");
  if (type == "text_delta") return say(delta_kind::text, text_at(*said, "text"));
  if (type == "thinking_delta") return say(delta_kind::reasoning, text_at(*said, "thinking"));
  if (type == "signature_delta") return say_own(delta_kind::signature, text_at(*said, "signature"));
  open_block* const block = find_block(place_at(event, "index"));
  if (type == "input_json_delta" && block != nullptr) return read_call_delta(*said, *block);
  element citation;
  if (type != "citations_delta") return lose_delta(type, block);
  if (said->at_key("citation").get(citation) != simdjson::SUCCESS) return;
  if (block != nullptr && use_ == json_use::translated) return hold_citation(citation, *block);
  texts_.push_back(simdjson::minify(citation));
  facts_.deltas.push_back({.kind = delta_kind::citation, .text = texts_.back()});
}

// Handles a delta of an unknown type, which cannot be translated. Reports the delta as a lost part of the answer,
// unless the type of its block is also unknown. Such a block was already reported.
void message_inspector::lose_delta(std::string_view type, const open_block* block) {
  const bool is_in_other = block != nullptr && block->type == block_type::other;
  const bool is_known = type.empty() || type == "input_json_delta" || is_in_other;
  if (use_ == json_use::translated && !is_known && lost_.note(type))
    facts_.deltas.push_back({.kind = delta_kind::lost_part, .text = type});
}

// Stores a citation until its block ends, because the citation applies to all text of the block. If the client gets
// Anthropic's JSON unchanged, the JSON already contains the citation, so nothing is stored.
void message_inspector::hold_citation(element citation, open_block& block) {
  if (use_ == json_use::passes || block.citations.size() >= most_citations) return;
  block.citations.push_back(simdjson::minify(citation));
  held_ += block.citations.back().size();
}

void message_inspector::say_citations(open_block& block) {
  for (const std::string& each : block.citations) {
    held_ -= each.size();
    auto citation = citation_of_claude(each, {block.text_begin, characters_});
    const bool is_lost = !citation && lost_.note("citations");
    if (citation || is_lost)
      facts_.deltas.push_back({.kind = citation ? delta_kind::citation : delta_kind::lost_part,
                               .text = texts_.emplace_back(citation ? *std::move(citation) : "citations")});
  }
  block.citations.clear();
}

// Reads a part of a call's arguments. Clients of other APIs do not get the arguments of server tools.
void message_inspector::read_call_delta(object said, open_block& block) {
  const std::string_view text = fragment_at(said, "partial_json", texts_);
  if (text.empty()) return;
  if (use_ == json_use::passes) facts_.kind = event_kind::token;
  if (block.type != block_type::call) return;
  block.has_arguments = true;
  say(delta_kind::call_arguments, text, block.part);
}

void message_inspector::close(object event) {
  open_block* const block = find_block(place_at(event, "index"));
  if (block == nullptr) return;
  close_block(std::move(*block));
  blocks_.erase(blocks_.begin() + (block - blocks_.data()));
}

// Ends a block. A call without arguments gets the arguments {}, because other APIs require arguments.
void message_inspector::close_block(open_block block) {
  held_ -= block.input.size();
  say_citations(block);
  if (block.type != block_type::call || block.has_arguments) return;
  texts_.push_back(block.input.empty() ? "{}" : std::move(block.input));
  say(delta_kind::call_arguments, texts_.back(), block.part);
}

result<void> message_inspector::read_stop(object event) {
  if (const auto usage = object_at(event, "usage")) read_usage(*usage);
  const auto said = object_at(event, "delta");
  return said ? stop_with(*said) : result<void>();
}

// Reads the stop reason, and the explanation that accompanies a refusal. The explanation does not count as a token.
result<void> message_inspector::stop_with(object of) {
  const std::string_view word = text_at(of, "stop_reason");
  if (word.empty()) return {};
  if (is_failed_finish(word)) return failed_finish(word);
  has_stopped_ = true;
  for (open_block& each : blocks_) say_citations(each);
  if (const auto details = object_at(of, "stop_details"))
    if (const std::string_view why = text_at(*details, "explanation"); !why.empty())
      facts_.deltas.push_back({.kind = delta_kind::refusal, .text = why});
  const delta finish = finish_delta(stops, word);
  facts_.deltas.push_back(finish);
  if (finish.reason == finish_reason::content_filter) lost_.note_visible();
  if (auto why = lost_.failure_if_alone()) return *std::move(why);
  return {};
}

// Reads the token counts. If a later report omits a count or contains a zero, the earlier count is kept.
void message_inspector::read_usage(object of) {
  raise_counts(usage_, counts_of(of, usage_));
  raise_counts(iterations_, sum_of_iterations(of));
  facts_.usage = usage_;
  raise_counts(*facts_.usage, iterations_);
}

void message_inspector::say(delta_kind kind, std::string_view text, std::int64_t part) {
  if (text.empty()) return;
  facts_.say(kind, text, part);
  if (kind != delta_kind::reasoning) lost_.note_visible();
  if (kind == delta_kind::text && use_ == json_use::translated) characters_ += characters_in(text);
}

void message_inspector::say_token() {
  facts_.kind = event_kind::token;
  lost_.note_visible();
}

// Adds a signature or encrypted reasoning. Neither counts as a token, because no client can read it.
void message_inspector::say_own(delta_kind kind, std::string_view text) {
  if (!text.empty()) facts_.deltas.push_back({.kind = kind, .text = text, .id = own_words});
}

}  // namespace photofinish::proxy
