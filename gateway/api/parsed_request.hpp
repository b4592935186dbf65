// A client's request to any API, with the members that the gateway itself reads. Other members pass unchanged. [pure]
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

// The form of the answer that the client wants. `bytes` is a stream without events, so the gateway cannot insert text
// into it.
enum class answer_form : std::uint8_t { stream, whole, bytes };

// The stored data that a request needs from its provider. Either the request asks the provider to store the answer, or
// it continues a conversation that the provider has stored.
struct asked_state {
  // The first request member that needs stored data, as a string literal; empty if there is none.
  std::string_view field = {};
  bool is_kept = false;         // true if the provider keeps the answer after the request has ended
  bool is_unsaid = false;       // true if the request does not set `store`, and its targets store answers by default
  bool is_single = false;       // true if only one attempt is possible, because the data is stored at one target
  std::string previous = {};    // the client's id of the response that the request continues; empty if there is no such
                                // response
  std::string previous_there = {};  // the provider's id of the previous response; empty until it is known
};

struct parsed_request {
  proxy::wire_format format = proxy::wire_format::none;  // the wire format of `body`
  std::shared_ptr<const proxy::client_body> body;        // the request's body, which all attempts of the race share
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;
  // The part of `body` that contains the prompt. Its size is used for estimates. Requests with equal text in this part
  // count as repetitions of the same request.
  std::string_view prompt;
  // The value of the longest field of a multipart form. Two requests with forms count as repetitions of the same
  // request if this value is equal. Empty if the body is not a form.
  std::string_view longest_field = {};
  // The request's translations into other wire formats. Null if there are none.
  std::shared_ptr<proxy::request_forms> others = {};
  asked_state state = {};
  bool is_text_alone = false;  // true if the body contains all input of the model
  // The name of a member that occurs twice in the body, or an empty text. Has no value if the body was not searched for
  // repeated members.
  std::optional<std::string> repeated = {};
  bool is_shared = false;  // true if other requests may also get this answer, streamed or not
};

// A request in the wire format of one dialect (the code for one provider's API). The object is valid as long as the
// request, but its body may outlive the request.
struct asked_form {
  proxy::wire_format format = proxy::wire_format::none;  // the wire format of `body`
  // The body in this format; null if the format does not support a member of the request.
  std::shared_ptr<const proxy::client_body> body = {};
  std::span<const std::string> dropped = {};             // request members that the translation could not represent
  std::string_view unsupported = {};  // a request member that this format does not support; empty if there is none
};

// Returns the request in the wire format `spoken`: either the client's own body or a translation. Each translation is
// made only once. If the request cannot be translated, returns the client's own body, which the provider's dialect will
// reject.
asked_form form_for(const parsed_request& asked, proxy::wire_format spoken);

}  // namespace photofinish::gateway
