#include "tests/support/network/http2_server.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/write.hpp>

#include <nghttp2/nghttp2.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <deque>
#include <list>
#include <mutex>
#include <thread>
#include <utility>

namespace photofinish::testing {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kept_requests = 1000;

struct server_stream {
  explicit server_stream(asio::io_context& loop) : pause(loop) {}
  http2_request request;
  http2_answer answer;
  std::size_t next_piece = 0;
  std::string pending;  // bytes that wait for room in the peer's flow-control window
  bool is_last = false;
  bool has_answered = false;
  asio::steady_timer pause;
};

}  // namespace

struct http2_server::state {
  struct connection;

  state(script asked_play, http2_strictness asked_rules) : play(std::move(asked_play)), rules(asked_rules) {
    accept();
    thread = std::thread([this] { loop.run(); });
  }
  ~state();

  void accept();
  template <class Note>
  void note(const Note& change) {
    const std::lock_guard held(guard);
    change(seen);
  }

  script play;
  http2_strictness rules;
  mutable std::mutex guard;
  http2_counts_seen seen;
  std::vector<http2_request> requests;
  asio::io_context loop{1};
  tcp::acceptor acceptor{loop, tcp::endpoint(asio::ip::make_address("127.0.0.1"), 0)};
  std::list<std::shared_ptr<connection>> connections;  // open connections; pending handlers also own them
  std::thread thread;
};

struct http2_server::state::connection : std::enable_shared_from_this<connection> {
  connection(state& server, tcp::socket accepted, int number);
  ~connection() { nghttp2_session_del(session); }

  void read();
  void write();
  void close(bool is_abrupt);
  void answer(server_stream& stream, int id);
  void send_head(server_stream& stream, int id);
  void next_piece(int id);
  void was_reset();
  server_stream* find(int id) {
    const auto found = streams.find(id);
    return found == streams.end() ? nullptr : found->second.get();
  }
  static connection& of(void* self) { return *static_cast<connection*>(self); }
  static int on_header(nghttp2_session*, const nghttp2_frame*, const std::uint8_t*, std::size_t, const std::uint8_t*,
                       std::size_t, std::uint8_t, void*);
  static int on_begin(nghttp2_session*, const nghttp2_frame*, void*);
  static int on_data(nghttp2_session*, std::uint8_t, std::int32_t, const std::uint8_t*, std::size_t, void*);
  static int on_frame(nghttp2_session*, const nghttp2_frame*, void*);
  static int on_close(nghttp2_session*, std::int32_t, std::uint32_t, void*);
  static ssize_t read_pending(nghttp2_session*, std::int32_t, std::uint8_t*, std::size_t, std::uint32_t*,
                              nghttp2_data_source*, void*);

  state& server;
  tcp::socket socket;
  int number;
  nghttp2_session* session = nullptr;
  std::map<int, std::unique_ptr<server_stream>> streams;
  std::deque<steady_clock::time_point> recent_resets;
  std::size_t stream_count = 0;
  std::size_t reset_count = 0;
  std::array<char, 65536> in;
  std::string out;
  bool is_writing = false;
  bool is_closed = false;
  bool must_close = false;
};

http2_server::state::~state() {
  asio::post(loop, [this] {
    error_code ec;
    acceptor.close(ec);
    for (const auto& each : std::list(connections)) each->close(false);
  });
  thread.join();
}

void http2_server::state::accept() {
  acceptor.async_accept([this](error_code ec, tcp::socket accepted) {
    if (ec) return;
    accepted.set_option(tcp::no_delay(true));
    int number = 0;
    note([&](http2_counts_seen& all) { number = static_cast<int>(all.connections++); });
    connections.push_back(std::make_shared<connection>(*this, std::move(accepted), number));
    connections.back()->write();
    connections.back()->read();
    accept();
  });
}

http2_server::state::connection::connection(state& its_server, tcp::socket accepted, int its_number)
    : server(its_server), socket(std::move(accepted)), number(its_number) {
  nghttp2_session_callbacks* calls = nullptr;
  nghttp2_session_callbacks_new(&calls);
  nghttp2_session_callbacks_set_on_begin_headers_callback(calls, &connection::on_begin);
  nghttp2_session_callbacks_set_on_header_callback(calls, &connection::on_header);
  nghttp2_session_callbacks_set_on_data_chunk_recv_callback(calls, &connection::on_data);
  nghttp2_session_callbacks_set_on_frame_recv_callback(calls, &connection::on_frame);
  nghttp2_session_callbacks_set_on_stream_close_callback(calls, &connection::on_close);
  nghttp2_session_server_new(&session, calls, this);
  nghttp2_session_callbacks_del(calls);
  const nghttp2_settings_entry limit{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
                                     static_cast<std::uint32_t>(server.rules.max_concurrent)};
  nghttp2_submit_settings(session, NGHTTP2_FLAG_NONE, &limit, 1);
}

void http2_server::state::connection::read() {
  socket.async_read_some(asio::buffer(in), [this, self = shared_from_this()](error_code ec, std::size_t count) {
    if (ec || nghttp2_session_mem_recv(session, reinterpret_cast<const std::uint8_t*>(in.data()), count) < 0)
      return close(false);
    write();
    if (!is_closed) read();
  });
}

void http2_server::state::connection::write() {
  if (is_writing || is_closed) return;
  out.clear();
  while (out.size() < 65536) {
    const std::uint8_t* bytes = nullptr;
    const ssize_t size = nghttp2_session_mem_send(session, &bytes);
    if (size <= 0) break;
    out.append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
  }
  if (out.empty()) {
    if (must_close || !(nghttp2_session_want_read(session) || nghttp2_session_want_write(session))) close(false);
    return;
  }
  is_writing = true;
  asio::async_write(socket, asio::buffer(out), [this, self = shared_from_this()](error_code ec, std::size_t) {
    is_writing = false;
    if (ec) return close(false);
    write();
  });
}

void http2_server::state::connection::close(bool is_abrupt) {
  if (std::exchange(is_closed, true)) return;
  error_code ec;
  if (is_abrupt) socket.set_option(tcp::socket::linger(true, 0), ec);
  socket.close(ec);
  server.note([&](http2_counts_seen& all) { all.cut_alive += streams.size(); });
  for (auto& [id, stream] : streams) stream->pause.cancel();
  const auto self = shared_from_this();  // keeps the connection alive until close() returns
  server.connections.remove(self);
}

int http2_server::state::connection::on_begin(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  connection& mine = of(self);
  auto& stream = mine.streams[frame->hd.stream_id];
  stream = std::make_unique<server_stream>(mine.server.loop);
  stream->request.connection = mine.number;
  stream->request.stream = frame->hd.stream_id;
  ++mine.stream_count;
  mine.server.note([&](http2_counts_seen& all) {
    ++all.streams;
    all.most_open = std::max(all.most_open, mine.streams.size());
  });
  return 0;
}

int http2_server::state::connection::on_header(nghttp2_session*, const nghttp2_frame* frame, const std::uint8_t* name,
                                               std::size_t name_bytes, const std::uint8_t* value, std::size_t value_bytes,
                                               std::uint8_t, void* self) {
  if (auto* stream = of(self).find(frame->hd.stream_id))
    stream->request.fields[std::string(reinterpret_cast<const char*>(name), name_bytes)] =
        std::string(reinterpret_cast<const char*>(value), value_bytes);
  return 0;
}

int http2_server::state::connection::on_data(nghttp2_session*, std::uint8_t, std::int32_t id, const std::uint8_t* bytes,
                                             std::size_t size, void* self) {
  if (auto* stream = of(self).find(id)) stream->request.body.append(reinterpret_cast<const char*>(bytes), size);
  return 0;
}

int http2_server::state::connection::on_frame(nghttp2_session*, const nghttp2_frame* frame, void* self) {
  connection& mine = of(self);
  if (frame->hd.type == NGHTTP2_PING) mine.server.note([](http2_counts_seen& all) { ++all.pings; });
  if (frame->hd.type == NGHTTP2_GOAWAY) mine.server.note([](http2_counts_seen& all) { ++all.goaways; });
  if (frame->hd.type == NGHTTP2_RST_STREAM) mine.was_reset();
  server_stream* stream = mine.find(frame->hd.stream_id);
  const bool is_asked = (frame->hd.type == NGHTTP2_HEADERS || frame->hd.type == NGHTTP2_DATA) &&
                        (frame->hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  if (stream != nullptr && is_asked) mine.answer(*stream, frame->hd.stream_id);
  return 0;
}

int http2_server::state::connection::on_close(nghttp2_session*, std::int32_t id, std::uint32_t, void* self) {
  connection& mine = of(self);
  if (auto* stream = mine.find(id)) {
    stream->pause.cancel();
    mine.server.note([&](http2_counts_seen& all) {
      all.most_unread_bytes = std::max(all.most_unread_bytes, stream->pending.size());
    });
  }
  mine.streams.erase(id);
  return 0;
}

void http2_server::state::connection::was_reset() {
  const auto now = steady_clock::now();
  ++reset_count;
  recent_resets.push_back(now);
  while (now - recent_resets.front() > std::chrono::seconds(30)) recent_resets.pop_front();
  const auto in_1_s = static_cast<std::size_t>(
      std::count_if(recent_resets.begin(), recent_resets.end(),
                    [now](const auto& at) { return now - at < std::chrono::seconds(1); }));
  const double share = static_cast<double>(reset_count) / static_cast<double>(stream_count);
  const bool has_share = stream_count >= server.rules.share_of_streams;
  const bool oversteps = recent_resets.size() > server.rules.resets_in_30_s ||
                         reset_count > server.rules.resets_in_all || (has_share && share > server.rules.reset_share);
  server.note([&](http2_counts_seen& all) {
    ++all.resets;
    all.most_resets_in_1_s = std::max(all.most_resets_in_1_s, in_1_s);
    all.most_resets_in_30_s = std::max(all.most_resets_in_30_s, recent_resets.size());
    all.most_resets = std::max(all.most_resets, reset_count);
    if (has_share) all.worst_share = std::max(all.worst_share, share);
    if (oversteps && !must_close) ++all.enhance_your_calm;
  });
  if (oversteps) {
    must_close = true;
    nghttp2_session_terminate_session(session, NGHTTP2_ENHANCE_YOUR_CALM);
  }
}

void http2_server::state::connection::answer(server_stream& stream, int id) {
  if (std::exchange(stream.has_answered, true)) return;
  {
    const std::lock_guard held(server.guard);
    if (server.requests.size() < kept_requests) server.requests.push_back(stream.request);
  }
  stream.answer = server.play(stream.request);
  if (stream.answer.ending == http2_ending::refused) {
    nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, NGHTTP2_REFUSED_STREAM);
    return;
  }
  if (stream.answer.ttft.count() == 0) return send_head(stream, id);
  stream.pause.expires_after(stream.answer.ttft);
  stream.pause.async_wait([this, id, self = shared_from_this()](error_code ec) {
    server_stream* still = ec || is_closed ? nullptr : find(id);
    if (still == nullptr) return;
    send_head(*still, id);
    write();
  });
}

void http2_server::state::connection::send_head(server_stream& stream, int id) {
  const std::string status = std::to_string(stream.answer.status);
  const auto field = [](const char* name, const std::string& value) {
    return nghttp2_nv{reinterpret_cast<std::uint8_t*>(const_cast<char*>(name)),
                      reinterpret_cast<std::uint8_t*>(const_cast<char*>(value.data())), std::strlen(name), value.size(),
                      NGHTTP2_NV_FLAG_NONE};
  };
  const std::array<nghttp2_nv, 2> head{field(":status", status), field("content-type", stream.answer.content_type)};
  nghttp2_data_provider provider;
  provider.source.ptr = &stream;
  provider.read_callback = &connection::read_pending;
  nghttp2_submit_response(session, id, head.data(), head.size(), &provider);
  next_piece(id);
}

void http2_server::state::connection::next_piece(int id) {
  server_stream* stream = find(id);
  if (stream == nullptr || is_closed) return;
  const http2_answer& plan = stream->answer;
  const auto is_held = [&] { return plan.may_end && stream->next_piece + 1 == plan.pieces.size() && !plan.may_end(); };
  while (stream->next_piece < plan.pieces.size() && !is_held()) {
    stream->pending += plan.pieces[stream->next_piece++];
    if (plan.between.count() > 0) break;
  }
  const bool is_over = stream->next_piece >= plan.pieces.size();
  if (is_over && (plan.ending == http2_ending::proper || plan.ending == http2_ending::goaway_after)) stream->is_last = true;
  nghttp2_session_resume_data(session, id);
  if (is_over && plan.ending == http2_ending::goaway_after)
    nghttp2_submit_goaway(session, NGHTTP2_FLAG_NONE, nghttp2_session_get_last_proc_stream_id(session), NGHTTP2_NO_ERROR,
                          nullptr, 0);
  if (is_over && plan.ending != http2_ending::reset && plan.ending != http2_ending::die) return;
  stream->pause.expires_after(std::max(plan.between, std::chrono::milliseconds(1)));
  stream->pause.async_wait([this, id, is_over, self = shared_from_this()](error_code ec) {
    server_stream* still = ec || is_closed ? nullptr : find(id);
    if (still == nullptr) return;
    if (!is_over) next_piece(id);
    else if (still->answer.ending == http2_ending::die) return close(true);
    else nghttp2_submit_rst_stream(session, NGHTTP2_FLAG_NONE, id, still->answer.code);
    write();
  });
}

ssize_t http2_server::state::connection::read_pending(nghttp2_session*, std::int32_t, std::uint8_t* into, std::size_t length,
                                                      std::uint32_t* flags, nghttp2_data_source* source, void*) {
  auto& stream = *static_cast<server_stream*>(source->ptr);
  const std::size_t size = std::min(length, stream.pending.size());
  std::memcpy(into, stream.pending.data(), size);
  stream.pending.erase(0, size);
  if (stream.pending.empty() && stream.is_last) *flags |= NGHTTP2_DATA_FLAG_EOF;
  else if (size == 0) return NGHTTP2_ERR_DEFERRED;
  return static_cast<ssize_t>(size);
}

http2_server::http2_server(script play, http2_strictness rules)
    : state_(std::make_unique<state>(std::move(play), rules)) {}
http2_server::~http2_server() = default;

std::uint16_t http2_server::port() const { return state_->acceptor.local_endpoint().port(); }

http2_counts_seen http2_server::seen() const {
  const std::lock_guard held(state_->guard);
  return state_->seen;
}

std::vector<http2_request> http2_server::requests() const {
  const std::lock_guard held(state_->guard);
  return state_->requests;
}

}  // namespace photofinish::testing
