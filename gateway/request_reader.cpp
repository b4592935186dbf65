#include "gateway/request_reader.hpp"

#include "gateway/request_guard.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include <algorithm>
#include <cctype>

namespace photofinish::gateway {

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

// A refused request's body that is still worth reading to keep its connection.
constexpr std::uint64_t skippable_bytes = 1u << 20;

// A chunk's head, extensions and trailers included, that is still sane.
constexpr std::size_t max_chunk_head = 16u << 10;

api_error too_large(std::size_t limit) {
  api_error error = bad_request("the request's body is larger than max_body, " + std::to_string(limit) + " bytes");
  error.status = 413;
  return error;
}

api_error too_slow() {
  api_error error = bad_request("the request did not arrive in time");
  error.status = 408;
  return error;
}

// Nobody is left to read it; it is logged at most.
api_error ended_early() { return bad_request("the connection ended in the middle of the request"); }

std::string lower(std::string_view name) {
  std::string out(name);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

client_request owned(const guarded_request& guarded, proxy::instant now) {
  client_request request;
  request.method = guarded.method;
  request.path = guarded.target.substr(0, guarded.target.find('?'));
  request.host = guarded.host;
  for (const auto& [name, value] : guarded.fields) request.fields.emplace_back(lower(name), std::string(value));
  request.is_http_1_0 = guarded.version == proxy::http_version::v1_0;
  request.keep_alive = guarded.keep_alive;
  request.expects_continue = guarded.expects_continue;
  request.has_body = guarded.framing.kind == proxy::body_kind::chunked || guarded.framing.length > 0;
  if (guarded.framing.kind != proxy::body_kind::chunked) request.body_bytes = guarded.framing.length;
  request.received_at = now;
  return request;
}

}  // namespace

asio::awaitable<request_reader::arrived_head> request_reader::read_head() {
  proxy::instant deadline = alarms_.now() + limits_.idle_timeout;
  bool has_begun = false;
  std::size_t searched = 0;
  while (true) {
    const std::string_view unread = client_.unread();
    // Some clients send an empty line behind a body (RFC 9112, section 2.2).
    if (!has_begun && unread.starts_with("\r\n")) {
      client_.consume(2);
      continue;
    }
    const std::size_t end = unread.find("\r\n\r\n", searched);
    if (end != std::string_view::npos || unread.size() > limits_.max_header) {
      guard_limits limits;
      limits.head.max_bytes = limits_.max_header;
      limits.max_body = limits_.max_body;
      const std::size_t size = end == std::string_view::npos ? unread.size() : end + 4;
      auto guarded = guard_request(unread.substr(0, size), limits);
      if (auto* refused = std::get_if<refusal>(&guarded)) co_return to_api_error(*refused);
      client_request request = owned(std::get<guarded_request>(guarded), alarms_.now());
      client_.consume(size);
      co_return request;
    }
    if (!unread.empty() && unread != "\r" && !has_begun) {
      has_begun = true;
      deadline = alarms_.now() + limits_.header_timeout;
    }
    searched = unread.size() < 3 ? 0 : unread.size() - 3;
    const auto arrived = co_await client_.more(deadline);
    if (arrived == client_connection::arrival::bytes) continue;
    if (arrived == client_connection::arrival::late && has_begun) co_return too_slow();
    co_return no_more{};
  }
}

asio::awaitable<std::optional<api_error>> request_reader::read_body(client_request& request) {
  if (!request.has_body) co_return std::nullopt;
  if (request.expects_continue && client_.unread().empty()) {
    const std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    const bool is_sent = co_await client_.write(std::span(&go_on, 1));  // named: see session.cpp
    if (!is_sent) co_return ended_early();
  }
  std::optional<api_error> error;
  if (request.body_bytes) error = co_await read_length(request);
  else error = co_await read_chunks(request);
  request.received_at = alarms_.now();
  co_return error;
}

asio::awaitable<std::optional<api_error>> request_reader::read_length(client_request& request) {
  const std::size_t size = static_cast<std::size_t>(*request.body_bytes);
  constexpr std::size_t json_padding = 64;
  request.body.reserve(std::min<std::size_t>(size, 1u << 20) + json_padding);
  while (true) {
    const std::string_view piece = client_.unread().substr(0, size - request.body.size());
    request.body += piece;
    client_.consume(piece.size());
    if (request.body.size() == size) co_return std::nullopt;
    const auto arrived = co_await client_.more(alarms_.now() + limits_.body_timeout);
    if (arrived == client_connection::arrival::late) co_return too_slow();
    if (arrived == client_connection::arrival::ended) co_return ended_early();
  }
}

// Beast takes the chunks apart; it wants a head of its own in front.
asio::awaitable<std::optional<api_error>> request_reader::read_chunks(client_request& request) {
  http::request_parser<http::string_body> parser;
  parser.body_limit(limits_.max_body);
  parser.eager(true);
  boost::system::error_code ec;
  constexpr std::string_view head = "POST / HTTP/1.1\r\nhost: h\r\ntransfer-encoding: chunked\r\n\r\n";
  parser.put(asio::buffer(head), ec);
  while (!parser.is_done()) {
    const std::string_view unread = client_.unread();
    std::size_t parsed = 0;
    if (!unread.empty()) parsed = parser.put(asio::buffer(unread), ec);
    client_.consume(parsed);
    if (ec == http::error::body_limit) co_return too_large(limits_.max_body);
    if (ec && ec != http::error::need_more) co_return bad_request("the body's chunks are malformed");
    if (parser.is_done()) break;
    if (parsed > 0 && !ec) continue;
    if (client_.unread().size() > max_chunk_head) co_return bad_request("the head of a chunk is too large");
    const auto arrived = co_await client_.more(alarms_.now() + limits_.body_timeout);
    if (arrived == client_connection::arrival::late) co_return too_slow();
    if (arrived == client_connection::arrival::ended) co_return ended_early();
  }
  request.body = std::move(parser.get().body());
  co_return std::nullopt;
}

bool request_reader::is_skippable(const client_request& request) {
  if (!request.has_body) return true;
  return !request.expects_continue && request.body_bytes && *request.body_bytes <= skippable_bytes;
}

asio::awaitable<bool> request_reader::skip_body(const client_request& request) {
  if (!request.has_body) co_return true;
  client_request skipped = request;
  const std::optional<api_error> error = co_await read_length(skipped);
  co_return !error;
}

}  // namespace photofinish::gateway
