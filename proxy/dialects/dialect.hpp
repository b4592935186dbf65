// The API of one kind of provider: converts a request to HTTP head and body, and its answer to neutral events. [pure]
// It only handles bytes. upstream_call handles the sockets.
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

// The body of a request for one provider, and the memory that holds it. It is either the client's body with edits,
// shared by all attempts, or a text that a dialect has written.
class request_body {
 public:
  request_body() = default;  // no body
  explicit request_body(std::shared_ptr<const client_body> original)
      : original_(std::move(original)) {
    edits_.reset(original_->json());
  }
  explicit request_body(std::string text) : text_(std::move(text)) {}

  json_edits& edits() { return edits_; }  // edits of the client's body

  // Returns the pieces to send in their order. They live until the next call, edit or move.
  std::span<const std::string_view> pieces() {
    if (original_) return edits_.pieces();
    whole_ = text_;
    return {&whole_, whole_.empty() ? std::size_t{0} : std::size_t{1}};
  }

  // Bytes of its own text. The owner of the client's body counts that body.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::shared_ptr<const client_body> original_;
  json_edits edits_;
  std::string text_;
  std::string_view whole_;
};

// The model's earlier reasoning in the conversation.
enum class reasoning_items : std::uint8_t {
  kept,
  left_out,  // the provider refused it: another provider or account made it
};

// The request of one attempt to one provider. All is borrowed for the call, except the body, which may be kept.
struct attempt_request {
  std::shared_ptr<const client_body> body;
  wire_format format;  // format of the body
  const provider& target;
  std::string_view model;
  const secret& key;  // empty: no credentials are sent
  std::span<const std::pair<std::string, std::string>> forwarded;  // client headers that may pass
  answer_shape shape = answer_shape::streamed;  // used if the API has a choice
  std::string_view previous_response = {};  // the provider's id of the previous response; empty: use the body's
  reasoning_items reasoning = reasoning_items::kept;
  bool is_translated = false;  // the gateway wrote the body: the client uses another format
  bool is_continued = false;   // the last message is another target's text, which this target has to continue
  bool keeps_store_unsaid = false;  // a Responses body without `store` stays so: the provider stores the answer
  foreign_reasoning* foreign = nullptr;  // reasoning to leave out before any refusal; null: none is known
  std::optional<price_tier> tier = {};  // the target's own tier, which overrides the client's
};

struct prepared_request {
  request_head head;
  request_body body;
  std::vector<std::string> dropped;  // parameters with meaning that were left out: x-race-dropped
  bool is_unstreamed = false;        // a whole answer is requested, although the API can stream
  std::size_t reasoning_left_out = 0;  // items, blocks or signatures of the conversation, see reasoning_items
  price_tier tier = price_tier::standard;  // the tier that the request asks for
};

// The response half: reads one answer of one attempt. Returns exactly one end or one failure, and nothing after it.
class dialect_stream {
 public:
  using relayed = std::span<const stream_event>;

  virtual ~dialect_stream() = default;

  // Called once, before all other functions. The result decides the later calls. `events`: on_event() and
  // on_body_end(). `bytes` and `frames`: their own function and on_body_end(). `whole`: the functions for whole
  // answers. `refusal`: none.
  virtual answer_kind on_head(const response_head& head) { return kind_by_type(head); }

  // Returns the content of the event in order: nothing, one stream_event, or several at the end, where the last is
  // `end`. The client does not get a stream_event without JSON. The JSON lives until the next call, and as long as the
  // event's bytes.
  virtual result<relayed> on_event(const sse_event& event, instant read_at) = 0;

  // Called before on_body_end() with the name of the event that the end cut off. Empty if it has no name.
  virtual void name_unfinished(std::string_view) {}

  // The body has ended correctly. Returns the remaining content, or a failure if the answer is incomplete.
  // `unfinished_data` is sse_parser::unfinished_data(). For frames, it is the received part of the last frame.
  virtual result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) = 0;

  // Reads some bytes of an answer that passes unchanged. The result lives as long as the bytes.
  virtual result<relayed> on_bytes(std::string_view, instant) { return relayed{}; }

  // Works like on_event().
  virtual result<relayed> on_frame(const event_frame&, instant) { return relayed{}; }

  // Returns false if such answers are always whole. The time of a whole answer is the time of its first token.
  virtual bool is_streamable() const { return true; }

  // Returns the size limit of a whole answer, given the limit of a stream's event.
  virtual std::size_t max_whole_bytes(std::size_t max_event_bytes) const { return max_event_bytes; }
  // Called with all bytes of a whole answer so far, each time that more bytes arrive. Does work early that would take
  // long at the end. Fails if the bytes cannot become an answer.
  virtual result<void> see_whole(std::string_view) { return {}; }
  // Takes a complete whole answer. Fails if it is not an answer.
  virtual result<void> on_whole(std::string body) = 0;
  // Returns the next events of a whole answer, like on_event(). It is called until it returns `end`.
  virtual result<relayed> next_of_whole(instant read_at) = 0;
  // Bytes of a whole answer that are held.
  virtual std::size_t held_bytes() const = 0;

 protected:
  result<relayed> fail(failure why) {
    is_over_ = true;
    return why;
  }

  bool is_over_ = false;  // the end or the failure was returned
};

// Has no state, and lives as long as the program.
class dialect {
 public:
  virtual ~dialect() = default;

  // Returns the format in which `target` accepts `body`, which has the format `asked`, for that model. Returns `asked`
  // if the target serves it directly, otherwise a format that request_forms can write. If there is no such format,
  // returns `asked`, and the request is then unsupported.
  virtual wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                             const client_body& body) const = 0;

  // Headers, in lower case, that pass from clients of the format `asked` to such providers without configuration.
  virtual std::span<const std::string_view> passed_headers(wire_format) const { return {}; }

  // Returns the first parameter of a client's body that matters and that this provider cannot serve. Returns nothing if
  // the provider can serve the body. Called before a race, without a key and a model. The name lives as long as
  // `target`.
  virtual std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                                      const provider& target) const = 0;

  // Does the same for one model of the provider.
  virtual std::optional<std::string_view> unsupported_by_model(const client_body&, wire_format,
                                                               std::string_view /*model*/,
                                                               const provider& /*target*/) const {
    return std::nullopt;
  }

  // True if the provider would store the answer to this body. Then only one attempt may run.
  virtual bool stores(const client_body& body, wire_format format, const provider& target) const = 0;

  // Call this only if nothing is unsupported.
  virtual prepared_request prepare(const attempt_request& request) const = 0;

  virtual std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const = 0;
};

}  // namespace photofinish::proxy
