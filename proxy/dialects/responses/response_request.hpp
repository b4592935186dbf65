// Edits a request of OpenAI's Responses API for a provider that serves this API. [pure]
#pragma once

#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <cstdint>

namespace photofinish::proxy {

// Decides what happens to a request without `store`. `off` adds `store: false`. `by_default` changes nothing, so the
// provider applies its default and stores the answer.
enum class unsaid_store : std::uint8_t { off, by_default };

// True if the client has not decided whether the provider stores the answer. In that case, `store` and `background` are
// both absent or null.
bool leaves_store_unsaid(const client_body& body);

// True if the provider keeps the answer after the request, or if the request continues a stored answer. The members
// `store`, `background`, `conversation` and `previous_response_id` decide this.
bool asks_for_state(const client_body& body, unsaid_store unsaid = unsaid_store::off);

// True if the provider should stream the response. A stream of a background response would stay open until the response
// ends. Therefore, a background response is streamed only if the client requests it.
bool is_streamed_response(const client_body& body);

// Adds `store: false` if the client has not decided whether the provider stores the answer. Most providers store every
// answer by default.
void say_what_is_stored(const client_body& body, json_edits& edits);

// Returns false only if the conversation certainly contains no reasoning item.
inline bool may_hold_reasoning(const client_body& body) {
  return body.may_hold_key("summary") || body.may_hold_key("encrypted_content");
}

// Selects the reasoning items to remove. `all` removes all reasoning. `foreign` removes reasoning that another target
// made, according to `known`, and reasoning that was signed for another API. If the provider does not store the answer,
// `foreign` also removes summaries without encrypted reasoning. remove_reasoning() returns the number of removed items.
enum class removed_reasoning : std::uint8_t { foreign, all };
std::size_t remove_reasoning(const client_body& body, removed_reasoning which, json_edits& edits,
                             unsaid_store unsaid = unsaid_store::off, foreign_reasoning* known = nullptr);

}  // namespace photofinish::proxy
