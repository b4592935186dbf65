// One request for an answer, whatever API it came by: what the gateway itself reads of it. The rest passes through.
// [pure]
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

// `bytes` is a stream, too, but not of events: nothing can be said between them.
enum class answer_form : std::uint8_t { stream, whole, bytes };

// What a request asks its provider to keep, or to go on with.
struct asked_state {
  std::string_view field = {};  // the first member that says so, a literal; empty: nothing is kept
  bool is_kept = false;         // the answer outlives its request
  bool is_unsaid = false;       // the body does not say `store`, and targets are asked so: by default they keep it
  bool is_single = false;       // no second attempt: another target knows nothing of it
  std::string previous = {};    // the response that it goes on with, as the client calls it; empty: none
  std::string previous_there = {};  // the same as its provider calls it, once that is known
};

struct parsed_request {
  proxy::wire_format format = proxy::wire_format::none;  // of `body`
  std::shared_ptr<const proxy::client_body> body;        // shared by every attempt of its race
  std::string model;
  answer_form form = answer_form::whole;
  proxy::usage_chunk usage = proxy::usage_chunk::unwanted;
  std::string_view prompt;  // in `body`: its bytes give estimates, its text tells a repetition
  std::string_view longest_field = {};  // of a form: tells a repetition in place of the prompt
  std::shared_ptr<proxy::request_forms> others = {};  // for dialects of another format; null: there are none
  asked_state state = {};
  bool is_text_alone = false;  // all that it makes a model read is in its bytes
  std::optional<std::string> repeated = {};  // a member that is given twice; empty: none is; nothing: not looked for
  bool is_shared = false;  // others get its answer, too, in whichever form they want
};

// The request as a dialect gets it. Lives as long as the request, and the body for itself.
struct asked_form {
  proxy::wire_format format = proxy::wire_format::none;  // of `body`
  std::shared_ptr<const proxy::client_body> body = {};   // null where something is unsupported
  std::span<const std::string> dropped = {};             // what the translation left out
  std::string_view unsupported = {};                     // what it cannot say; empty: nothing
};

// For a dialect that speaks this format: the client's own body, or a translation, which is made once. Where there is
// none, the client's own, which the dialect then does not support.
asked_form form_for(const parsed_request& asked, proxy::wire_format spoken);

}  // namespace photofinish::gateway
