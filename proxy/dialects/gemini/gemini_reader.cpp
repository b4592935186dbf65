#include "proxy/dialects/gemini/gemini_reader.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/dialects/largest_count.hpp"
#include "proxy/dialects/repairs/finish_words.hpp"
#include "proxy/dialects/repairs/usage_counts.hpp"
#include "proxy/failures/error_shapes.hpp"
#include "proxy/failures/sanitized_text.hpp"
#include "proxy/words/contains.hpp"
#include "proxy/words/parse_number.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace photofinish::proxy {
namespace {

// Name of the API that can read Gemini's signatures (see delta::id).
constexpr std::string_view own_signatures = "gemini";

// The maximum number of candidates in one answer. A client requests only one candidate. The limit stops a provider that
// sends candidates endlessly.
constexpr std::size_t most_candidates = 8;
constexpr std::int64_t most_gemini_calls = 1024;
// The maximum total size of the signatures that are stored until the text ends, in bytes. Signatures above this limit
// are sent immediately.
constexpr std::size_t most_held_signatures = 256u << 10;
constexpr std::size_t longest_reason = 64;     // the maximum length of a finishReason, in bytes
// the maximum length of a finishMessage in bytes, enough for a few sentences
constexpr std::size_t longest_message = 2000;

constexpr std::array<finish_word, 19> ends{{{"STOP", finish_reason::stop},
                                          {"MAX_TOKENS", finish_reason::length},
                                          // Gemini 4 Argon sends this finish reason if the answer is incomplete and the
                                          // client may request the rest.
                                          {"CONTINUATION", finish_reason::length},
                                          {"SAFETY", finish_reason::content_filter},
                                          {"RECITATION", finish_reason::content_filter},
                                          {"LANGUAGE", finish_reason::content_filter},
                                          {"BLOCKLIST", finish_reason::content_filter},
                                          {"PROHIBITED_CONTENT", finish_reason::content_filter},
                                          {"SPII", finish_reason::content_filter},
                                          {"MODEL_ARMOR", finish_reason::content_filter},
                                          {"IMAGE_SAFETY", finish_reason::content_filter},
                                          {"IMAGE_PROHIBITED_CONTENT", finish_reason::content_filter},
                                          {"IMAGE_RECITATION", finish_reason::content_filter},
                                          {"OTHER", finish_reason::length},
                                          {"IMAGE_OTHER", finish_reason::length},
                                          {"NO_IMAGE", finish_reason::length},
                                          {"MALFORMED_FUNCTION_CALL", finish_reason::length},
                                          {"UNEXPECTED_TOOL_CALL", finish_reason::length},
                                          {"TOO_MANY_TOOL_CALLS", finish_reason::length}}};

// Finish reasons that report an error of the model. If the answer has no content yet, another attempt may succeed.
constexpr std::array<std::string_view, 5> failed_ends{"MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL",
                                                      "TOO_MANY_TOOL_CALLS", "MALFORMED_RESPONSE",
                                                      "MISSING_THOUGHT_SIGNATURE"};

failure failed_end(std::string_view word, const std::string& message) {
  const std::string code(word);
  return {.detail = "the model gave no answer: " + code + (message.empty() ? "" : ": " + message), .code = code};
}

// Returns a prefix for call ids. The prefix depends only on the answer's id and is short enough for every API. OpenAI
// permits 40 characters in a call id. The answer's id may be longer, because some clients choose long request ids.
std::string prefix_of(std::string_view answer_id) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::uint64_t hash = 14695981039346656037u;  // FNV-1a
  for (const char each : answer_id) hash = (hash ^ static_cast<unsigned char>(each)) * 1099511628211u;
  std::string prefix = "call_";
  for (int shift = 60; shift >= 0; shift -= 4) prefix.push_back(digits[(hash >> shift) & 15]);
  return prefix + "_";
}

std::uint64_t count_of(std::string_view number) {
  return std::min(parse_leading_number<std::uint64_t>(number).value_or(0), largest_count);
}

std::optional<std::int64_t> index_of(std::string_view number) {
  const auto index = parse_leading_number<std::int64_t>(number);
  return index && *index >= 0 ? index : std::nullopt;
}

// Returns the raw text of an id or a name. Some servers send ids and names as numbers instead of strings.
std::string_view raw_text(std::string_view value) { return json_is_string(value) ? json_raw_string(value) : value; }

// True if the caller can ignore this member of a part, because it is metadata or another function reads it.
bool is_read(const json_member& member) {
  constexpr std::array<std::string_view, 7> known{"text",         "thought",      "thoughtSignature",
                                                  "functionCall", "partMetadata", "videoMetadata",
                                                  "mediaResolution"};
  const auto is_it = [&member](std::string_view key) { return json_key_is(member.raw_key, key); };
  return member.value == "null" || std::any_of(known.begin(), known.end(), is_it);
}

bool is_string_with_text(std::string_view value) { return json_is_string(value) && !json_raw_string(value).empty(); }

}  // namespace

gemini_reader::gemini_reader(std::string_view answer_id, answer_images images)
    : call_prefix_(prefix_of(answer_id)), images_(images) {}

void gemini_reader::begin() {
  facts_.clear();
  facts_.is_chunk = false;
  texts_.clear();
  if (!halves_.empty()) halves_.clear();
}

result<void> gemini_reader::read(std::string_view json) {
  begin();
  if (json_is_object(json)) return read_chunk(json);
  if (!json_is_array(json)) return bad_stream("an event is not a JSON object");
  for (const std::string_view each : json_elements(json)) {
    if (!json_is_object(each)) return bad_stream("an event is not a JSON object");
    if (auto read = read_chunk(each); !read) return read;
  }
  return {};
}

result<void> gemini_reader::read_chunk(std::string_view chunk) {
  const object_members members(chunk);
  if (!members["error"].empty()) return error_from_event(chunk);
  const std::string_view candidates = members["candidates"];
  const object_members feedback(members["promptFeedback"]);
  const std::string_view blocked = feedback["blockReason"];
  facts_.is_chunk |= json_is_array(candidates) || is_string_with_text(blocked) || !members["usageMetadata"].empty();
  for (std::int64_t position = 0; const std::string_view each : json_elements(candidates))
    if (auto read = read_candidate(each, position++); !read) return read;
  read_usage(members["usageMetadata"]);
  candidate* const first = candidates_.empty() && is_string_with_text(blocked) ? candidate_at(0) : nullptr;
  if (first == nullptr) return {};
  first->reason = finish_reason::content_filter;
  first->word = std::string(decoded(json_raw_string(blocked)).substr(0, longest_reason));
  first->why = words_of(feedback.word("blockReasonMessage"));
  return {};
}

gemini_reader::candidate* gemini_reader::candidate_at(std::int64_t index) {
  for (candidate& each : candidates_)
    if (each.index == index) return &each;
  if (candidates_.size() == most_candidates) return nullptr;
  candidates_.push_back({.index = index});
  return &candidates_.back();
}

result<void> gemini_reader::read_candidate(std::string_view value, std::int64_t position) {
  if (!json_is_object(value)) return bad_stream("a candidate is not a JSON object");
  const object_members members(value);
  candidate* const of = candidate_at(index_of(members["index"]).value_or(position));
  if (of == nullptr) return bad_stream("too many candidates");
  for (const std::string_view each : json_elements(object_members(members["content"])["parts"])) {
    if (!read_part(each, *of)) return bad_stream("a tool call's arguments are out of order, or there are too many tool "
                                                 "calls");
    if (facts_.deltas.size() >= most_said)
      return bad_stream("an event contains more than " + std::to_string(most_said) + " parts");
  }
  if (json_is_object(members["groundingMetadata"])) of->grounding = members["groundingMetadata"];
  if (json_is_object(members["citationMetadata"])) of->recited = members["citationMetadata"];
  if (const std::string_view why = members.word("finishMessage"); !why.empty()) of->why = words_of(why);
  return read_finish(members.word("finishReason"), *of);
}

// Reads one part of a candidate. Returns false if the part contains an invalid call.
bool gemini_reader::read_part(std::string_view value, candidate& of) {
  const object_members part(value);
  const std::string_view call = part["functionCall"];
  const bool is_thought = part["thought"] == "true", is_call = json_is_object(call);
  if (is_thought || is_call) end_text(of);
  read_signature(part.word("thoughtSignature"), !is_thought && !is_call, of);
  read_text(part.word("text"), is_thought, of);
  for (const json_member& each : part.all())
    if (!is_read(each)) read_other(each, is_thought, of);
  return !is_call || read_call(call, of);
}

// Reads an image, or records a lost part of the answer. Lost parts are sounds, files, code that Gemini ran itself, the
// results of such code, and parts of unknown types. An image in a thought is a draft and does not belong to the answer.
void gemini_reader::read_other(const json_member& member, bool is_thought, candidate& of) {
  std::string name = json_unescape(member.raw_key);
  const object_members blob(json_key_is(member.raw_key, "inlineData") ? member.value : std::string_view{});
  const std::string_view type = decoded(blob.word("mimeType"));
  if (!is_thought && type.starts_with("image/") && read_image(decoded(blob.word("data")), type, of)) return;
  if (!type.empty()) name.append(" (").append(type).append(")");
  if (is_thought) name += " of a thought";
  lose(std::move(name), of);
}

bool gemini_reader::read_image(std::string_view data, std::string_view type, candidate& of) {
  if (images_ == answer_images::lost || data.empty()) return false;
  end_text(of);
  close_call(of);
  of.has_said = true;
  say({.kind = delta_kind::image, .choice = of.index, .text = data, .id = type}, event_kind::token);
  return true;
}

void gemini_reader::lose(std::string name, const candidate& of) {
  if (!lost_.note(name)) return;
  say({.kind = delta_kind::lost_part, .choice = of.index, .text = texts_.emplace_back(std::move(name))},
      event_kind::progress);
}

void gemini_reader::read_signature(std::string_view raw, bool is_of_text, candidate& of) {
  if (raw.empty()) return;
  if (is_of_text && of.signature_bytes + raw.size() <= most_held_signatures) {
    of.signatures.emplace_back(json_unescape(raw));
    of.signature_bytes += raw.size() + sizeof(std::string);
    return;
  }
  say_signature(decoded(raw), of);
}

void gemini_reader::say_signature(std::string_view text, const candidate& of) {
  say({.kind = delta_kind::opaque, .choice = of.index, .text = text, .id = own_signatures}, event_kind::progress);
}

void gemini_reader::end_text(candidate& of) {
  for (std::string& each : of.signatures) say_signature(texts_.emplace_back(std::move(each)), of);
  of.signatures.clear();
  of.signature_bytes = 0;
}

void gemini_reader::read_text(std::string_view text, bool is_thought, candidate& of) {
  if (text.empty()) return;
  close_call(of);
  of.has_said |= !is_thought;
  const std::string_view said = decoded(text);
  if (!is_thought) of.places.add(said);
  say({.kind = is_thought ? delta_kind::reasoning : delta_kind::text, .choice = of.index, .text = said},
      is_thought ? event_kind::reasoning_token : event_kind::token);
}

// Reads a whole call or a fragment of a call. The first fragment of a call contains the name, and each later fragment
// contains values of the arguments. The last fragment lacks the member `willContinue`.
bool gemini_reader::read_call(std::string_view value, candidate& of) {
  const object_members call(value);
  const std::string_view name = raw_text(call["name"]);
  const std::string_view partial = call["partialArgs"];
  const bool goes_on = call["willContinue"] == "true";
  if (!name.empty()) {
    close_call(of);
    if (!begin_call(name, raw_text(call["id"]), of)) return false;
    if (const std::string_view whole = call["args"]; !whole.empty()) {
      say_arguments(json_is_string(whole) ? decoded(json_raw_string(whole)) : whole, of);
      of.is_calling = false;
      return true;
    }
  }
  if (!of.is_calling) return true;
  if (!read_partial(partial, of)) return false;
  if (!goes_on) close_call(of);
  return true;
}

bool gemini_reader::begin_call(std::string_view name, std::string_view id, candidate& of) {
  if (calls_ == most_gemini_calls) return false;
  const std::string_view call_id =
      id.empty() ? std::string_view(texts_.emplace_back(call_prefix_ + std::to_string(calls_))) : decoded(id);
  ++calls_;
  of.is_calling = of.has_said = true;
  say({.kind = delta_kind::call, .choice = of.index, .part = of.calls++, .text = decoded(name), .id = call_id},
      event_kind::token);
  return true;
}

bool gemini_reader::read_partial(std::string_view list, candidate& of) {
  if (!json_is_array(list)) return true;
  std::string& text = texts_.emplace_back();
  for (const std::string_view each : json_elements(list))
    if (!of.arguments.add(each, text)) return false;
  say_arguments(text, of);
  return true;
}

// Ends the arguments of the last call. This is needed because a provider may omit the call's last fragment.
void gemini_reader::close_call(candidate& of) {
  if (!of.is_calling) return;
  of.is_calling = false;
  std::string& text = texts_.emplace_back();
  of.arguments.finish(text);
  say_arguments(text, of);
}

void gemini_reader::say_arguments(std::string_view text, candidate& of) {
  if (text.empty()) return;
  say({.kind = delta_kind::call_arguments, .choice = of.index, .part = of.calls - 1, .text = text}, event_kind::token);
}

result<void> gemini_reader::read_finish(std::string_view raw_word, candidate& of) {
  if (raw_word.empty() || raw_word == "FINISH_REASON_UNSPECIFIED") return {};
  const std::string_view word = decoded(raw_word).substr(0, longest_reason);
  const bool is_failed = contains(failed_ends, word);
  if (is_failed && !of.has_said) return failed_end(word, of.why);
  const delta finish = finish_delta(ends, word);
  of.is_foreign = finish.is_foreign && !is_failed;
  of.reason = finish.reason;
  if (of.reason == finish_reason::content_filter) lost_.note_visible();
  of.word = word;
  return {};
}

// Reads the token counts. Gemini's output count does not include thoughts, and its prompt count does not include the
// input of tools, so this function adds both. If a chunk reports only one of the two output counts, the other count
// keeps its earlier value. If a server reports only the total, all tokens that are not in the prompt count as output.
void gemini_reader::read_usage(std::string_view value) {
  const object_members counts(value);
  const auto count = [&counts](std::string_view name, std::uint64_t before) {
    const std::uint64_t reported = count_of(counts[name]);
    return reported == 0 ? before : reported;
  };
  // The number of output tokens that were reported so far, without thinking tokens.
  const std::uint64_t answered = usage_.output_tokens - usage_.reasoning_tokens;
  token_usage usage{.input_tokens = count("promptTokenCount", 0) + count("toolUsePromptTokenCount", 0),
                    .reasoning_tokens = count("thoughtsTokenCount", usage_.reasoning_tokens),
                    .cached_input_tokens = count("cachedContentTokenCount", 0)};
  usage.output_tokens = count("candidatesTokenCount", answered) + usage.reasoning_tokens;
  const bool has_answers_count = count_of(counts["candidatesTokenCount"]) > 0;
  const std::uint64_t total = count_of(counts["totalTokenCount"]);
  if (!has_answers_count && total > usage.input_tokens + usage.output_tokens)
    usage.output_tokens = total - usage.input_tokens;
  if (usage.input_tokens == 0 && usage.output_tokens == 0) return;
  const std::string_view traffic = counts["trafficType"];
  if (json_is_string(traffic)) usage.tier = parse_traffic_type(json_raw_string(traffic));
  raise_counts(usage_, usage);
  facts_.usage = usage_;
}

void gemini_reader::end() {
  begin();
  for (candidate& each : candidates_) {
    end_text(each);
    close_call(each);
    say_citations(each);
    const bool is_calls = each.reason == finish_reason::stop && each.calls > 0;
    if (each.reason == finish_reason::content_filter && !each.why.empty())
      say({.kind = delta_kind::refusal, .choice = each.index, .text = each.why}, event_kind::progress);
    say({.kind = delta_kind::finish,
         .reason = is_calls ? finish_reason::tool_calls : each.reason.value_or(finish_reason::stop),
         .is_foreign = each.is_foreign,
         .choice = each.index,
         .text = each.word},
        event_kind::progress);
  }
}

// Sends the citations of a candidate. A source is not sent if no range of the text refers to it.
void gemini_reader::say_citations(const candidate& of) {
  std::vector<std::string> all = citations_of_gemini(of.grounding, of.recited, of.places);
  if (all.empty() && !object_members(of.grounding)["groundingChunks"].empty()) lose("groundingMetadata", of);
  for (std::string& each : all)
    say({.kind = delta_kind::citation, .choice = of.index, .text = texts_.emplace_back(std::move(each))},
        event_kind::progress);
}

std::size_t gemini_reader::held_bytes() const {
  std::size_t all = 0;
  for (const candidate& each : candidates_)
    all += each.places.held_bytes() + each.grounding.size() + each.recited.size();
  return all;
}

bool gemini_reader::is_complete() const {
  const auto has_ended = [](const candidate& each) { return each.reason.has_value(); };
  return !candidates_.empty() && std::all_of(candidates_.begin(), candidates_.end(), has_ended);
}

void gemini_reader::say(delta said, event_kind kind) {
  facts_.deltas.push_back(said);
  if (kind == event_kind::token) lost_.note_visible();
  if (kind == event_kind::token || facts_.kind == event_kind::progress) facts_.kind = kind;
}

// Returns Gemini's explanation of a refusal as a short text for a client, without control characters.
std::string gemini_reader::words_of(std::string_view raw) { return clean_text(decoded(raw), longest_message); }

// Decodes the raw text of a JSON string. A text without escapes is not copied.
std::string_view gemini_reader::decoded(std::string_view raw) {
  if (raw.find('\\') == std::string_view::npos) return raw;
  const std::string_view text = texts_.emplace_back(json_unescape(raw));
  halves_.add(text, halves_of(raw));
  return text;
}

}  // namespace photofinish::proxy
