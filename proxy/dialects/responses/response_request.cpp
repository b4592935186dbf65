#include "proxy/dialects/responses/response_request.hpp"

#include "proxy/conversation/carried_signature.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/json/element_removal.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/providers/parameters.hpp"

namespace photofinish::proxy {
namespace {

bool is_given(std::string_view value) { return !value.empty() && !json_is_null(value); }

bool has_entries(std::string_view list) { return json_is_array(list) && json_walk(list).next_element(); }

bool is_reasoning(const object_members& item) { return item.word("type") == "reasoning"; }

bool is_foreign(const object_members& item, bool is_stored, foreign_reasoning* known) {
  if (!is_reasoning(item)) return false;
  const std::string_view blob = item["encrypted_content"];
  if (!json_is_string(blob) || json_raw_string(blob).empty()) return !is_stored && !has_entries(item["content"]);
  return unpack_signature(json_raw_string(blob)).has_value() || is_known_foreign(known, blob);
}

}  // namespace

bool leaves_store_unsaid(const client_body& body) {
  return !is_given(body.value_of("store")) && body.value_of("background") != "true";
}

bool asks_for_state(const client_body& body, unsaid_store unsaid) {
  if (unsaid == unsaid_store::by_default && leaves_store_unsaid(body)) return true;
  return is_meaningful("store", body.value_of("store")) || is_meaningful("background", body.value_of("background")) ||
         is_given(body.value_of("conversation")) || is_given(body.value_of("previous_response_id"));
}

bool is_streamed_response(const client_body& body) {
  return body.value_of("background") != "true" || body.value_of("stream") == "true";
}

void say_what_is_stored(const client_body& body, json_edits& edits) {
  // `store` stays unchanged if the client has set it. It also stays unchanged for a background response, which must be
  // stored.
  if (!leaves_store_unsaid(body)) return;
  const std::string_view asked = body.value_of("store");
  if (asked.empty()) edits.insert_member(body.json(), R"("store":false)");
  else edits.replace(asked, "false");
}

std::size_t remove_reasoning(const client_body& body, removed_reasoning which, json_edits& edits,
                             unsaid_store unsaid, foreign_reasoning* known) {
  const std::string_view input = body.value_of("input");
  if (!json_is_array(input) || !may_hold_reasoning(body)) return 0;
  const bool is_stored = asks_for_state(body, unsaid);
  element_removal list(edits);
  for (const std::string_view each : json_elements(input)) {
    const object_members item(each);
    const bool goes = which == removed_reasoning::all ? is_reasoning(item) : is_foreign(item, is_stored, known);
    if (goes) list.remove(each);
    else list.keep(each);
  }
  list.finish();
  return list.removed();
}

}  // namespace photofinish::proxy
