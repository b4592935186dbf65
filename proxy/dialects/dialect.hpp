// The API of one kind of provider. [pure] A dialect converts a request to an HTTP head and body, and the answer to
// events that do not depend on the API. upstream_call sends and receives the bytes.
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

// The body of a request to one provider, and the memory for the body. The body is either the client's body with edits,
// or a text that a dialect wrote. All attempts share the client's body.
class request_body {
 public:
  request_body() = default;  // creates an empty body
  explicit request_body(std::shared_ptr<const client_body> original)
      : original_(std::move(original)) {
    edits_.reset(original_->json());
  }
  explicit request_body(std::string text) : text_(std::move(text)) {}

  json_edits& edits() { return edits_; }  // the edits that this attempt makes to the client's body

  // Returns the pieces of the body in the order in which they are sent. They are valid until this object is moved, its
  // edits change, or this function is called again.
  std::span<const std::string_view> pieces() {
    if (original_) return edits_.pieces();
    whole_ = text_;
    return {&whole_, whole_.empty() ? std::size_t{0} : std::size_t{1}};
  }

  // Returns the size in bytes of a text that a dialect wrote. The client's body is not included, because its memory is
  // counted elsewhere.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::shared_ptr<const client_body> original_;
  json_edits edits_;
  std::string text_;
  std::string_view whole_;
};

// States whether earlier reasoning of the model stays in the conversation.
enum class reasoning_items : std::uint8_t {
  kept,
  left_out,  // the provider refused reasoning of another provider or account, so all reasoning is removed
};

// The request of one attempt to one provider. The dialect may keep `body`. The other members are references that are
// valid only during the call.
struct attempt_request {
  std::shared_ptr<const client_body> body;
  wire_format format;  // the format of the body
  const provider& target;
  std::string_view model;
  const secret& key;  // the credential; if it is empty, the request has no credential
  // Client headers that are also sent to the provider.
  std::span<const std::pair<std::string, std::string>> forwarded;
  // States whether the request asks for a stream, a JSON object, or another kind of answer. Some APIs have only one
  // kind.
  answer_shape shape = answer_shape::streamed;
  // The provider's own id of the previous response. If it is empty, the id in the client's body is sent.
  std::string_view previous_response = {};
  reasoning_items reasoning = reasoning_items::kept;
  bool is_translated = false;  // true if the gateway translated the body from the client's format
  // true if the last message is the beginning of another target's answer, which this target has to continue
  bool is_continued = false;
  // True if the gateway does not add `store` to a Responses request that lacks this member. The provider then applies
  // its own default, which is usually to store the answer.
  bool keeps_store_unsaid = false;
  // Recognizes reasoning that the target would refuse. Null if the request has no such reasoning.
  foreign_reasoning* foreign = nullptr;
  std::optional<price_tier> tier = {};  // the target's configured service tier, which overrides the client's tier
};

struct prepared_request {
  request_head head;
  request_body body;
  // omitted parameters that would have affected the answer, for the header x-race-dropped
  std::vector<std::string> dropped;
  bool is_unstreamed = false;        // true if the request turns streaming off, although the API supports streaming
  std::size_t reasoning_left_out = 0;  // number of removed reasoning items, blocks or signatures (see reasoning_items)
  price_tier tier = price_tier::standard;  // the service tier that the request asks for
};

// Reads the answer to one attempt. Exactly one call returns the end of the answer or a failure. All later calls return
// nothing.
class dialect_stream {
 public:
  using relayed = std::span<const stream_event>;

  virtual ~dialect_stream() = default;

  // Reads the head of the answer. Must be called before any other function. The returned kind decides which functions
  // are called next. `events` is followed by calls of on_event() and on_body_end(), `bytes` by calls of on_bytes() and
  // on_body_end(), and `frames` by calls of on_frame() and on_body_end(). `whole` is followed by calls of the functions
  // for non-streamed answers. After `refusal`, no function is called.
  virtual answer_kind on_head(const response_head& head) { return kind_by_type(head); }

  // Returns the content of an event, usually one stream_event or none. At the end of the answer there may be several,
  // of which the last is `end`. A stream_event without JSON is not sent to the client. The JSON is valid until the next
  // call or until the event's bytes are freed.
  virtual result<relayed> on_event(const sse_event& event, instant read_at) = 0;

  // Sets the name of an event that was still incomplete when the body ended. The name may be empty. Must be called
  // before on_body_end().
  virtual void name_unfinished(std::string_view) {}

  // Called when the body has ended correctly. Returns the remaining content, or a failure if the answer is incomplete.
  // For server-sent events, `unfinished_data` is sse_parser::unfinished_data(). For frames, it contains the received
  // bytes of an incomplete frame.
  virtual result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) = 0;

  // Reads some bytes of an answer that the client gets unchanged. The result is valid until the bytes are freed.
  virtual result<relayed> on_bytes(std::string_view, instant) { return relayed{}; }

  // Reads a frame. The result has the same form as the result of on_event().
  virtual result<relayed> on_frame(const event_frame&, instant) { return relayed{}; }

  // Returns false if answers to this kind of request are never streamed. The arrival of the complete answer then counts
  // as the arrival of the first token.
  virtual bool is_streamable() const { return true; }

  // Returns the size limit of a non-streamed answer in bytes. `max_event_bytes` is the size limit of one event in a
  // stream.
  virtual std::size_t max_whole_bytes(std::size_t max_event_bytes) const { return max_event_bytes; }
  // Called whenever more bytes of a non-streamed answer have arrived. The argument contains all bytes received so far.
  // Subclasses can use this call to begin slow work early. The call fails if the bytes cannot become a valid answer.
  virtual result<void> see_whole(std::string_view) { return {}; }
  // Reads a complete non-streamed answer. Fails if the body is not a valid answer of this API.
  virtual result<void> on_whole(std::string body) = 0;
  // Returns the next events of a non-streamed answer in the same form as on_event(). The caller repeats the call until
  // the events contain `end`.
  virtual result<relayed> next_of_whole(instant read_at) = 0;
  // Returns how many bytes of a non-streamed answer this object stores.
  virtual std::size_t held_bytes() const = 0;

 protected:
  result<relayed> fail(failure why) {
    is_over_ = true;
    return why;
  }

  bool is_over_ = false;  // true after the end of the answer or a failure was returned
};

// The API of one kind of provider. A dialect has no state and exists until the program ends.
class dialect {
 public:
  virtual ~dialect() = default;

  // Returns the format in which the request is sent to `target` for this model. `asked` is the format of `body`, and is
  // returned if the target accepts it. Otherwise, the result is a format that the target accepts and that request_forms
  // can write. If there is no such format, the result is `asked`, and unsupported() rejects the request later.
  virtual wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                             const client_body& body) const = 0;

  // Returns the names, in lower case, of client headers that are sent to providers of this kind even if they are not
  // configured. The argument is the format of the client's request.
  virtual std::span<const std::string_view> passed_headers(wire_format) const { return {}; }

  // Returns the first parameter of a client's body that this provider does not support and that may not be dropped.
  // Returns nullopt if the provider supports the body. This function is called before the gateway chooses the key and
  // the model. The returned name is valid as long as `target` exists.
  virtual std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                                      const provider& target) const = 0;

  // Returns the first parameter that this model of the provider does not support and that may not be dropped.
  virtual std::optional<std::string_view> unsupported_by_model(const client_body&, wire_format,
                                                               std::string_view /*model*/,
                                                               const provider& /*target*/) const {
    return std::nullopt;
  }

  // True if the provider would store the answer to this body. In that case only one attempt may run.
  virtual bool stores(const client_body& body, wire_format format, const provider& target) const = 0;

  // Writes the request. May be called only if unsupported() and unsupported_by_model() return nullopt.
  virtual prepared_request prepare(const attempt_request& request) const = 0;

  virtual std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const = 0;
};

}  // namespace photofinish::proxy
