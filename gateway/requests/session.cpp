#include "gateway/requests/session.hpp"

#include "gateway/http/browser_rules.hpp"
#include "gateway/requests/stages/request_limits.hpp"
#include "gateway/requests/unraced_answers.hpp"
#include "proxy/loop/next_turn.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The time after the start of a drain in which the gateway still accepts a request on an idle connection. A client that
// has just connected will soon send a request, and the gateway may not have read its bytes yet.
constexpr std::chrono::milliseconds drain_grace{500};

// Returns true if requests must have an expected Host header, as a protection against DNS rebinding. In such an attack,
// a web page sends requests with the host name of the page, but without an access key. Therefore any Host is accepted
// if keys are required. The admin listener requires no keys.
bool has_host_rule(listener_role role, const config& settings) {
  return !settings.asks_for_keys() || role == listener_role::admin;
}

// Returns the maximum size of the decoded body. The encoded and the decoded body are in memory together, in addition to
// the usual memory of a request. A larger body is refused, because the gateway would not have enough memory for it even
// if no other request were running.
std::size_t room_to_decode(const client_request& request) {
  const std::size_t all = request.memory.most_arriving();
  // Adds the size of one step, because the gateway always reserves memory in steps of this size.
  const std::size_t taken = request.body.size() + memory_of_request + proxy::memory_share::step;
  return all > taken ? all - taken : 0;
}

asio::ip::tcp::endpoint peer_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code gone;
  return socket.remote_endpoint(gone);
}

}  // namespace

session::session(asio::ip::tcp::socket socket, worker_context& worker, const listener_traits& listener,
                 std::unique_ptr<client_tls> tls, std::optional<asio::ip::tcp::endpoint> from)
    : worker_(worker),
      call_(worker, client_, listener, from ? *from : peer_of(socket)),
      client_(std::move(socket), worker.alarms, worker.outbound.scratch(), call_.settings->server.client_half_close,
              proxy::memory_share(worker.load.memory, call_.peer_account, worker.alarms), std::move(tls)),
      reader_(client_, worker.alarms, call_.settings->limits) {}

asio::awaitable<void> session::run() {
  proxy::spawn(worker_.executor, "the reader of a client's connection", client_.read_ahead(),
               [this](const std::exception_ptr& bug) { reader_ended(bug); });
  has_reader_ = true;
  std::exception_ptr bug;
  try {
    co_await serve();
  } catch (...) {
    bug = std::current_exception();
  }
  if (bug) {
    proxy::report_bug("a session", bug);
    racing_.reset();
    client_.abort();
  }
  client_.close();
  while (has_reader_) co_await reader_ended_.wait();
}

// Closes the connection if its reader has failed. Otherwise the request would wait until a time limit ends it, because
// no coroutine reads the client's bytes.
void session::reader_ended(const std::exception_ptr& bug) {
  if (bug) {
    proxy::report_bug("the reader of a client's connection", bug);
    client_.abort();
  }
  has_reader_ = false;
  reader_ended_.wake();
}

asio::awaitable<void> session::serve() {
  // Keeps the settings in memory, because the reader of the connection refers to the limits in them.
  const std::shared_ptr<const config> limits_owner = call_.settings;
  after_response then = after_response::keep_alive;
  do {
    client_.begin_anew();
    client_.begin_answer();
    request_reader::arrived_head head;
    std::exception_ptr bug;
    try {
      head = co_await reader_.read_head();
      if (std::holds_alternative<request_reader::no_more>(head)) co_return;
      is_serving_ = true;
      call_.settings = worker_.snapshots.settings;
      call_.limits = worker_.snapshots.limits;
      if (auto* refused = std::get_if<refusal>(&head)) then = co_await refuse_head(*refused);
      else then = co_await answer(std::get<client_request>(head));
      if (racing_) then = co_await racing_->serve();
    } catch (...) {
      bug = std::current_exception();
    }
    racing_.reset();
    if (bug) then = co_await answer_bug(std::move(bug));
    if (then == after_response::keep_alive && !is_body_read_) reader_.skip_body(std::get<client_request>(head));
    is_serving_ = then == after_response::close;  // a connection in its lingering close still counts as busy
    // If the client has already sent more requests, the session answers only one request in each turn of the event
    // loop.
    if (!client_.unread().empty()) co_await proxy::next_turn(worker_.executor);
  } while (then == after_response::keep_alive && !is_draining_);
  if (!client_.has_left()) co_await client_.finish();
}

// Sends the error for an invalid request head. After this error, HTTP does not allow the session to read another
// request.
asio::awaitable<after_response> session::refuse_head(const refusal& refused) {
  const client_request unread;
  begin_answer(unread);
  call_.style.then = after_response::close;
  return call_.refuse(unread, to_api_error(refused));
}

void session::begin_answer(const client_request& request) {
  call_.begin(request);
  is_body_read_ = false;
  call_.style.then = reader_.has_whole_body(request) ? keeps_alive(request) : after_response::close;
}

after_response session::keeps_alive(const client_request& request) const {
  // If the gateway cannot reach the providers, closes the connection after the answer. The balancer can then choose
  // another gateway for the client's next request.
  const bool has_egress = worker_.keeper.egress() == egress_state::works;
  const bool goes_on =
      request.keep_alive && worker_.state == service_state::serving && !is_draining_ && has_egress;
  return goes_on ? after_response::keep_alive : after_response::close;
}

// Answers one request. Neither this function nor any function that it calls is a coroutine, because a coroutine's frame
// would stay allocated until the end of the answer's stream.
asio::awaitable<after_response> session::answer(client_request& request) {
  begin_answer(request);
  std::optional<refusal> refused;
  if (has_host_rule(call_.listener.role, *call_.settings))
    refused = check_host(request.host, call_.listener.address, call_.settings->server.allowed_hosts);
  if (!refused && is_preflight(request.method, request.fields)) return answer_preflight(request);
  if (!refused) refused = check_origin(request.fields, call_.listener.address, call_.settings->server.cors_origins);
  for (const auto& [name, value] : refused ? refusal_cors_headers(request.fields) : cors_headers(request.fields))
    call_.fields.add(name, value);
  if (refused) return call_.refuse(request, to_api_error(*refused));

  // Also refuses WebSocket handshakes in HTTP/1.0. This version has no upgrades to other protocols, but nginx forwards
  // handshakes as HTTP/1.0 by default.
  const auto upgrade = refuse_websocket(request.method, request.path, request.fields, worker_.speaks.apis);
  if (upgrade && call_.listener.role != listener_role::admin) return call_.refuse(request, *upgrade);
  auto routed = route_request(request.method, request.path, call_.listener.role, worker_.speaks.apis);
  if (auto* error = std::get_if<api_error>(&routed)) return call_.refuse(request, *error);
  const auto& wanted = std::get<routed_request>(routed);
  auto entry = admit(call_, request.fields, allowed_callers(wanted.to));
  if (auto* error = std::get_if<api_error>(&entry)) {
    call_.audit_refusal(request, *error, {});
    return call_.refuse(request, *error);
  }
  auto& [keys, who] = std::get<admission>(entry);
  if (const auto closed = refuse_closed_key(worker_, who)) {
    call_.audit_refusal(request, *closed, who);
    return call_.refuse(request, *closed, who);
  }
  return answer_endpoint(request, wanted, std::move(keys), who);
}

const view* session::view_of(endpoint path) const {
  const std::span<const view> all = worker_.speaks.views;
  const auto found = std::find_if(all.begin(), all.end(), [path](const view& each) { return each.path == path; });
  return found == all.end() ? nullptr : &*found;
}

callers session::allowed_callers(endpoint path) const {
  const view* const page = view_of(path);
  return page != nullptr ? page->allowed : callers::key_holders;
}

asio::awaitable<after_response> session::answer_endpoint(client_request& request, const routed_request& wanted,
                                                         presented_keys keys, caller who) {
  if (const auto refused = take_side_request(worker_, *call_.limits, who, wanted.to))
    return call_.refuse(request, *refused, who);
  if (wanted.to == endpoint::answer || wanted.to == endpoint::count_tokens)
    return answer_by(wanted, request, std::move(keys), who);
  if (wanted.to == endpoint::stored_response)
    return answer_stored_response(call_, request, wanted, std::move(keys), who);
  return answer_view(request, wanted, who);
}

asio::awaitable<after_response> session::answer_view(const client_request& request, routed_request wanted, caller who) {
  const view& page = *view_of(wanted.to);
  const page_visit visit{call_, request, wanted, who};
  view_answer answer = co_await page.show(visit);
  if (const auto* error = std::get_if<api_error>(&answer)) co_return co_await call_.refuse(request, *error, who);
  if (page.log == view_log::pages) call_.note_answer(request, who);
  const auto& [content_type, body, status] = std::get<shown_page>(answer);
  std::string response = whole_response(status, content_type, body, call_.fields, call_.style);
  answer.emplace<shown_page>();
  co_return co_await call_.send(std::move(response));
}

asio::awaitable<after_response> session::answer_by(routed_request wanted, client_request& request, presented_keys keys,
                                                   caller who) {
  const std::optional<content_coding> coding = read_content_coding(request.fields);
  if (!coding) co_return co_await refuse_coding(request, who);
  client_.charge(call_.account_of(who));
  proxy::memory_share memory(worker_.load.memory, call_.account_of(who), worker_.alarms);
  if (!memory.grow_to(memory_of_request, proxy::memory_use::arriving))
    co_return co_await call_.refuse_for_memory(request, who);
  request.memory = memory.another();
  call_.style.then = keeps_alive(request);
  is_body_read_ = reader_.take_body(request);
  if (!is_body_read_) is_body_read_ = co_await read_body(request, who);
  if (!is_body_read_) co_return after_response::close;
  // From now on, the session notices immediately if the client leaves, even after a long prompt.
  client_.begin_anew();
  if (*coding != content_coding::identity && !request.body.empty()) {
    const auto ended = co_await decode_or_refuse(request, *coding, who);
    if (ended) co_return *ended;
  }
  if (wanted.to == endpoint::count_tokens) co_return co_await answer_count(call_, request, who);
  racing_ = std::make_unique<request_flow>(call_, *wanted.by, std::move(request), std::move(wanted.model),
                                           std::move(keys), who, std::move(memory));
  co_return call_.style.then;
}

// Decodes the body. Returns nothing after success. Otherwise sends an error. This is a separate coroutine, so that its
// frame and its errors are freed before the answer streams.
asio::awaitable<std::optional<after_response>> session::decode_or_refuse(client_request& request, content_coding coding,
                                                                         caller who) {
  const std::optional<api_error> error = co_await decode_body(request, coding);
  if (!error) co_return std::nullopt;
  if (!client_.has_left()) co_return co_await call_.refuse(request, *error, who);
  call_.note_departure(request, who);
  co_return after_response::close;
}

// Reads the request's body. Returns false if the body did not arrive. In that case this function has sent an error.
asio::awaitable<bool> session::read_body(client_request& request, caller who) {
  const std::optional<refusal> refused = co_await reader_.read_body(request);
  if (!refused) co_return true;
  const api_error error = client_.is_interrupted() ? gateway_draining() : to_api_error(*refused);
  request.body.clear();
  request.body.shrink_to_fit();  // frees the body's memory early, before the client has read the error
  request.memory.shrink_to(0);
  call_.style.then = after_response::close;
  if (client_.has_left()) call_.note_departure(request, who);
  else call_.note_refusal(request, error, who);
  co_await call_.send_error(error);
  co_return false;
}

asio::awaitable<after_response> session::refuse_coding(const client_request& request, const caller& who) {
  call_.fields.add("accept-encoding", served_codings);
  api_error error = bad_request("the body's Content-Encoding is not supported: send gzip, deflate or none", {},
                                "unsupported_content_encoding");
  error.status = 415;
  return call_.refuse(request, error, who);
}

// Decodes the whole body in memory, up to the limit max_body. Other coroutines can run between the steps of the
// decoding.
asio::awaitable<std::optional<api_error>> session::decode_body(client_request& request, content_coding coding) {
  using progress = body_decoder::progress;
  const std::size_t encoded_bytes = request.body.size();
  const std::size_t max_body = call_.settings->limits.max_body;
  const std::size_t most = std::min(max_body, room_to_decode(request));
  body_decoder decoder(coding, std::move(request.body), most);
  progress at = decoder.step();
  while (at == progress::more && !client_.has_left()) {
    if (!request.memory.grow_to(encoded_bytes + decoder.decoded_bytes(), proxy::memory_use::arriving))
      co_return memory_overloaded();
    co_await asio::post(worker_.executor, asio::use_awaitable);
    at = decoder.step();
  }
  if (at == progress::too_large) co_return to_api_error(too_large("the request's body, decoded,", most, max_body));
  if (at != progress::done)
    co_return bad_request("the body cannot be decoded: it does not have the format that its Content-Encoding names", {},
                          "invalid_content_encoding");
  request.body = std::move(decoder).take();
  request.memory.shrink_to(request.body.size());
  co_return std::nullopt;
}

// Answers a request after an exception in the gateway's code. If the client has not received any byte of an answer, the
// client gets an error. Otherwise the connection is aborted. run() handles a second exception.
asio::awaitable<after_response> session::answer_bug(std::exception_ptr bug) {
  proxy::report_bug("a request", bug);
  if (client_.has_written() || client_.has_left()) {
    client_.abort();
    co_return after_response::close;
  }
  const api_error error = explain_bug(bug);
  call_.fields = {};
  if (!call_.id.empty()) call_.fields.add("x-request-id", call_.id);
  call_.style.then = after_response::close;
  call_.note_refusal(client_request(), error, {});
  co_return co_await call_.send_error(error);
}

asio::awaitable<after_response> session::answer_preflight(const client_request& request) {
  for (const auto& [name, value] : preflight_headers(request.fields)) call_.fields.add(name, value);
  return call_.send(whole_response(204, {}, {}, call_.fields, call_.style));
}

void session::drain() {
  is_draining_ = true;
  if (is_serving_) return;
  if (!grace_) grace_ = std::make_unique<proxy::alarm>(worker_.alarms, [this] { end_grace(); });
  grace_->arm(worker_.alarms.now() + drain_grace);
}

void session::end_grace() {
  if (!is_serving_ && client_.unread().empty()) client_.close();
}

// Ends the running request with an error. Closes the connection if the client does not read the error, or if cut() is
// called again.
void session::cut() {
  is_draining_ = true;
  if (!is_serving_ || last_write_) return client_.abort();
  last_write_ = std::make_unique<proxy::alarm>(worker_.alarms, [this] { client_.abort(); });
  last_write_->arm(worker_.alarms.now() + client_connection::last_write);
  client_.interrupt();
}

}  // namespace photofinish::gateway
