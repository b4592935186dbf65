#include "gateway/http/request_reader.hpp"

#include "gateway/http/request_parser.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

constexpr std::size_t json_padding = 64;

// The number of bytes for which memory is reserved when a body begins. When these bytes have arrived, memory for the
// whole body is reserved.
constexpr std::size_t room_of_first_read = 256u << 10;

// The interval between two checks while no bytes of the body arrive.
constexpr std::chrono::seconds yield_interval{1};

// The minimum average rate of a body. The client may still pause for up to body_timeout.
constexpr std::uint64_t least_bytes_per_second = 256;

// The delay after which a client may retry if memory was short. Memory is usually available again within a moment.
constexpr std::chrono::seconds retry_after{1};

refusal out_of_memory() { return {503, "the gateway has reached max_memory", "gateway_overloaded", retry_after}; }

refusal too_slow() { return {408, "the request did not arrive in time"}; }

refusal malformed() { return {400, "the body's chunks are malformed"}; }

// Returns the result for an incomplete request. It is never sent to a client, and appears only in the log.
refusal ended_early() { return {400, "the connection ended in the middle of the request"}; }

// Makes a request that owns its bytes. `bytes` is the checked head. It is copied, and the request's views refer to the
// copy.
client_request owned(guarded_request guarded, std::string_view bytes, proxy::instant now) {
  client_request request;
  request.head = std::make_unique_for_overwrite<char[]>(bytes.size());
  char* const copy = std::copy(bytes.begin(), bytes.end(), request.head.get()) - bytes.size();
  const auto in_copy = [&](std::string_view part) {
    return part.empty() ? part : std::string_view(copy + (part.data() - bytes.data()), part.size());
  };
  request.method = in_copy(guarded.method);
  const std::size_t mark = std::min(guarded.target.find('?'), guarded.target.size());
  request.path = in_copy(guarded.target.substr(0, mark));
  request.query = in_copy(guarded.target.substr(std::min(mark + 1, guarded.target.size())));
  request.host = in_copy(guarded.host);
  request.fields = std::move(guarded.fields);
  for (auto& [name, value] : request.fields) {
    char* const first = copy + (name.data() - bytes.data());
    proxy::make_lower_case(std::span(first, name.size()));
    name = in_copy(name);
    value = in_copy(value);
  }
  request.is_http_1_0 = guarded.version == proxy::http_version::v1_0;
  request.keep_alive = guarded.keep_alive;
  request.expects_continue = guarded.expects_continue;
  request.has_body = guarded.framing.kind == proxy::body_kind::chunked || guarded.framing.length > 0;
  if (guarded.framing.kind != proxy::body_kind::chunked) request.body_bytes = guarded.framing.length;
  request.received_at = now;
  return request;
}

proxy::body_framing framing_of(const client_request& request) {
  return {.kind = request.body_bytes ? proxy::body_kind::length : proxy::body_kind::chunked,
          .length = request.body_bytes.value_or(0)};
}

}  // namespace

refusal too_large(std::string_view what, std::size_t limit, std::size_t max_body) {
  const std::string_view name = limit == max_body ? "max_body" : "what max_memory allows";
  std::string message(what);
  message.append(" is larger than ").append(name).append(", ").append(std::to_string(limit)).append(" bytes");
  return {413, std::move(message)};
}

asio::awaitable<request_reader::arrived_head> request_reader::read_head() {
  guard_limits limits;
  limits.head.max_bytes = limits_.max_header;
  limits.max_body = limits_.max_body;
  request_head_parser parser(limits);
  proxy::instant deadline = alarms_.now() + limits_.idle_timeout;
  bool has_begun = false;
  while (true) {
    auto seen = parser.look_at(client_.unread());
    if (auto* refused = std::get_if<refusal>(&seen)) co_return std::move(*refused);
    if (auto* found = std::get_if<request_head_parser::arrived>(&seen)) {
      client_request request =
          owned(std::move(found->request), client_.unread().substr(0, found->bytes), alarms_.now());
      client_.consume(found->bytes);
      co_return request;
    }
    if (parser.has_begun() && !std::exchange(has_begun, true)) deadline = alarms_.now() + limits_.header_timeout;
    const auto arrived = co_await client_.more(deadline);
    if (arrived == client_connection::arrival::bytes) continue;
    if (arrived == client_connection::arrival::late && has_begun) co_return too_slow();
    if (arrived == client_connection::arrival::starved) co_return out_of_memory();
    co_return no_more{};
  }
}

bool request_reader::take_body(client_request& request) {
  if (!request.body_bytes || *request.body_bytes > client_.unread().size()) return false;
  const auto bytes = static_cast<std::size_t>(*request.body_bytes);
  // If no memory is available, read_body() reports the error later.
  if (!request.memory.grow_to(bytes, proxy::memory_use::arriving)) return false;
  request.body.reserve(bytes + json_padding);
  request.body = client_.unread().substr(0, bytes);
  client_.consume(bytes);
  request.received_at = alarms_.now();
  return true;
}

asio::awaitable<std::optional<refusal>> request_reader::read_body(client_request& request) {
  const std::size_t max_body = std::min(limits_.max_body, request.memory.most_arriving());
  if (auto refused = check_length(request, max_body)) co_return refused;
  if (request.expects_continue && client_.unread().empty()) {
    const std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n";
    // The result is stored in a variable before it is tested, because GCC 12.2 miscompiles a condition that contains
    // co_await.
    const bool is_sent = co_await client_.write(std::span(&go_on, 1));
    if (!is_sent) co_return ended_early();
    client_.begin_answer();  // the interim response does not count as an answer to the request
  }
  co_return co_await receive_body(request, max_body);
}

// Refuses a body before it is read if it exceeds a limit, or if there is no memory for it now. Only bytes that have
// arrived are counted as used memory, because a client can announce any content-length at no cost.
std::optional<refusal> request_reader::check_length(client_request& request, std::size_t max_body) const {
  const std::uint64_t announced = request.body_bytes.value_or(0);
  if (announced > max_body) return too_large("the request's body", max_body, limits_.max_body);
  if (!request.memory.grow_to(static_cast<std::size_t>(announced), proxy::memory_use::arriving)) return out_of_memory();
  request.memory.shrink_to(0);
  return std::nullopt;
}

asio::awaitable<std::optional<refusal>> request_reader::receive_body(client_request& request, std::size_t max_body) {
  const std::size_t announced = static_cast<std::size_t>(request.body_bytes.value_or(0)) + json_padding;
  request.body.reserve(std::min(announced, room_of_first_read));
  request_body_parser parser(framing_of(request), max_body);
  const proxy::instant begun = alarms_.now();
  while (true) {
    client_.consume(parser.take(client_.unread(), request.body));
    request.received_at = alarms_.now();
    if (!request.memory.grow_to(request.body.size(), proxy::memory_use::arriving)) co_return out_of_memory();
    if (parser.is_complete()) co_return std::nullopt;
    if (parser.fault() == body_fault::too_large) co_return too_large("the request's body", max_body, limits_.max_body);
    if (parser.fault() == body_fault::malformed) co_return malformed();
    // Reserves memory for the whole body now. Otherwise the string would be copied each time it grows.
    if (request.body.size() >= room_of_first_read) request.body.reserve(announced);
    const auto arrived = co_await more(begun, request.body.size(), request.memory);
    if (arrived == client_connection::arrival::late) co_return too_slow();
    if (arrived == client_connection::arrival::ended) co_return ended_early();
    if (arrived == client_connection::arrival::starved) co_return out_of_memory();
  }
}

// Waits for bytes of a body. Wakes up at intervals to check the memory. If other requests are refused for lack of
// memory, and this request holds much of it, this request is ended.
asio::awaitable<client_connection::arrival> request_reader::more(proxy::instant begun, std::size_t received,
                                                                 const proxy::memory_share& held) {
  const std::chrono::seconds earned(received / least_bytes_per_second);
  const proxy::instant deadline = std::min(alarms_.now(), begun + earned) + limits_.body_timeout;
  while (true) {
    const bool is_watched = held.held() > 0;
    const proxy::instant look_at = is_watched ? std::min(deadline, alarms_.now() + yield_interval) : deadline;
    const auto arrived = co_await client_.more(look_at);
    if (arrived != client_connection::arrival::late) co_return arrived;
    if (alarms_.now() >= deadline) co_return arrived;
    if (held.must_yield()) co_return client_connection::arrival::starved;
  }
}

bool request_reader::has_whole_body(const client_request& request) const {
  return !request.has_body || (request.body_bytes && *request.body_bytes <= client_.unread().size());
}

void request_reader::skip_body(const client_request& request) {
  if (request.has_body) client_.consume(static_cast<std::size_t>(*request.body_bytes));
}

}  // namespace photofinish::gateway
