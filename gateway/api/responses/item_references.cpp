#include "gateway/api/responses/item_references.hpp"

#include "gateway/api/passed_event.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/json/json_scan.hpp"
#include "proxy/json/json_text.hpp"

#include <utility>

namespace photofinish::gateway {
namespace {

constexpr std::string_view reference = "item_reference";
// The maximum number of references in a request. There must be a maximum, because each reference needs a look-up.
constexpr std::size_t most_references = 10'000;

std::string place_of(std::size_t at) { return "input[" + std::to_string(at) + "].id"; }

api_error unknown_item(std::size_t at, std::string_view id) {
  return bad_request(place_of(at) + " refers to " + in_quotes(id) +
                         ", which this gateway does not know: it stores items for at most an hour, and only for the "
                         "caller that received them. Send the item itself",
                     place_of(at), "item_not_found");
}

api_error too_long(std::size_t most_bytes) {
  return {.status = 413,
          .message = "with the items that it refers to, the request's body is larger than max_body, " +
                     std::to_string(most_bytes) + " bytes",
          .param = "input"};
}

}  // namespace

bool may_refer_to_items(std::string_view body) { return body.find(reference) != std::string_view::npos; }

std::variant<std::string, api_error> with_items(std::string body, std::size_t most_bytes, const find_item& find,
                                                const claim_room& may_take) {
  proxy::json_scan scan;
  if (!scan.see(body) || !scan.is_complete()) return body;
  const auto input = proxy::json_find(std::string_view(body).substr(body.find('{')), "input");
  if (!input || !proxy::json_is_array(*input)) return body;
  proxy::json_edits edits(body);
  std::size_t bytes = body.size(), references = 0;
  proxy::json_walk walk(*input);
  for (std::size_t at = 0; const auto each = walk.next_element(); ++at) {
    const proxy::object_members item(*each);
    if (item.word("type") != reference) continue;
    if (++references > most_references)
      return bad_request("'input' has more than " + std::to_string(most_references) + " references", "input");
    const std::string id = proxy::json_unescape(item.word("id"));
    const auto found = find(id);
    if (!found) return unknown_item(at, id);
    bytes += found->size();
    if (bytes > most_bytes) return too_long(most_bytes);
    // Reserves the memory for the referenced items, and for the body that will contain them.
    if (!may_take(2 * bytes)) return memory_overloaded();
    edits.replace(*each, *found);
  }
  return references == 0 ? std::move(body) : joined(edits.pieces(), bytes);
}

api_error no_such_response(std::string_view id, std::string_view param) {
  return {.status = 404,
          .message = "no response with the id " + in_quotes(id) +
                     " is stored for this caller. A response is stored if the request has `store: true`, or if it has "
                     "no `store` and the route has `race.stored: default`. The response's id works only with the same "
                     "key",
          .param = std::string(param),
          .code = "response_not_found"};
}

}  // namespace photofinish::gateway
