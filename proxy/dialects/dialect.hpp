// The API of one kind of provider: converts a request to an HTTP head and body, and the answer to events that do not
// depend on the API. [pure] A dialect only converts bytes. upstream_call sends and receives them.
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/foreign_reasoning.hpp"
#include "proxy/dialects/sse_parser.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/dialects/stream_settings.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/failures/secret.hpp"
#include "proxy/http/http_message.hpp"
#include "proxy/json/client_body.hpp"
#include "proxy/json/json_edits.hpp"
#include "proxy/providers/provider.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace photofinish::proxy {

// The body of a request to one provider, and the memory for the body. The body is either the client's body with edits
// or a text that a dialect has written. All attempts share the client's body.
class request_body {
 public:
  request_body() = default;  // makes a body without bytes
  explicit request_body(std::shared_ptr<const client_body> original)
      : original_(std::move(original)) {
    edits_.reset(original_->json());
  }
  explicit request_body(std::string text) : text_(std::move(text)) {}

  json_edits& edits() { return edits_; }  // the edits of this attempt to the client's body

  // Returns the pieces of the body in the order in which they are sent. The pieces are valid until this object is
  // moved, its edits change, or this function is called again.
  std::span<const std::string_view> pieces() {
    if (original_) return edits_.pieces();
    whole_ = text_;
    return {&whole_, whole_.empty() ? std::size_t{0} : std::size_t{1}};
  }

  // Returns the size in bytes of a body that a dialect has written. The memory of the client's
  // body is counted elsewhere.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::shared_ptr<const client_body> original_;
  json_edits edits_;
  std::string text_;
  std::string_view whole_;
};

// Tells whether the model's earlier reasoning stays in the conversation.
enum class reasoning_items : std::uint8_t {
  kept,
  left_out,  // removed, because the provider refused reasoning that another provider or account had made
};

// The request of one attempt to one provider. Except for `body`, which may be kept, the members are references that
// need to be valid only during the call.
struct attempt_request {
  std::shared_ptr<const client_body> body;
  wire_format format;  // format of the body
  const provider& target;
  std::string_view model;
  const secret& key;  // the credential; if it is empty, the request has no credential
  // Headers of the client that are sent to the provider.
  std::span<const std::pair<std::string, std::string>> forwarded;
  // The shape of the answer that is requested, if the API offers several shapes.
  answer_shape shape = answer_shape::streamed;
  // The provider's own id of the previous response. If it is empty, the id in the client's body is sent.
  std::string_view previous_response = {};
  reasoning_items reasoning = reasoning_items::kept;
  bool is_translated = false;  // true if the gateway wrote the body, because the client uses another format
  bool is_continued = false;   // true if the last message is text of another target, which this target has to continue
  // True if the gateway adds no `store` to a Responses body, so that the provider stores the answer.
  bool keeps_store_unsaid = false;
  // Finds reasoning that the target would refuse; null if no such reasoning is known.
  foreign_reasoning* foreign = nullptr;
  std::optional<price_tier> tier = {};  // the target's configured service tier, which overrides the client's
};

struct prepared_request {
  request_head head;
  request_body body;
  std::vector<std::string> dropped;  // parameters with a meaning that were left out, for the header x-race-dropped
  bool is_unstreamed = false;        // true if a whole answer is requested, although the API can stream
  std::size_t reasoning_left_out = 0;  // number of items, blocks or signatures that were removed: see reasoning_items
  price_tier tier = price_tier::standard;  // the service tier that the request asks for
};

// Reads one answer of one attempt. The functions return the end or a failure exactly once, and nothing after that.
class dialect_stream {
 public:
  using relayed = std::span<const stream_event>;

  virtual ~dialect_stream() = default;

  // Reads the head of the answer, before any other call. The result decides which functions are called next. For
  // `events` these are on_event() and on_body_end(). For `bytes` and `frames` they are on_bytes() or on_frame(), and
  // on_body_end(). For `whole` they are the functions for whole answers. For `refusal` there are none.
  virtual answer_kind on_head(const response_head& head) { return kind_by_type(head); }

  // Returns the content of an event. Usually this is one stream_event or none. At the end of the answer there may be
  // several in order, the last of which is `end`. A stream_event without JSON is not sent to the client. The JSON is
  // valid until the next call, and only as long as the event's bytes.
  virtual result<relayed> on_event(const sse_event& event, instant read_at) = 0;

  // Sets the name of an event that is incomplete because the body has ended, or an empty name.
  // Called before on_body_end().
  virtual void name_unfinished(std::string_view) {}

  // Called when the body has ended correctly. Returns the remaining content, or a failure if the answer is incomplete.
  // `unfinished_data` is sse_parser::unfinished_data(), or for frames the received bytes of an incomplete frame.
  virtual result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) = 0;

  // Reads some bytes of an answer that is sent to the client unchanged. The result is valid as long as the bytes.
  virtual result<relayed> on_bytes(std::string_view, instant) { return relayed{}; }

  // Reads a frame. The result is the same as that of on_event().
  virtual result<relayed> on_frame(const event_frame&, instant) { return relayed{}; }

  // Returns false if the answers to this kind of request are always whole. Then the arrival of the whole answer counts
  // as the arrival of the first token.
  virtual bool is_streamable() const { return true; }

  // Returns the size limit of a whole answer in bytes. `max_event_bytes` is the limit of one event in a stream.
  virtual std::size_t max_whole_bytes(std::size_t max_event_bytes) const { return max_event_bytes; }
  // Called each time that more bytes of a whole answer arrive, with all of its bytes so far. An override can do work
  // early that would take long at the end. Fails if the bytes cannot become an answer.
  virtual result<void> see_whole(std::string_view) { return {}; }
  // Reads a complete whole answer. Fails if the body is not an answer.
  virtual result<void> on_whole(std::string body) = 0;
  // Returns the next events of a whole answer in the same form as on_event(). This function is
  // called until it returns `end`.
  virtual result<relayed> next_of_whole(instant read_at) = 0;
  // Returns how many bytes of a whole answer this object stores.
  virtual std::size_t held_bytes() const = 0;

 protected:
  result<relayed> fail(failure why) {
    is_over_ = true;
    return why;
  }

  bool is_over_ = false;  // true if the end or the failure was returned
};

// The API of one kind of provider. A dialect has no state and lives as long as the program.
class dialect {
 public:
  virtual ~dialect() = default;

  // Returns the format in which `target` accepts `body` for this model. `asked` is the format of the body. If the
  // target accepts this format, or if no format fits, returns `asked`. Otherwise returns a format that request_forms
  // can write. If no format fits, unsupported() reports the request later.
  virtual wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                             const client_body& body) const = 0;

  // Returns the names, in lower case, of client headers that are sent to providers of this kind without being
  // configured. The argument is the format of the client's request.
  virtual std::span<const std::string_view> passed_headers(wire_format) const { return {}; }

  // Returns the first parameter of a client's body that this provider cannot serve and that may not be dropped. Returns
  // nullopt if the provider can serve the body. Called before a race, when the key and the model are not chosen yet.
  // The name is valid as long as `target`.
  virtual std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                                      const provider& target) const = 0;

  // Returns the first parameter that this model of the provider cannot serve and that may not be dropped.
  virtual std::optional<std::string_view> unsupported_by_model(const client_body&, wire_format,
                                                               std::string_view /*model*/,
                                                               const provider& /*target*/) const {
    return std::nullopt;
  }

  // True if the provider would store the answer to this body. Then only one attempt may run.
  virtual bool stores(const client_body& body, wire_format format, const provider& target) const = 0;

  // Writes the request. Must be called only if unsupported() and unsupported_by_model() return nullopt.
  virtual prepared_request prepare(const attempt_request& request) const = 0;

  virtual std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const = 0;
};

}  // namespace photofinish::proxy
