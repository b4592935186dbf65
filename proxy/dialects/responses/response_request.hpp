// Edits a request of OpenAI's Responses for a provider that serves this API. [pure]
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>

namespace photofinish::proxy {

// Decides how a request without `store` is sent. It gets `store: false`, or stays unchanged, so that the
// provider stores the answer.
enum class unsaid_store : std::uint8_t { off, by_default };

// True if neither `store` nor `background` decides whether the answer is stored, because both are absent or null.
bool leaves_store_unsaid(const client_body& body);

// True if the answer outlives its request or continues a stored answer: `store`, `background`, `conversation`,
// `previous_response_id`.
bool asks_for_state(const client_body& body, unsaid_store unsaid = unsaid_store::off);

// True if the response is streamed. A response in the background is requested in the client's own way, because a stream
// would hold it to the end.
bool is_streamed_response(const client_body& body);

// Adds `store: false` if the client does not decide, because most providers store each answer by default.
void say_what_is_stored(const client_body& body, json_edits& edits);

// Returns false if the conversation has no reasoning item.
inline bool may_hold_reasoning(const client_body& body) {
  return body.may_hold_key("summary") || body.may_hold_key("encrypted_content");
}

// Selects which reasoning is removed. `foreign` removes reasoning that no provider of this API can read: reasoning that
// another API's provider signed, and, if nothing is stored, summaries without encrypted reasoning. It also removes
// reasoning that `known` contains. `all` removes all reasoning. remove_reasoning() returns the number of removed items.
enum class removed_reasoning : std::uint8_t { foreign, all };
std::size_t remove_reasoning(const client_body& body, removed_reasoning which, json_edits& edits,
                             unsaid_store unsaid = unsaid_store::off, foreign_reasoning* known = nullptr);

}  // namespace photofinish::proxy
