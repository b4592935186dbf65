#include "proxy/dialects/own_words.hpp"

#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/contains.hpp"

#include <algorithm>
#include <array>

namespace photofinish::proxy {
namespace {

// The names of members with text that was written by the provider itself, and not by its model. Such members are looked
// up only at the top level and inside the members that `parts` lists.
constexpr std::array<std::string_view, 11> own_members{
    "error",        "warning",                "warnings",              "detail",               "incomplete_details",
    "stop_details", "content_filter_results", "prompt_filter_results", "native_finish_reason", "status_details",
    "amazon-bedrock-trace"};

// The names of members that may contain nested members with a provider's own text.
constexpr std::array<std::string_view, 5> parts{"response", "message", "choices", "delta", "meta"};

constexpr int most_levels = 4;

class word_edits {
 public:
  word_edits(std::string_view json, const word_cleaner& clean_text) : edits_(json), clean_text_(clean_text) {
    look_into(json, 0);
  }

  std::optional<std::string> text() {
    return edits_.empty() ? std::nullopt : std::optional(edits_.text());
  }

 private:
  void look_into(std::string_view value, int level) {
    if (level == most_levels) return;
    for (const std::string_view each : json_elements(value)) look_into(each, level + 1);
    for (const json_member& member : json_members(value))
      if (contains(own_members, member.raw_key)) clean(member.value);
      else if (contains(parts, member.raw_key)) look_into(member.value, level + 1);
  }

  // Removes secrets from every string in the value. Names of members stay unchanged. The time is linear in the size of
  // the value, even if it is deeply nested.
  void clean(std::string_view value) {
    for (std::size_t at = value.find('"'); at != std::string_view::npos; at = value.find('"', at)) {
      const std::string_view text = json_string_at(value.substr(at));
      at += std::max<std::size_t>(text.size(), 1);
      std::size_t next = at;
      while (next < value.size() && is_json_space(value[next])) ++next;
      if (next == value.size() || value[next] != ':') clean_string(text);
    }
  }

  void clean_string(std::string_view value) {
    const std::string text = json_unescape(json_raw_string(value));
    const std::string cleaned = clean_text_(text);
    if (cleaned != text) edits_.replace(value, json_quote(cleaned));
  }

  json_edits edits_;
  const word_cleaner& clean_text_;
};

// True for formats in which the text of a refusal comes from the provider. In OpenAI's formats, the model writes this
// text.
bool explains_refusals(wire_format spoken) {
  return spoken == wire_format::anthropic_messages || spoken == wire_format::gemini;
}

// True if a delta contains text that the provider itself wrote. A finish reason that the provider's API defines cannot
// contain a secret. However, the reason of an incomplete response can be any text.
bool is_own(const delta& each, wire_format spoken) {
  if (each.kind == delta_kind::refusal) return explains_refusals(spoken);
  return each.kind == delta_kind::finish && (each.is_foreign || spoken == wire_format::openai_responses);
}

bool has_own_members(wire_format spoken) {
  return spoken == wire_format::openai_chat || spoken == wire_format::openai_completions ||
         spoken == wire_format::openai_responses || spoken == wire_format::openai_rerank ||
         spoken == wire_format::anthropic_messages;
}

}  // namespace

// Returns false if the answer ends normally, because a normal end contains no text that the provider itself wrote.
// Nearly all answers end normally. Parsing their JSON would add several per cent to the processing time of a short
// answer.
bool own_words::may_be_in(const stream_event& event) {
  const auto is_explained = [&event](const delta& each) {
    const bool is_unusual_end = each.kind == delta_kind::finish && each.reason == finish_reason::content_filter;
    return is_unusual_end || is_own(each, event.spoken);
  };
  return std::any_of(event.deltas.begin(), event.deltas.end(), is_explained) ||
         ((event.keeper != nullptr || event.is_whole) && event.spoken == wire_format::openai_rerank);
}

stream_event own_words::clean(const stream_event& event, const word_cleaner& clean_text) {
  stream_event cleaned = event;
  clean_deltas(cleaned, clean_text);
  if (has_own_members(event.spoken)) clean_json(cleaned, clean_text);
  return cleaned;
}

void own_words::clean_deltas(stream_event& event, const word_cleaner& clean_text) {
  texts_.clear();
  const auto is_to_clean = [&event](const delta& each) { return !each.text.empty() && is_own(each, event.spoken); };
  if (std::none_of(event.deltas.begin(), event.deltas.end(), is_to_clean)) return;
  texts_.reserve(event.deltas.size());
  deltas_.assign(event.deltas.begin(), event.deltas.end());
  for (delta& each : deltas_)
    if (is_to_clean(each)) each.text = texts_.emplace_back(clean_text(each.text));
  event.deltas = deltas_;
  event.keeper = nullptr;  // the JSON in `keeper` still contains the secrets, so it must not be used
}

void own_words::clean_json(stream_event& event, const word_cleaner& clean_text) {
  if (event.json.empty()) return;
  std::string joined;
  if (event.json.size() > 1)
    for (const std::string_view piece : event.json) joined += piece;
  auto cleaned = with_clean_words(event.json.size() > 1 ? std::string_view(joined) : event.json.front(), clean_text);
  if (!cleaned) return;
  json_ = *std::move(cleaned);
  piece_ = json_;
  event.json = {&piece_, 1};
  event.keeper = nullptr;
}

std::optional<std::string> with_clean_words(std::string_view json, const word_cleaner& clean_text) {
  return word_edits(json, clean_text).text();
}

}  // namespace photofinish::proxy
