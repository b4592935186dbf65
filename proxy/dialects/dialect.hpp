// How one kind of provider is spoken to: a request -> HTTP head and body; its answer -> neutral events. [pure]
// Bytes in, bytes out; the sockets are upstream_call's.
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

// The body of a request as one provider gets it, with whatever it lies in.
// Either the client's own, edited by spans and shared by every attempt, or a text that a dialect has written.
class request_body {
 public:
  request_body() = default;  // no body
  explicit request_body(std::shared_ptr<const client_body> original)
      : original_(std::move(original)) {
    edits_.reset(original_->json());
  }
  explicit request_body(std::string text) : text_(std::move(text)) {}

  json_edits& edits() { return edits_; }  // of the client's

  // What to send, one piece after the other. They live until this is asked again, edited or moved.
  std::span<const std::string_view> pieces() {
    if (original_) return edits_.pieces();
    whole_ = text_;
    return {&whole_, whole_.empty() ? std::size_t{0} : std::size_t{1}};
  }

  // Of its own text: who shares the client's body counts that.
  std::size_t held_bytes() const { return text_.size(); }

 private:
  std::shared_ptr<const client_body> original_;
  json_edits edits_;
  std::string text_;
  std::string_view whole_;
};

// Of a conversation: what the model thought before.
enum class reasoning_items : std::uint8_t {
  kept,
  left_out,  // the provider has refused them: another one's, or another account's
};

// What one attempt asks of one provider. Borrowed for the call, but for the body, which may be kept.
struct attempt_request {
  std::shared_ptr<const client_body> body;
  wire_format format;  // of the body
  const provider& target;
  std::string_view model;
  const secret& key;  // empty: no credentials are sent
  std::span<const std::pair<std::string, std::string>> forwarded;  // client headers that may pass
  answer_shape shape = answer_shape::streamed;  // wanted where the API has a choice
  std::string_view previous_response = {};  // the id of the one before, as the provider knows it; empty: the body's
  reasoning_items reasoning = reasoning_items::kept;
  bool is_translated = false;  // the body is ours: its client speaks another format
  bool is_continued = false;   // its last message is what another target has said: this one is to go on with it
  bool keeps_store_unsaid = false;  // a Responses body without `store` is sent so: the provider keeps the answer
  foreign_reasoning* foreign = nullptr;  // reasoning to leave out although nothing was refused; null: none is known
  std::optional<price_tier> tier = {};  // the target's own, which overrides the client's
};

struct prepared_request {
  request_head head;
  request_body body;
  std::vector<std::string> dropped;  // parameters that said something and were left out: x-race-dropped
  bool is_unstreamed = false;        // asked for in one piece, of an API that streams
  std::size_t reasoning_left_out = 0;  // items, blocks or signatures of the conversation, see reasoning_items
  price_tier tier = price_tier::standard;  // the tier that the request asks for
};

// The response half: one answer of one attempt. Gives exactly one end, or one failure; nothing after it.
class dialect_stream {
 public:
  using relayed = std::span<const stream_event>;

  virtual ~dialect_stream() = default;

  // Asked once, before all else: with `events` the next two are called, with `bytes` and `frames` those for them and
  // the second, with `whole` the others, with `refusal` none.
  virtual answer_kind on_head(const response_head& head) { return kind_by_type(head); }

  // What the event has to say, in order: nothing, one stream_event, or at the end several, of which the last
  // is `end`. A stream_event without JSON says something that is not for the client. The JSON lives until the
  // next call, and as long as the event's bytes.
  virtual result<relayed> on_event(const sse_event& event, instant read_at) = 0;

  // Before on_body_end(): how the stream calls the event that its end cut off; empty: by no name.
  virtual void name_unfinished(std::string_view) {}

  // The body ended properly: what is left to say, or a failure because the answer is cut short.
  // `unfinished_data` is sse_parser::unfinished_data(); of frames, what is there of the last.
  virtual result<relayed> on_body_end(std::string_view unfinished_data, instant read_at) = 0;

  // Some of an answer that passes as it comes: what is said of it lives as the bytes do.
  virtual result<relayed> on_bytes(std::string_view, instant) { return relayed{}; }

  // As on_event().
  virtual result<relayed> on_frame(const event_frame&, instant) { return relayed{}; }

  // False: such answers come in one piece always, and the time of one is the time of its first token.
  virtual bool is_streamable() const { return true; }

  // The most that a whole answer may have, where an event of a stream may have so much.
  virtual std::size_t max_whole_bytes(std::size_t max_event_bytes) const { return max_event_bytes; }
  // More of a whole answer has come: all of it so far. A failure where it cannot become one. For what would take long
  // at the end.
  virtual result<void> see_whole(std::string_view) { return {}; }
  // All of a whole answer; a failure where it is not one.
  virtual result<void> on_whole(std::string body) = 0;
  // What it says, from one call to the next: as on_event() does, and called until `end`.
  virtual result<relayed> next_of_whole(instant read_at) = 0;
  // What it holds of a whole answer meanwhile, in bytes.
  virtual std::size_t held_bytes() const = 0;

 protected:
  result<relayed> fail(failure why) {
    is_over_ = true;
    return why;
  }

  bool is_over_ = false;  // the end or the failure has been given
};

// Stateless; lives as long as the program.
class dialect {
 public:
  virtual ~dialect() = default;

  // The format in which `target` takes `body`, which came in the format `asked`, for that model: that itself, if it
  // serves such requests as they are; otherwise one that request_forms can write it in. If none is written, the request
  // comes as it is, and is then unsupported.
  virtual wire_format speaks(wire_format asked, const provider& target, std::string_view model,
                             const client_body& body) const = 0;

  // Headers of a client of the format `asked` that pass to such providers without being configured, in lower case.
  virtual std::span<const std::string_view> passed_headers(wire_format) const { return {}; }

  // The first parameter of a client's body that this provider cannot serve, where one makes a difference; none: it may
  // be asked. Known before a race, without a key and a model. The name lives as long as `target`.
  virtual std::optional<std::string_view> unsupported(const client_body& body, wire_format format,
                                                      const provider& target) const = 0;

  // The same, of what one model there cannot serve.
  virtual std::optional<std::string_view> unsupported_by_model(const client_body&, wire_format,
                                                               std::string_view /*model*/,
                                                               const provider& /*target*/) const {
    return std::nullopt;
  }

  // Whether the provider would keep the answer that such a body asks for: then no two attempts may run.
  virtual bool stores(const client_body& body, wire_format format, const provider& target) const = 0;

  // Only where nothing is unsupported.
  virtual prepared_request prepare(const attempt_request& request) const = 0;

  virtual std::unique_ptr<dialect_stream> open_stream(stream_settings settings) const = 0;
};

}  // namespace photofinish::proxy
