// A client's request of any API: the members that the gateway itself reads. Other members pass unchanged. [pure]
#pragma once

#include "proxy/conversation/writers/request_forms.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/dialects/usage_chunk.hpp"
#include "proxy/json/client_body.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// The form in which the client wants its answer. `bytes` is also streamed, but without events, so the gateway cannot
// insert text into it.
enum class answer_form : std::uint8_t { stream, whole, bytes };

// Describes if a request asks its provider to keep state, or continues from kept state.
struct asked_state {
  std::string_view field = {};  // the first member that asks for state, a string literal; empty if there is none
  bool is_kept = false;         // true if the provider keeps the answer after the request
  bool is_unsaid = false;       // true if the request does not set `store`, and the targets keep answers by default
  bool is_single = false;       // true if no second attempt is possible, because only one target has the state
  std::string previous = {};    // the client's id of the response that the request continues; empty if there is none
  std::string previous_there = {};  // the provider's id of the previous response, when it is known
};

struct parsed_request {
  proxy::wire_format format = proxy::wire_format::none;  // the wire format of `body`
  std::shared_ptr<const proxy::client_body> body;        // the request's body, which all attempts of the race share
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;
  // The part of `body` with the prompt. Estimates use its size, and its text identifies a repeated request.
  std::string_view prompt;
  // For a form: the field that identifies a repeated request in place of the prompt.
  std::string_view longest_field = {};
  // Translations for dialects of another format; null if there are none.
  std::shared_ptr<proxy::request_forms> others = {};
  asked_state state = {};
  bool is_text_alone = false;  // true if the body contains all input of the model
  // A member that occurs twice. The text is empty if there is none. There is no value if this was not checked.
  std::optional<std::string> repeated = {};
  bool is_shared = false;  // true if other requests may also get this answer, in any form that they ask for
};

// The request in the form for one dialect. It is valid as long as the request; the body may outlive the request.
struct asked_form {
  proxy::wire_format format = proxy::wire_format::none;  // the wire format of `body`
  std::shared_ptr<const proxy::client_body> body = {};   // the body for this dialect; null if a member is unsupported
  std::span<const std::string> dropped = {};             // members that the translation could not represent
  std::string_view unsupported = {};  // a member that this format does not support; empty if there is none
};

// Returns the form for a dialect with this format: the client's own body, or a translation, which is made only once. If
// no translation exists, returns the client's own body, which the dialect will reject.
asked_form form_for(const parsed_request& asked, proxy::wire_format spoken);

}  // namespace photofinish::gateway
