#include "proxy/dialects/tier_edit.hpp"

#include "proxy/http/http_head.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/model_tier.hpp"
#include "proxy/providers/parameters.hpp"

#include <algorithm>
#include <string>

namespace photofinish::proxy {
namespace {

constexpr std::string_view vertex_header = "x-vertex-ai-llm-shared-request-type";

// Adds Vertex AI's header for the service tier, unless the operator has configured the same header.
void add_header(std::string_view word, request_head& head) {
  const auto is_it = [](const auto& field) { return equals_ignoring_case(field.first, vertex_header); };
  if (word.empty() || std::any_of(head.fields.begin(), head.fields.end(), is_it)) return;
  head.fields.emplace_back(vertex_header, word);
}

std::string tier_json(std::string_view word, tier_place place) {
  const std::string quoted = json_quote(word);
  return place.is_object ? R"({"type":)" + quoted + "}" : quoted;
}

// Returns the name of the service tier in a member of the body. Returns an empty string if the member contains no text.
std::string word_in(std::string_view value, tier_place place) {
  if (place.is_object) value = json_find(value, "type").value_or("");
  return json_is_string(value) ? json_unescape(json_raw_string(value)) : std::string();
}

}  // namespace

void edit_tier(const attempt_request& request, const json_member* member, tier_place place,
               prepared_request& prepared) {
  if (member == nullptr && !request.tier) return;
  const tier_form form = tier_form_of(request.target);
  const std::string asked = member != nullptr ? word_in(member->value, place) : std::string();
  const sent_tier sent = tier_for_model(request.target, request.model, asked, request.tier);
  prepared.tier = sent.tier;
  // True if the member has a value that cannot be the name of a tier, such as a number.
  const bool has_no_word = asked.empty() && member != nullptr && form != tier_form::as_sent && !request.tier &&
                           is_meaningful(place.name, member->value);
  if (sent.is_lost || has_no_word) prepared.dropped.emplace_back(chat_tier.name);
  if (form == tier_form::as_sent && !request.tier) return;
  json_edits& edits = prepared.body.edits();
  if (form == tier_form::vertex) add_header(sent.word, prepared.head);
  if (form == tier_form::vertex || sent.word.empty()) {
    if (member != nullptr) edits.remove_member(*member);
  } else if (member == nullptr) {
    edits.insert_member(request.body->json(), json_quote(place.name) + ":" + tier_json(sent.word, place));
  } else if (sent.word != asked) {
    edits.replace(member->value, tier_json(sent.word, place));
  }
}

}  // namespace photofinish::proxy
