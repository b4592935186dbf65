// One request for an answer, of any API: the members that the gateway itself reads. The rest passes through. [pure]
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

// `bytes` is also a stream, but without events: the gateway cannot insert text into it.
enum class answer_form : std::uint8_t { stream, whole, bytes };

// Tells if a request asks its provider to keep state, or continues from kept state.
struct asked_state {
  std::string_view field = {};  // the first member that asks for state, a string literal; empty: nothing is kept
  bool is_kept = false;         // true if the answer outlives its request
  bool is_unsaid = false;       // true if the body has no `store`, and the targets keep the answer by default
  bool is_single = false;       // true if no second attempt is possible, because another target does not have the state
  std::string previous = {};    // the response that the request continues, by the client's id; empty: none
  std::string previous_there = {};  // the same response by its provider's id, once that is known
};

struct parsed_request {
  proxy::wire_format format = proxy::wire_format::none;  // the format of `body`
  std::shared_ptr<const proxy::client_body> body;        // shared by every attempt of its race
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;
  // A part of `body`. Its bytes are used for estimates, its text identifies a repeated request.
  std::string_view prompt;
  std::string_view longest_field = {};  // for a form: identifies a repeated request in place of the prompt
  std::shared_ptr<proxy::request_forms> others = {};  // the forms for dialects of another format; null: there are none
  asked_state state = {};
  bool is_text_alone = false;  // true if the body contains all input of the model
  std::optional<std::string> repeated = {};  // a member that occurs twice; empty text: none; no value: not checked
  bool is_shared = false;  // true if other requests also get this answer, in any form that they ask for
};

// The request in the form for one dialect. It lives as long as the request, except the body, which lives on its own.
struct asked_form {
  proxy::wire_format format = proxy::wire_format::none;  // the format of `body`
  std::shared_ptr<const proxy::client_body> body = {};   // null if the request has an unsupported member
  std::span<const std::string> dropped = {};             // members that the translation left out
  std::string_view unsupported = {};                     // a member that this format does not support; empty: none
};

// Returns the form for a dialect that speaks this format: the client's own body, or a translation, which is made once.
// Without a translation it is the client's own body, which the dialect then does not support.
asked_form form_for(const parsed_request& asked, proxy::wire_format spoken);

}  // namespace photofinish::gateway
