#include "proxy/http2/http2_session.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/http2/http2_headers.hpp"

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace photofinish::proxy {
namespace {

constexpr std::size_t bytes_at_once = 64u << 10;
// The maximum number of frames in a row that contain no part of an answer. Examples are the heads of informational
// responses, and data frames that contain only padding. A single frame is cheap, but a peer that sends more of them in
// a row is hostile.
constexpr int max_idle_frames = 1000;
// The maximum number of received bytes in a row that contain no part of an answer. This limit is needed because nghttp2
// ignores some frames silently.
constexpr std::ptrdiff_t max_idle_bytes = 1 << 20;

struct stream_state {
  std::span<const std::string_view> body;  // the part of the request's body that has not been sent yet
  std::size_t offset = 0;                  // position in the first part of the body
  std::size_t left = 0;                    // unsent bytes
  bool is_stopped = false;                 // true if the request's body must not be read any more
  bool is_muted = false;                   // true if the stream must not produce events any more
  bool is_ended = false;                   // true if the response is complete
  bool has_head = false;
  response_head head;
  response_field_guard guard;
};

std::uint8_t* as_bytes(const std::string& text) {
  return const_cast<std::uint8_t*>(reinterpret_cast<const std::uint8_t*>(text.data()));
}

std::string_view as_text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

nghttp2_nv as_nv(const http2_field& field) {
  const std::uint8_t flags =
      field.indexed == may_be_indexed::yes ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX;
  return {as_bytes(field.name), as_bytes(field.value), field.name.size(), field.value.size(), flags};
}

bool is_last(const nghttp2_frame_hd& frame) { return (frame.flags & NGHTTP2_FLAG_END_STREAM) != 0; }

// True if the first nine bytes of a frame prove that it contains a part of an answer, or the end of an answer. A padded
// frame proves nothing, because it may contain only padding. A HEADERS frame may belong to an informational response.
bool brings_answer(const nghttp2_frame_hd& frame) {
  if (frame.type != NGHTTP2_DATA) return false;
  return is_last(frame) || (frame.length > 0 && (frame.flags & NGHTTP2_FLAG_PADDED) == 0);
}

}  // namespace

// The session's state. nghttp2's callbacks only record their arguments here, and never call nghttp2's functions to send
// or receive.
struct http2_session::state {
  state();
  ~state() { nghttp2_session_del(session); }
  state(const state&) = delete;
  state& operator=(const state&) = delete;

  stream_state* find(stream_id which) {
    const auto found = streams.find(which);
    return found == streams.end() ? nullptr : found->second.get();
  }
  void say(const stream_state& about, http2_event event) {
    if (!about.is_muted) events.push_back(std::move(event));
  }
  void break_stream(stream_id which, stream_state& stream, std::uint32_t error);
  void note_progress() { idle_frames = 0, idle_bytes = std::min<std::ptrdiff_t>(idle_bytes, 0); }

  // Wraps a callback. nghttp2 is written in C, and no exception may pass through it. The wrapper catches the exception,
  // and rethrow() throws it again.
  template <auto callback>
  struct guarded;
  template <class Result, class... Arguments, Result (*callback)(Arguments...)>
  struct guarded<callback> {
    static Result call(Arguments... arguments) noexcept {
      try {
        return callback(arguments...);
      } catch (...) {
        void* const self = std::get<sizeof...(Arguments) - 1>(std::tuple(arguments...));
        static_cast<state*>(self)->bug = std::current_exception();
        return NGHTTP2_ERR_CALLBACK_FAILURE;
      }
    }
  };
  void rethrow() {
    if (bug) std::rethrow_exception(std::exchange(bug, nullptr));
  }

  // nghttp2 defines the signatures of these callbacks.
  static int on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* frame, void* self);
  static int on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name, std::size_t name_bytes,
                       const std::uint8_t* value, std::size_t value_bytes, std::uint8_t, void* self);
  static int on_invalid_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*, std::size_t,
                               const std::uint8_t*, std::size_t, std::uint8_t, void* self);
  static int on_data(nghttp2_session*, std::uint8_t, stream_id which, const std::uint8_t* bytes, std::size_t size,
                     void* self);
  static int on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self);
  static int on_close(nghttp2_session*, stream_id which, std::uint32_t error, void* self);
  static int on_not_sent(nghttp2_session*, const nghttp2_frame* frame, int, void* self);
  static ssize_t read_body(nghttp2_session*, stream_id, std::uint8_t*, std::size_t length, std::uint32_t* flags,
                           nghttp2_data_source* source, void*);
  static int send_body(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t length,
                       nghttp2_data_source* source, void* self);

  void end_of_headers(stream_id which, stream_state& stream, bool is_end);

  nghttp2_session* session = nullptr;
  std::unordered_map<stream_id, std::unique_ptr<stream_state>> streams;
  std::vector<http2_event> events;
  std::string* out = nullptr;  // the output buffer; set only while collect() runs
  int idle_frames = 0;
  std::ptrdiff_t idle_bytes = 0;  // negative after a reset, because bytes of the stream that was reset may still arrive
  bool is_going = false;          // true if the peer accepts no more requests
  bool said_goodbye = false;
  bool received_enhance_your_calm = false;
  std::exception_ptr bug;
};

http2_session::state::state() {
  nghttp2_session_callbacks* callbacks = nullptr;
  nghttp2_session_callbacks_new(&callbacks);
  nghttp2_session_callbacks_set_on_begin_frame_callback(callbacks, &guarded<&state::on_begin_frame>::call);
  nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, &guarded<&state::on_begin_headers>::call);
  nghttp2_session_callbacks_set_on_header_callback(callbacks, &guarded<&state::on_header>::call);
  nghttp2_session_callbacks_set_on_invalid_header_callback(callbacks, &guarded<&state::on_invalid_header>::call);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, &guarded<&state::on_data>::call);
  nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, &guarded<&state::on_frame>::call);
  nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, &guarded<&state::on_close>::call);
  nghttp2_session_callbacks_set_on_frame_not_send_callback(callbacks, &guarded<&state::on_not_sent>::call);
  nghttp2_session_callbacks_set_send_data_callback(callbacks, &guarded<&state::send_body>::call);
  nghttp2_option* options = nullptr;
  nghttp2_option_new(&options);
  // Windows grow only when the streams' readers have consumed bytes.
  nghttp2_option_set_no_auto_window_update(options, 1);
  nghttp2_option_set_no_closed_streams(options, 1);
  nghttp2_session_client_new2(&session, callbacks, this, options);
  nghttp2_option_del(options);
  nghttp2_session_callbacks_del(callbacks);

  const std::array<nghttp2_settings_entry, 3> settings{{
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, stream_window},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, 64u << 10},
  }};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, settings.data(), settings.size());
  // The connection's window is so large that it never limits the peer. A slow reader therefore stops only its own
  // stream.
  nghttp2_session_set_local_window_size(session, NGHTTP2_FLAG_NONE, 0, max_streams * stream_window);
}

void http2_session::state::break_stream(stream_id which, stream_state& stream, std::uint32_t error) {
  if (stream.is_ended || stream.is_muted) return;
  say(stream, {.kind = http2_event_kind::broken, .stream = which, .error = error});
  stream.is_muted = true;
}

int http2_session::state::on_begin_frame(nghttp2_session*, const nghttp2_frame_hd* frame, void* self) {
  auto& mine = *static_cast<state*>(self);
  if (brings_answer(*frame)) mine.note_progress();
  else ++mine.idle_frames;
  return mine.idle_frames > max_idle_frames ? NGHTTP2_ERR_CALLBACK_FAILURE : 0;
}

int http2_session::state::on_begin_headers(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  if (auto* stream = static_cast<state*>(self)->find(frame->hd.stream_id)) {
    if (!stream->has_head) stream->head = {};
    stream->guard = {};
  }
  return 0;
}

int http2_session::state::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                                    std::size_t name_bytes, const std::uint8_t* value, std::size_t value_bytes,
                                    std::uint8_t, void* self) {
  auto& mine = *static_cast<state*>(self);
  auto* stream = mine.find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  const std::string_view field = as_text(name, name_bytes), text = as_text(value, value_bytes);
  if (field == ":status") {
    std::from_chars(text.data(), text.data() + text.size(), stream->head.status);
    return 0;
  }
  if (!stream->guard.accepts(field, text)) {
    mine.break_stream(frame->hd.stream_id, *stream, NGHTTP2_PROTOCOL_ERROR);
    return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;  // this error code makes nghttp2 reset the stream
  }
  if (!stream->has_head) stream->head.fields.emplace_back(field, text);  // fields after the head belong to a trailer
  return 0;
}

int http2_session::state::on_invalid_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t*,
                                            std::size_t, const std::uint8_t*, std::size_t, std::uint8_t, void* self) {
  auto& mine = *static_cast<state*>(self);
  if (auto* stream = mine.find(frame->hd.stream_id))
    mine.break_stream(frame->hd.stream_id, *stream, NGHTTP2_PROTOCOL_ERROR);
  return NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE;
}

void http2_session::state::end_of_headers(stream_id which, stream_state& stream, bool is_end) {
  if (!stream.has_head && stream.head.status < 200) {
    say(stream, {.kind = http2_event_kind::interim, .stream = which});
  } else {
    note_progress();
    if (!std::exchange(stream.has_head, true))
      say(stream, {.kind = http2_event_kind::head, .stream = which, .head = std::move(stream.head)});
  }
  if (!is_end) return;
  stream.is_ended = true;
  say(stream, {.kind = http2_event_kind::end, .stream = which});
}

int http2_session::state::on_data(nghttp2_session* session, std::uint8_t, stream_id which, const std::uint8_t* bytes,
                                  std::size_t size, void* self) {
  auto& mine = *static_cast<state*>(self);
  nghttp2_session_consume_connection(session, size);
  if (size > 0) mine.note_progress();
  auto* stream = mine.find(which);
  if (stream != nullptr && size > 0)
    mine.say(*stream, {.kind = http2_event_kind::body, .stream = which, .bytes = as_text(bytes, size)});
  return 0;
}

int http2_session::state::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  auto& mine = *static_cast<state*>(self);
  if (frame->hd.type == NGHTTP2_GOAWAY) {
    mine.is_going = true;
    mine.received_enhance_your_calm |= frame->goaway.error_code == NGHTTP2_ENHANCE_YOUR_CALM;
  }
  auto* stream = mine.find(frame->hd.stream_id);
  if (stream == nullptr) return 0;
  if (frame->hd.type == NGHTTP2_HEADERS) mine.end_of_headers(frame->hd.stream_id, *stream, is_last(frame->hd));
  if (frame->hd.type == NGHTTP2_DATA && is_last(frame->hd)) {
    stream->is_ended = true;
    mine.say(*stream, {.kind = http2_event_kind::end, .stream = frame->hd.stream_id});
  }
  return 0;
}

int http2_session::state::on_close(nghttp2_session*, stream_id which, std::uint32_t error, void* self) {
  auto& mine = *static_cast<state*>(self);
  const auto closed = mine.streams.find(which);
  if (closed == mine.streams.end()) return 0;
  mine.received_enhance_your_calm |= error == NGHTTP2_ENHANCE_YOUR_CALM;
  if (!closed->second->is_ended)
    mine.say(*closed->second, {.kind = http2_event_kind::broken,
                               .stream = which,
                               .error = error,
                               .was_processed = error != NGHTTP2_REFUSED_STREAM});
  mine.streams.erase(closed);
  return 0;
}

// A request may wait because the peer limits the number of streams. If a GOAWAY arrives during this wait, nghttp2 does
// not send the request and calls this function.
int http2_session::state::on_not_sent(nghttp2_session* session, const nghttp2_frame* frame, int, void* self) {
  return frame->hd.type == NGHTTP2_HEADERS ? on_close(session, frame->hd.stream_id, NGHTTP2_REFUSED_STREAM, self) : 0;
}

ssize_t http2_session::state::read_body(nghttp2_session*, stream_id, std::uint8_t*, std::size_t length,
                                        std::uint32_t* flags, nghttp2_data_source* source, void*) {
  const auto& stream = *static_cast<stream_state*>(source->ptr);
  if (stream.is_stopped) return NGHTTP2_ERR_DEFERRED;
  const std::size_t size = std::min(length, stream.left);
  *flags |= NGHTTP2_DATA_FLAG_NO_COPY;  // the bytes are copied later, by send_body
  if (size == stream.left) *flags |= NGHTTP2_DATA_FLAG_EOF;
  return static_cast<ssize_t>(size);
}

int http2_session::state::send_body(nghttp2_session*, nghttp2_frame*, const std::uint8_t* head, std::size_t length,
                                    nghttp2_data_source* source, void* self) {
  constexpr std::size_t frame_head_bytes = 9;
  auto& stream = *static_cast<stream_state*>(source->ptr);
  std::string& out = *static_cast<state*>(self)->out;
  out.append(as_text(head, frame_head_bytes));
  stream.left -= length;
  while (length > 0) {
    const std::string_view piece = stream.body.front().substr(stream.offset, length);
    out.append(piece);
    length -= piece.size();
    stream.offset += piece.size();
    if (stream.offset < stream.body.front().size()) continue;
    stream.body = stream.body.subspan(1);
    stream.offset = 0;
  }
  return 0;
}

http2_session::http2_session() : state_(std::make_unique<state>()) {}
http2_session::~http2_session() = default;

stream_id http2_session::submit(const request_head& head, std::string_view scheme,
                                std::span<const std::string_view> body) {
  if (allowed_streams() == 0) return 0;
  auto stream = std::make_unique<stream_state>();
  stream->body = body;
  for (const std::string_view piece : body) stream->left += piece.size();
  const std::vector<http2_field> fields = http2_request_fields(head, scheme, stream->left);
  std::vector<nghttp2_nv> names_and_values;
  for (const http2_field& field : fields) names_and_values.push_back(as_nv(field));
  nghttp2_data_provider provider;
  provider.source.ptr = stream.get();
  provider.read_callback = &state::read_body;
  const stream_id which =
      nghttp2_submit_request(state_->session, nullptr, names_and_values.data(), names_and_values.size(),
                             stream->left > 0 ? &provider : nullptr, nullptr);
  if (which < 0) return 0;
  state_->streams.emplace(which, std::move(stream));
  return which;
}

bool http2_session::is_uploaded(stream_id which) const {
  const stream_state* stream = state_->find(which);
  return stream == nullptr || stream->left == 0;
}

void http2_session::stop_upload(stream_id which) {
  if (stream_state* stream = state_->find(which)) stream->is_stopped = true;
}

bool http2_session::reset(stream_id which) {
  stream_state* stream = state_->find(which);
  if (stream == nullptr) return false;
  stream->is_stopped = true;
  stream->is_muted = true;
  state_->idle_bytes -= std::ptrdiff_t{stream_window};
  nghttp2_submit_rst_stream(state_->session, NGHTTP2_FLAG_NONE, which, NGHTTP2_CANCEL);
  return true;
}

void http2_session::mute(stream_id which) {
  stream_state* stream = state_->find(which);
  if (stream == nullptr) return;
  stream->is_stopped = true;
  stream->is_muted = true;
}

bool http2_session::is_open(stream_id which) const { return state_->streams.contains(which); }

void http2_session::consumed(stream_id which, std::size_t bytes) {
  nghttp2_session_consume_stream(state_->session, which, bytes);  // fails only if the stream is closed, which is
                                                                  // harmless
}

void http2_session::say_goodbye() {
  if (std::exchange(state_->said_goodbye, true)) return;
  nghttp2_submit_goaway(state_->session, NGHTTP2_FLAG_NONE, 0, NGHTTP2_NO_ERROR, nullptr, 0);
}

result<void> http2_session::receive(std::string_view bytes) {
  const auto* data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  state_->idle_bytes += static_cast<std::ptrdiff_t>(bytes.size());
  ssize_t taken = nghttp2_session_mem_recv(state_->session, data, bytes.size());
  state_->rethrow();
  if (state_->idle_bytes > max_idle_bytes) taken = NGHTTP2_ERR_CALLBACK_FAILURE;
  if (taken >= 0) return {};
  return network_failure(failure_kind::bad_stream, taken == NGHTTP2_ERR_CALLBACK_FAILURE
                                                       ? "the provider sends too many empty frames"
                                                       : std::string("the provider violates HTTP/2: ") +
                                                             nghttp2_strerror(static_cast<int>(taken)));
}

void http2_session::collect(std::string& out) {
  state_->out = &out;
  while (out.size() < bytes_at_once) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(state_->session, &bytes);
    if (size <= 0) break;
    out.append(as_text(bytes, static_cast<std::size_t>(size)));
  }
  state_->out = nullptr;
  state_->rethrow();
}

bool http2_session::wants_to_write() const { return nghttp2_session_want_write(state_->session) != 0; }

std::vector<http2_event> http2_session::take_events() { return std::exchange(state_->events, {}); }

std::size_t http2_session::allowed_streams() const {
  if (state_->is_going || state_->said_goodbye || nghttp2_session_check_request_allowed(state_->session) == 0) return 0;
  const std::size_t peers =
      nghttp2_session_get_remote_settings(state_->session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  return std::min(peers, max_streams);
}

bool http2_session::received_enhance_your_calm() const { return state_->received_enhance_your_calm; }

bool http2_session::is_over() const {
  return nghttp2_session_want_read(state_->session) == 0 && nghttp2_session_want_write(state_->session) == 0;
}

}  // namespace photofinish::proxy
