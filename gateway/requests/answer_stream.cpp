#include "gateway/requests/answer_stream.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using namespace std::string_view_literals;

namespace {

constexpr std::size_t kept_batch = 256u << 10;

bool is_long(const proxy::kept_event& event) { return event.bytes() > kept_batch; }

// As they are sent. A long one is not copied: it is gone from `held` then.
proxy::long_text take_events(std::vector<proxy::kept_event>& held) {
  proxy::long_text events;
  for (proxy::kept_event& event : held) {
    std::string json = event.take_json();
    if (json.empty()) continue;
    events.append("data: "sv);
    events.append(std::move(json));
    events.append("\n\n"sv);
  }
  return events;
}

std::string_view chunk_end(bool is_last) { return is_last ? "\r\n0\r\n\r\n"sv : "\r\n"sv; }

std::string_view hex(std::size_t value, std::array<char, 24>& space) {
  auto [end, error] = std::to_chars(space.data(), space.data() + 16, value, 16);
  *end++ = '\r', *end++ = '\n';
  return {space.data(), static_cast<std::size_t>(end - space.data())};
}

void append_chunk(std::string& out, std::string_view bytes, bool is_chunked) {
  std::array<char, 24> space;
  if (is_chunked) out += hex(bytes.size(), space);
  out += bytes;
  if (is_chunked) out += "\r\n"sv;
}

std::string comment_text(std::string_view text) { return ": " + std::string(text) + "\n\n"; }

}  // namespace

answer_stream::answer_stream(client_connection& client, proxy::alarms& alarms, std::string& batch,
                             stream_framing framing)
    : client_(client), alarms_(alarms), batch_(batch), framing_(framing) {}

void answer_stream::begin_early(std::string_view head) {
  has_begun_early_ = true;
  client_.write_aside(head);
}

void answer_stream::comment_aside(std::string_view text) {
  std::string chunk;
  append_chunk(chunk, comment_text(text), is_chunked());
  client_.write_aside(chunk);
}

void answer_stream::comment(std::string_view text) { append_chunk(pending_, comment_text(text), is_chunked()); }

asio::awaitable<answer_result> answer_stream::relay(std::vector<proxy::kept_event>& held,
                                                    winner_reader& winner, answer_tokens& tokens) {
  burst next{.is_over = held.back().kind() == proxy::event_kind::end, .broken = std::nullopt};
  const bool is_giant = std::any_of(held.begin(), held.end(), is_long);
  if (is_giant) tokens.add(held);
  start_held(held, is_giant, next.is_over);
  answer_result result;
  result.has_begun = !client_.has_left();  // a write to a client that has gone takes nothing, and notices
  bool is_sent = true;
  if (!client_.is_written()) is_sent = co_await client_.finish_write();
  if (result.has_begun) result.first_written_at = alarms_.now();
  if (!is_giant) tokens.add(held);
  while (is_sent && !next.is_over && !next.broken) {
    auto came = winner.poll();
    while (!came) {  // not next(): a coroutine for each token
      co_await winner.readable();
      came = winner.read();
    }
    if (!*came) {
      next.broken = std::move(*came).error();
      break;
    }
    const proxy::stream_event& event = **came;
    if (event.kind != proxy::event_kind::end && !winner.may_have_event()) {
      start_event(event);
      tokens.add(event.deltas, event.read_at);  // behind the write, and before anybody else can read or parse
    } else {
      batch_.clear();
      append_event(event.json);
      tokens.hold(event.deltas, event.read_at);
      next.is_over = event.kind == proxy::event_kind::end;
      if (!next.is_over) next = append_burst(winner, tokens);
      start_batch(next.is_over);
      tokens.add_held();
    }
    if (!client_.is_written()) is_sent = co_await client_.finish_write();
  }
  if (!is_sent || (next.broken && client_.has_left())) {
    result.end = answer_end::client_left;
  } else if (next.broken) {
    result.end = answer_end::truncated;
    result.why = std::move(next.broken);
  }
  co_return result;
}

void answer_stream::start_held(std::vector<proxy::kept_event>& held, bool is_giant, bool is_last) {
  if (is_giant) {
    proxy::long_text events = take_events(held);
    if (is_last) events.append("data: [DONE]\n\n"sv);
    return start_framed(std::move(events), is_last);
  }
  batch_.clear();
  for (proxy::kept_event& event : held) append_event(event.view().json);
  start_batch(is_last);
}

asio::awaitable<void> answer_stream::fail(std::string_view error_json) {
  batch_.clear();
  append_event(error_json);
  start_batch(false);
  co_await client_.finish_write();
}

// One event, alone: its bytes go out from where they were read.
void answer_stream::start_event(const proxy::stream_event& event) {
  if (event.json.empty()) return;
  std::size_t size = "data: \n\n"sv.size();
  for (const std::string_view piece : event.json) size += piece.size();
  std::array<char, 24> space;
  boost::container::small_vector<std::string_view, 8> pieces;
  if (is_chunked()) pieces.push_back(hex(size, space));
  pieces.push_back("data: "sv);
  pieces.insert(pieces.end(), event.json.begin(), event.json.end());
  pieces.push_back(is_chunked() ? "\n\n\r\n"sv : "\n\n"sv);
  client_.start_write(pieces);
}

// Whatever else the last read brought, into the batch. To the last event: they lie in the worker's scratch buffer,
// and the write that follows may suspend, after which that buffer holds somebody else's bytes.
answer_stream::burst answer_stream::append_burst(winner_reader& winner, answer_tokens& tokens) {
  while (auto next = winner.poll()) {
    if (!*next) return {.is_over = false, .broken = std::move(*next).error()};
    const proxy::stream_event& event = **next;
    append_event(event.json);
    tokens.hold(event.deltas, event.read_at);
    if (event.kind == proxy::event_kind::end) return {.is_over = true, .broken = std::nullopt};
  }
  return {};
}

void answer_stream::append_event(std::string_view json) {
  if (!json.empty()) batch_.append("data: "sv).append(json).append("\n\n"sv);
}

void answer_stream::append_event(std::span<const std::string_view> json) {
  if (json.empty()) return;
  batch_ += "data: "sv;
  for (const std::string_view piece : json) batch_ += piece;
  batch_ += "\n\n"sv;
}

// What waits, and what the batch holds.
void answer_stream::start_batch(bool is_last) {
  if (is_last) batch_ += "data: [DONE]\n\n"sv;
  if (pending_.empty() && batch_.empty()) return;
  if (batch_.size() > kept_batch) {
    start_framed(proxy::long_text(std::exchange(batch_, {})), is_last);
    return;
  }
  std::array<char, 24> space;
  std::array<std::string_view, 4> pieces;  // empty ones are no bytes
  pieces[0] = pending_;
  if (!batch_.empty()) {
    if (is_chunked()) pieces[1] = hex(batch_.size(), space);
    pieces[2] = batch_;
    if (is_chunked()) pieces[3] = chunk_end(is_last);
  }
  client_.start_write(pieces);
  forget_pending();
}

// The same of a long text: it is not copied once more, and its room is not the worker's for ever.
void answer_stream::start_framed(proxy::long_text events, bool is_last) {
  std::array<char, 24> space;
  std::array<std::string_view, 2> pieces{pending_};
  if (is_chunked()) pieces[1] = hex(events.size(), space), events.append(chunk_end(is_last));
  client_.start_write(pieces);
  client_.start_write_of(std::move(events));
  forget_pending();
}

void answer_stream::forget_pending() {
  pending_.clear();
  pending_.shrink_to_fit();  // the head is sent once, and the stream may take minutes
}

}  // namespace photofinish::gateway
