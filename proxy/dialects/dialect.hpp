// The API of one kind of provider: converts a request to an HTTP head and body, and the answer to neutral events.
// [pure] It only handles bytes, and upstream_call handles the sockets.
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

// The body of a request for one provider, and the memory that holds it. The body is either the client's body with
// edits, shared by all attempts, or a text that a dialect has written.
class request_body {
 public:
  request_body() = default;  // a request without a body
  explicit request_body(std::shared_ptr<const client_body> original)
      : original_(std::move(original)) {
    edits_.reset(original_->json());
  }
  explicit request_body(std::string text) : text_(std::move(text)) {}

  json_edits& edits() { return edits_; }  // the edits of the client's body

  // Returns the pieces of the body in the order to send them. They live until the next call, edit or move.
  std::span<const std::string_view> pieces() {
    if (original_) return edits_.pieces();
    whole_ = text_;
    return {&whole_, whole_.empty() ? std::size_t{0} : std::size_t{1}};
  }

  // Returns the bytes of the body's own text. The owner of the client's body counts the client's text.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::shared_ptr<const client_body> original_;
  json_edits edits_;
  std::string text_;
  std::string_view whole_;
};

// Whether the model's earlier reasoning stays in the conversation.
enum class reasoning_items : std::uint8_t {
  kept,
  left_out,  // removed, because the provider refused reasoning that another provider or account had made
};

// The request of one attempt to one provider. Its members are borrowed for the call, except the
// body, which may be kept.
struct attempt_request {
  std::shared_ptr<const client_body> body;
  wire_format format;  // format of the body
  const provider& target;
  std::string_view model;
  const secret& key;  // the credential; if it is empty, no credentials are sent
  std::span<const std::pair<std::string, std::string>> forwarded;  // headers of the client that pass to the provider
  // The requested form of the answer, if the API can answer in several forms.
  answer_shape shape = answer_shape::streamed;
  // The provider's id of the previous response; if it is empty, the body's id is used.
  std::string_view previous_response = {};
  reasoning_items reasoning = reasoning_items::kept;
  bool is_translated = false;  // true if the gateway wrote the body, because the client uses another format
  bool is_continued = false;   // true if the last message is another target's text that this target has to continue
  // True if no `store` is added to a Responses body, so that the provider stores the answer.
  bool keeps_store_unsaid = false;
  // Finds reasoning that the target would refuse; null if no such reasoning is known.
  foreign_reasoning* foreign = nullptr;
  std::optional<price_tier> tier = {};  // the target's own service tier, which overrides the client's
};

struct prepared_request {
  request_head head;
  request_body body;
  std::vector<std::string> dropped;  // parameters with meaning that were left out, for the header x-race-dropped
  bool is_unstreamed = false;        // true if a whole answer is requested, although the API can stream
  std::size_t reasoning_left_out = 0;  // number of items, blocks or signatures that were removed: see reasoning_items
  price_tier tier = price_tier::standard;  // the service tier that the request asks for
};

// Reads one answer of one attempt. It returns exactly one end or one failure, and nothing after it.
class dialect_stream {
 public:
  using relayed = std::span<const stream_event>;

  virtual ~dialect_stream() = default;

  // Reads the head of the answer, before any other call. The result decides which functions follow. For `events`,
  // on_event() and on_body_end() follow. For `bytes` and `frames`, their own function and on_body_end() follow. For
  // `whole`, the functions for whole answers follow. For `refusal`, none follow.
  virtual answer_kind on_head(const response_head& head) { return kind_by_type(head); }

  // Returns the content of an event in order: no stream_event, one, or several at the end, where the last is
  // `end`. The client does not get a stream_event without JSON. The JSON lives until the next call, and as long
  // as the event's bytes.
  virtual result<relayed> on_event(const sse_event& event, instant read_at) = 0;

  // Passes the name of the event that the end of the body cut off, or an empty name. Called before on_body_end().
  virtual void name_unfinished(std::string_view) {}

  // Called when the body has ended correctly. Returns the remaining content, or a failure if the answer is incomplete.
  // `unfinished_data` is sse_parser::unfinished_data(). For frames, it is the received part of the last frame.
  virtual result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) = 0;

  // Reads some bytes of an answer that passes unchanged. The result lives as long as the bytes.
  virtual result<relayed> on_bytes(std::string_view, instant) { return relayed{}; }

  // Reads a frame, as on_event() reads an event.
  virtual result<relayed> on_frame(const event_frame&, instant) { return relayed{}; }

  // Returns false if answers of this kind are always whole. The time of a whole answer is the time of its first token.
  virtual bool is_streamable() const { return true; }

  // Returns the size limit of a whole answer. `max_event_bytes` is the limit of a stream's event.
  virtual std::size_t max_whole_bytes(std::size_t max_event_bytes) const { return max_event_bytes; }
  // Called with all bytes of a whole answer so far, each time that more bytes arrive. It does work early that would
  // take long at the end. Fails if the bytes cannot become an answer.
  virtual result<void> see_whole(std::string_view) { return {}; }
  // Reads a complete whole answer. Fails if the body is not an answer.
  virtual result<void> on_whole(std::string body) = 0;
  // Returns the next events of a whole answer, as on_event() does. It is called until it returns `end`.
  virtual result<relayed> next_of_whole(instant read_at) = 0;
  // Returns how many bytes of a whole answer are held.
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

  // Returns the format in which `target` accepts `body` for that model. The body has the format `asked`. Returns
  // `asked` if the target serves it directly, otherwise a format that request_forms can write. If there is no such
  // format, returns `asked`, and the request is then unsupported.
  virtual wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                             const client_body& body) const = 0;

  // Returns the headers, in lower case, that pass from clients of the format `asked` to such providers
  // without configuration.
  virtual std::span<const std::string_view> passed_headers(wire_format) const { return {}; }

  // Returns the first parameter of a client's body that matters and that this provider cannot serve. Returns
  // nullopt if the provider can serve the body. Called before a race, without a key and a model. The name lives
  // as long as `target`.
  virtual std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                                      const provider& target) const = 0;

  // Returns the first parameter that matters and that one model of the provider cannot serve.
  virtual std::optional<std::string_view> unsupported_by_model(const client_body&, wire_format,
                                                               std::string_view /*model*/,
                                                               const provider& /*target*/) const {
    return std::nullopt;
  }

  // True if the provider would store the answer to this body, so that only one attempt may run.
  virtual bool stores(const client_body& body, wire_format format, const provider& target) const = 0;

  // Writes the request. Must be called only if no part of it is unsupported.
  virtual prepared_request prepare(const attempt_request& request) const = 0;

  virtual std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const = 0;
};

}  // namespace photofinish::proxy
