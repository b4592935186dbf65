// What is changed in a request of OpenAI's Responses for a provider that serves them as they are. [pure]
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>

namespace photofinish::proxy {

// How a request without `store` is sent: with false, or without it. The provider then keeps the answer.
enum class unsaid_store : std::uint8_t { off, by_default };

// Neither `store` nor `background` decides whether the answer is kept: absent or null.
bool leaves_store_unsaid(const client_body& body);

// Whether the answer outlives its request, or goes on with one that did: `store`, `background`, `conversation`,
// `previous_response_id`.
bool asks_for_state(const client_body& body, unsaid_store unsaid = unsaid_store::off);

// A response that is worked on in the background is asked for as its client asks: a stream would hold it to the end.
bool is_streamed_response(const client_body& body);

// Says `store: false` where the client says nothing, for the default of providers is to keep each answer.
void say_what_is_stored(const client_body& body, json_edits& edits);

// False: no item of it is reasoning, with its content or without.
inline bool may_hold_reasoning(const client_body& body) {
  return body.may_hold_key("summary") || body.may_hold_key("encrypted_content");
}

// Takes out reasoning that no provider of this API can read: what only another API's provider signed, and, where
// nothing is stored, summaries without the reasoning itself, and what `known` contains. Or all of it. Returns how many
// items that were.
enum class removed_reasoning : std::uint8_t { foreign, all };
std::size_t remove_reasoning(const client_body& body, removed_reasoning which, json_edits& edits,
                             unsaid_store unsaid = unsaid_store::off, foreign_reasoning* known = nullptr);

}  // namespace photofinish::proxy
