#include "proxy/dialects/bedrock/converse_reader.hpp"

#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/json/base64.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::proxy {
namespace {

namespace dom = simdjson::dom;

// Name of the API that can read Converse's signed or encrypted reasoning (see delta::id).
constexpr std::string_view converse_signer = "bedrock_converse";

// The maximum number of calls that are open at the same time. Converse itself opens only one call at a time.
constexpr std::size_t most_open_blocks = 256;
constexpr std::size_t longest_word = 64;  // the maximum length of a stopReason, in bytes

constexpr std::array<finish_word, 9> converse_stops{{{"end_turn", finish_reason::stop},
                                                     {"tool_use", finish_reason::tool_calls},
                                                     {"max_tokens", finish_reason::length},
                                                     {"stop_sequence", finish_reason::stop},
                                                     {"guardrail_intervened", finish_reason::content_filter},
                                                     {"content_filtered", finish_reason::content_filter},
                                                     {"malformed_model_output", finish_reason::length},
                                                     {"malformed_tool_use", finish_reason::length},
                                                     {"model_context_window_exceeded", finish_reason::length}}};

// The names of the members that the reader supports: at the start of a block, in a delta, and in a complete block.
constexpr std::array<std::string_view, 2> known_starts{"toolUse", "image"};
constexpr std::array<std::string_view, 5> known_deltas{"text", "toolUse", "reasoningContent", "citation", "image"};
constexpr std::array<std::string_view, 6> known_blocks{"text",  "toolUse", "reasoningContent", "citationsContent",
                                                       "image", "cachePoint"};

// Returns the failure for a stop reason that reports an error of the model. If the answer has no content yet, another
// attempt may succeed.
failure failed_stop(std::string_view word) {
  return {.detail = "the model gave no answer: " + std::string(word), .code = std::string(word)};
}

std::uint64_t count_at(dom::object from, std::string_view key) {
  std::uint64_t count = 0;
  return from.at_key(key).get(count) == simdjson::SUCCESS ? std::min(count, largest_count) : 0;
}

std::int64_t index_of(dom::object event) { return place_at(event, "contentBlockIndex"); }

}  // namespace

result<converse_reader::object> converse_reader::parse(std::string_view json) {
  said_.clear();
  texts_.clear();
  return parser_.parse(json);
}

result<void> converse_reader::read(std::string_view type, std::string_view json) {
  const auto parsed = parse(json);
  if (!parsed) return parsed.error();
  const object event = *parsed;
  if (type == "contentBlockDelta") read_delta(event);
  else if (type == "contentBlockStart") open(event);
  else if (type == "contentBlockStop") close(index_of(event));
  else if (type == "messageStop") return stop(text_at(event, "stopReason"));
  else if (type == "metadata") {
    has_usage_ = true;  // the event with the token usage is the last event of every answer
    read_tier(event);
    if (const auto usage = object_at(event, "usage")) read_usage(*usage);
  }
  return {};
}

std::vector<converse_reader::open_block>::iterator converse_reader::find_block(std::int64_t index) {
  return std::find_if(blocks_.begin(), blocks_.end(), [index](const open_block& each) { return each.index == index; });
}

void converse_reader::open(object event) {
  const auto start = object_at(event, "start");
  if (!start || blocks_.size() == most_open_blocks) return;
  lose_others_of(*start, known_starts);
  open_block block{.index = index_of(event)};
  const auto call = object_at(*start, "toolUse"), image = object_at(*start, "image");
  if (!call && !image) return;
  if (call) begin_call(*call, block);
  else block.type = block_type::image, block.format = text_at(*image, "format").substr(0, longest_word);
  blocks_.push_back(std::move(block));
}

// Begins a tool call. If Bedrock itself runs the tool, the call is reported as a lost part of the answer, because no
// client's API can express such a call.
void converse_reader::begin_call(object call, open_block& block) {
  if (text_at(call, "type") == "server_tool_use") {
    block.type = block_type::other;
    return lose("toolUse (server_tool_use)");
  }
  has_said_ = true;
  block.part = calls_++;
  say({.kind = delta_kind::call, .part = block.part, .text = any_text_at(call, "name", texts_),
       .id = any_text_at(call, "toolUseId", texts_)},
      event_kind::token);
}

void converse_reader::read_delta(object event) {
  const auto said = object_at(event, "delta");
  if (!said) return;
  if (const std::string_view text = text_at(*said, "text"); !text.empty()) {
    if (index_of(event) != text_index_) say_citations(), text_begin_ = characters_;
    text_index_ = index_of(event);
    say_text(delta_kind::text, text);
  }
  if (const auto call = object_at(*said, "toolUse"))
    read_call_delta(fragment_at(*call, "input", texts_), index_of(event));
  if (const auto reasoning = object_at(*said, "reasoningContent")) read_reasoning(*reasoning);
  element citation;
  if (said->at_key("citation").get(citation) == simdjson::SUCCESS) hold_citation(citation);
  if (const auto image = object_at(*said, "image")) read_image(*image, index_of(event));
  lose_others_of(*said, known_deltas);
}

// Adds bytes of an image. An image arrives in one or several deltas. Each delta is encoded in base64 separately.
void converse_reader::read_image(object image, std::int64_t index) {
  const auto source = object_at(image, "source");
  const std::string_view data = source ? text_at(*source, "bytes") : std::string_view{};
  const auto block = find_block(index);
  if (data.empty() || block == blocks_.end() || block->type != block_type::image) return lose("image");
  const std::size_t before = block->image.size();
  if (!append_base64_decoded(data, block->image)) return lose("image");
  held_ += block->image.size() - before;
}

void converse_reader::say_image(std::string_view format, std::string_view data) {
  if (!takes_images_ || data.empty()) return lose("image");
  has_said_ = true;
  texts_.push_back("image/" + std::string(format.empty() ? std::string_view("png") : format));
  say({.kind = delta_kind::image, .text = data, .id = texts_.back()}, event_kind::token);
}

void converse_reader::lose(std::string_view name) {
  if (!lost_.note(name)) return;
  texts_.emplace_back(name);
  say({.kind = delta_kind::lost_part, .text = texts_.back()}, event_kind::progress);
}

void converse_reader::lose_others_of(object part, std::span<const std::string_view> known) {
  for (const auto [key, value] : part)
    if (!value.is_null() && std::find(known.begin(), known.end(), key) == known.end()) lose(key);
}

void converse_reader::read_call_delta(std::string_view text, std::int64_t index) {
  const auto block = find_block(index);
  if (text.empty() || block == blocks_.end() || block->type != block_type::call) return;
  block->has_arguments = true;
  say_text(delta_kind::call_arguments, text, block->part);
}

void converse_reader::read_reasoning(object content) {
  if (const std::string_view text = text_at(content, "text"); !text.empty())
    say({.kind = delta_kind::reasoning, .text = text}, event_kind::reasoning_token);
  if (const std::string_view signature = text_at(content, "signature"); !signature.empty())
    say({.kind = delta_kind::signature, .text = signature, .id = converse_signer}, event_kind::progress);
  if (const std::string_view hidden = text_at(content, "redactedContent"); !hidden.empty())
    say({.kind = delta_kind::opaque, .text = hidden, .id = converse_signer}, event_kind::progress);
}

// Ends a block. A call without arguments gets the arguments {}, because other APIs require arguments.
void converse_reader::close(std::int64_t index) {
  if (index == text_index_) say_citations();
  const auto block = find_block(index);
  if (block == blocks_.end()) return;
  if (block->type == block_type::call && !block->has_arguments) say_text(delta_kind::call_arguments, "{}", block->part);
  if (block->type == block_type::image) {
    held_ -= block->image.size();
    texts_.push_back(base64_encoded(block->image, base64_padding::wanted));
    say_image(block->format, texts_.back());
  }
  blocks_.erase(block);
}

result<void> converse_reader::stop(std::string_view word) {
  if (word.starts_with("malformed_") && !has_said_) return failed_stop(word.substr(0, longest_word));
  has_stopped_ = true;
  say_citations();
  delta finish = finish_delta(converse_stops, word);
  finish.text = word.substr(0, longest_word);
  said_.deltas.push_back(finish);
  if (finish.reason == finish_reason::content_filter) lost_.note_visible();
  if (auto why = lost_.failure_if_alone()) return *std::move(why);
  return {};
}

// Reads the service tier of the answer. Bedrock repeats the service tier in the event with the token usage.
void converse_reader::read_tier(object of) {
  if (const auto tier = object_at(of, "serviceTier")) usage_.tier = parse_price_tier(text_at(*tier, "type"));
}

// Reads the token counts. Converse does not count cache reads and cache writes as input tokens, but other APIs do.
// Therefore, this function adds them to the input tokens.
void converse_reader::read_usage(object of) {
  token_usage usage{.output_tokens = count_at(of, "outputTokens"),
                    .cached_input_tokens = count_at(of, "cacheReadInputTokens"),
                    .written_input_tokens = count_at(of, "cacheWriteInputTokens")};
  usage.input_tokens = count_at(of, "inputTokens") + usage.cached_input_tokens + usage.written_input_tokens;
  dom::array details;
  if (of.at_key("cacheDetails").get(details) == simdjson::SUCCESS)
    for (const element each : details)
      if (object detail; each.get(detail) == simdjson::SUCCESS && text_at(detail, "ttl") == "1h")
        usage.written_for_hour_tokens += count_at(detail, "inputTokens");
  usage.written_for_hour_tokens = std::min(usage.written_for_hour_tokens, usage.written_input_tokens);
  raise_counts(usage_, usage);
  said_.usage = usage_;
}

// Whole

result<void> converse_reader::read_block(std::string_view json) {
  const auto parsed = parse(json);
  if (!parsed) return parsed.error();
  const object block = *parsed;
  say_text(delta_kind::text, text_at(block, "text"));
  if (const auto content = object_at(block, "reasoningContent")) {
    if (const auto text = object_at(*content, "reasoningText")) read_reasoning(*text);
    read_reasoning(*content);
  }
  if (const auto call = object_at(block, "toolUse")) {
    open_block begun;
    begin_call(*call, begun);
    const std::string_view input = any_text_at(*call, "input", texts_);
    if (begun.type == block_type::call)
      say_text(delta_kind::call_arguments, input.empty() ? std::string_view("{}") : input, begun.part);
  }
  dom::array parts;
  text_begin_ = characters_;
  if (const auto cited = object_at(block, "citationsContent"); cited && !cited->at_key("content").get(parts))
    for (const element each : parts)
      if (object part; each.get(part) == simdjson::SUCCESS) say_text(delta_kind::text, text_at(part, "text"));
  if (const auto cited = object_at(block, "citationsContent"); cited && !cited->at_key("citations").get(parts))
    for (const element each : parts) hold_citation(each);
  say_citations();
  if (const auto image = object_at(block, "image")) {
    const auto source = object_at(*image, "source");
    say_image(text_at(*image, "format").substr(0, longest_word),
              source ? text_at(*source, "bytes") : std::string_view{});
  }
  lose_others_of(block, known_blocks);
  return {};
}

result<void> converse_reader::read_end(std::string_view json) {
  const auto parsed = parse(json);
  if (!parsed) return parsed.error();
  read_tier(*parsed);
  if (const auto usage = object_at(*parsed, "usage")) read_usage(*usage);
  return stop(text_at(*parsed, "stopReason"));
}

void converse_reader::say_text(delta_kind kind, std::string_view text, std::int64_t part) {
  if (text.empty()) return;
  has_said_ = true;
  if (kind == delta_kind::text) characters_ += characters_in(text);
  say({.kind = kind, .part = part, .text = text}, event_kind::token);
}

// Stores a citation until its block ends, because the citation applies to all text of the block.
void converse_reader::hold_citation(element json) {
  if (citations_.size() >= most_citations) return;
  citations_.push_back(simdjson::minify(json));
  held_ += citations_.back().size();
}

void converse_reader::say_citations() {
  for (const std::string& each : citations_) {
    held_ -= each.size();
    auto citation = citation_of_converse(each, {text_begin_, characters_});
    if (!citation) lose("citations");
    else say({.kind = delta_kind::citation, .text = texts_.emplace_back(*std::move(citation))}, event_kind::progress);
  }
  citations_.clear();
}

void converse_reader::say(delta said, event_kind kind) {
  said_.deltas.push_back(said);
  if (kind == event_kind::token) lost_.note_visible();
  if (kind == event_kind::token || said_.kind == event_kind::progress) said_.kind = kind;
}

}  // namespace photofinish::proxy
