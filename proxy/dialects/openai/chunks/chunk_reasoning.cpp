// The reasoning of a choice for chunk_inspector: `reasoning_details`, signatures of calls, lists of parts. [pure]
#include "proxy/conversation/carried_signature.hpp"
#include "proxy/dialects/openai/chunks/chunk_inspector.hpp"
#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace photofinish::proxy {

namespace dom = simdjson::dom;

namespace {

std::string_view text_of_detail(dom::object detail) {
  const std::string_view text = text_at(detail, "text");
  return text.empty() ? text_at(detail, "summary") : text;
}

bool says_text(dom::array details) {
  return std::any_of(details.begin(), details.end(), [](dom::element entry) {
    dom::object detail;
    return entry.get(detail) == simdjson::SUCCESS && !text_of_detail(detail).empty();
  });
}

// The text has its own place in every API, and is written back from there.
std::string without_text(dom::object detail) {
  std::string rest = "{";
  for (const auto [key, value] : detail) {
    if (key == "text") continue;
    rest.append(rest.size() > 1 ? "," : "").append(json_quote(key)).append(":").append(simdjson::minify(value));
  }
  return rest + "}";
}

}  // namespace

// Some servers send a list of parts instead of a string.
std::string_view chunk_inspector::reasoning_text(dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return text;
  dom::array parts;
  if (value.get(parts) != simdjson::SUCCESS) return {};
  std::string joined;
  for (const auto entry : parts) {
    dom::object part;
    if (entry.get(part) == simdjson::SUCCESS) joined += text_of_detail(part);
    else if (entry.get(text) == simdjson::SUCCESS) joined += text;
  }
  return joined.empty() ? std::string_view{} : texts_.emplace_back(std::move(joined));
}

// Many providers send each text twice, as `reasoning` and in the details: the client gets it once. It precedes the text
// and the calls of the same delta.
void chunk_inspector::read_details(dom::element details, std::string_view reasoning, std::size_t first_delta,
                                   const choice_facts& choice) {
  dom::array list;
  if (details.get(list) != simdjson::SUCCESS) return see_reasoning(reasoning);
  const auto begun = static_cast<std::ptrdiff_t>(facts_.deltas.size());
  const bool has_texts = says_text(list);
  if (!has_texts) has_plain_thoughts_ |= !reasoning.empty();
  const bool takes_texts = has_texts && !has_plain_thoughts_;
  if (!takes_texts) see_reasoning(reasoning);
  for (const auto entry : list) {
    dom::object detail;
    if (is_full()) return;
    if (entry.get(detail) != simdjson::SUCCESS) continue;
    if (takes_texts) see_reasoning(text_of_detail(detail));
    if (use_ == json_use::translated) see_detail(detail);
  }
  const auto first = facts_.deltas.begin() + static_cast<std::ptrdiff_t>(first_delta);
  std::rotate(first, facts_.deltas.begin() + begun, facts_.deltas.end());
  const std::size_t added = facts_.deltas.size() - static_cast<std::size_t>(begun);
  for (std::size_t each = choice.first_call; each < facts_.calls.size(); ++each)
    facts_.calls[each].first_delta += added;
}

void chunk_inspector::see_detail(dom::object detail) {
  const std::string_view type = text_at(detail, "type");
  if (type == "reasoning.encrypted" && !text_at(detail, "data").empty())
    see_carried(delta_kind::opaque, simdjson::minify(detail));
  else if (type == "reasoning.text" && !text_at(detail, "signature").empty())
    see_carried(delta_kind::signature, without_text(detail));
  else if (!type.starts_with("reasoning.")) lose("reasoning_details");
}

// Google's layer signs a call or a message: {"google":{"thought_signature":".."}}.
void chunk_inspector::see_extra_content(dom::element extra) {
  const auto google = object_at(extra, "google");
  if (google && !text_at(*google, "thought_signature").empty())
    see_carried(delta_kind::opaque, R"({"extra_content":)" + simdjson::minify(extra) + "}");
}

void chunk_inspector::see_carried(delta_kind kind, std::string piece) {
  if (is_full()) return;
  facts_.deltas.push_back({.kind = kind, .text = texts_.emplace_back(std::move(piece)), .id = chat_member_reader});
}

}  // namespace photofinish::proxy
