#include "gateway/requests/session.hpp"

#include "gateway/access/sealed_caller.hpp"
#include "gateway/api/error_response.hpp"
#include "gateway/front/socket_address.hpp"
#include "gateway/http/body_decoder.hpp"
#include "gateway/http/browser_rules.hpp"
#include "gateway/http/date_of_now.hpp"
#include "gateway/http/request_id.hpp"
#include "gateway/page/page_rules.hpp"
#include "gateway/requests/race_endpoint.hpp"
#include "gateway/requests/request_limits.hpp"
#include "proxy/loop/next_turn.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

namespace {

// How long a connection without a request is still read while draining: a client that has just connected is about
// to send one, and its bytes may lie unread.
constexpr std::chrono::milliseconds drain_grace{500};

constexpr const char* metrics_advice =
    " (Prometheus: `authorization: {credentials_file: FILE}`). The setting admin gives /metrics an address of its own, "
    "open_metrics: true opens it";

// DNS rebinding brings a page's own requests under a foreign Host, but no access key: where one is asked for, the Host
// may be any. The admin listener asks for none.
bool has_host_rule(listener_role role, const config& settings) {
  return !settings.asks_for_keys() || role == listener_role::admin;
}

// How long its body may become when nothing else runs: both forms are held at once, beside what each request takes.
// More would be refused again and again.
std::size_t room_to_decode(const client_request& request) {
  const std::size_t all = request.memory.most_arriving();
  const std::size_t taken = request.body.size() + memory_of_request + proxy::memory_share::step;  // counted in steps
  return all > taken ? all - taken : 0;
}

asio::ip::tcp::endpoint peer_of(const asio::ip::tcp::socket& socket) {
  boost::system::error_code gone;
  return socket.remote_endpoint(gone);
}

}  // namespace

session::session(asio::ip::tcp::socket socket, services& worker, const listener_traits& listener,
                 std::unique_ptr<client_tls> tls, std::optional<asio::ip::tcp::endpoint> from)
    : worker_(worker),
      listener_(listener),
      peer_(from ? *from : peer_of(socket)),
      peer_account_(account_of_peer(peer_, worker.load.memory)),
      settings_(worker.settings),
      limits_(worker.limits),
      client_(std::move(socket), worker.alarms, worker.outbound.scratch(), worker.settings->client_half_close,
              proxy::memory_share(worker.load.memory, peer_account_, worker.alarms), std::move(tls)),
      reader_(client_, worker.alarms, settings_->limits),
      from_(peer_),
      from_account_(peer_account_) {}

session::~session() = default;

asio::awaitable<void> session::run() {
  proxy::spawn(worker_.executor, "the reading of a client's bytes", client_.read_ahead(),
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

// A client whose bytes no one reads any more would wait until a limit of time ends its request.
void session::reader_ended(const std::exception_ptr& bug) {
  if (bug) {
    proxy::report_bug("the reading of a client's bytes", bug);
    client_.abort();
  }
  has_reader_ = false;
  reader_ended_.wake();
}

asio::awaitable<void> session::serve() {
  const std::shared_ptr<const config> limits_owner = settings_;  // the reader refers to its limits
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
      settings_ = worker_.settings;
      limits_ = worker_.limits;
      if (auto* refused = std::get_if<refusal>(&head)) then = co_await refuse_head(*refused);
      else then = co_await answer(std::get<client_request>(head));
      if (racing_) then = co_await racing_->serve();
    } catch (...) {
      bug = std::current_exception();
    }
    racing_.reset();
    if (bug) then = co_await answer_bug(std::move(bug));
    if (then == after_response::keep_alive && !is_body_read_) reader_.skip_body(std::get<client_request>(head));
    is_serving_ = then == after_response::close;  // what lingers is being served
    // Its next request is here already: one is answered in a turn, however many a client sends ahead.
    if (!client_.unread().empty()) co_await proxy::next_turn(worker_.executor);
  } while (then == after_response::keep_alive && !is_draining_);
  if (!client_.has_left()) co_await client_.finish();
}

// What HTTP does not let us read any further.
asio::awaitable<after_response> session::refuse_head(const refusal& refused) {
  const client_request unread;
  const api_error error = to_api_error(refused);
  begin_answer(unread);
  style_.then = after_response::close;
  note_refusal(unread, error, {});
  return send(error_response(error, worded(error), fields_, style_));
}

void session::begin_answer(const client_request& request) {
  const std::string_view given = request.field("x-request-id");
  request_id_ = is_usable_request_id(given) ? std::string(given) : new_request_id(worker_.random);
  client_.set_write_end(proxy::instant::max());
  note_caller(request);
  fields_ = {};
  fields_.add("x-request-id", request_id_);
  style_ = {.is_http_1_0 = request.is_http_1_0, .date = date_of_now, .comments = comments_for(request.fields)};
  style_.is_head_request = request.method == "HEAD";
  is_body_read_ = false;
  called_ = worded_by(request, worker_.speaks.apis);
  if (called_ != nullptr && !called_->id_header().empty()) fields_.add(called_->id_header(), request_id_);
  style_.then = reader_.has_whole_body(request) ? keeps_alive(request) : after_response::close;
}

after_response session::keeps_alive(const client_request& request) const {
  const bool has_egress = worker_.keeper.egress() == egress_state::works;  // else the next one goes by the balancer
  const bool goes_on =
      request.keep_alive && worker_.state == service_state::serving && !is_draining_ && has_egress;
  return goes_on ? after_response::keep_alive : after_response::close;
}

// It and what it chooses from are plain functions: whatever a coroutine holds, it holds to the end of its stream.
asio::awaitable<after_response> session::answer(client_request& request) {
  begin_answer(request);
  std::optional<refusal> refused;
  if (has_host_rule(listener_.role, *settings_))
    refused = check_host(request.host, listener_.address, settings_->allowed_hosts);
  if (!refused && is_preflight(request.method, request.fields)) return answer_preflight(request);
  if (!refused) refused = check_origin(request.fields, listener_.address, settings_->cors_origins);
  for (const auto& [name, value] : refused ? refusal_cors_headers(request.fields) : cors_headers(request.fields))
    fields_.add(name, value);
  if (refused) return refuse(request, to_api_error(*refused));

  // HTTP/1.0 has no Upgrade, but it is what nginx speaks by default when it passes such a request.
  const auto upgrade = refuse_websocket(request.method, request.path, request.fields, worker_.speaks.apis);
  if (upgrade && listener_.role != listener_role::admin) return refuse(request, *upgrade);
  auto routed = route_request(request.method, request.path, listener_.role, worker_.speaks.apis);
  if (auto* error = std::get_if<api_error>(&routed)) return refuse(request, *error);
  const auto& wanted = std::get<routed_request>(routed);
  auto admission = admit(request.fields, wanted);
  if (auto* error = std::get_if<api_error>(&admission)) {
    audit_refusal(request, *error, {});
    return refuse(request, *error);
  }
  auto& entry = std::get<admitted>(admission);
  if (const auto closed = refuse_closed_key(worker_, entry.who)) {
    audit_refusal(request, *closed, entry.who);
    return refuse(request, *closed, entry.who);
  }
  return answer_endpoint(request, wanted, std::move(entry.keys), entry.who);
}

// Probes say nothing worth a key. Metrics name callers, models and sums of money: the admin listener's address keeps
// them, or a key does.
bool session::asks_for_key(endpoint to) const {
  if (to == endpoint::metrics) return listener_.role != listener_role::admin && !settings_->open_metrics;
  if (to == endpoint::provider_stats || to == endpoint::race || to == endpoint::races || to == endpoint::feed ||
      to == endpoint::advice)
    return listener_.role != listener_role::admin;
  return to == endpoint::answer || to == endpoint::kept_response || to == endpoint::models || to == endpoint::model ||
         to == endpoint::count_tokens || to == endpoint::usage;
}

// A sealed key's or a token's; none where it is neither. The clocks are read where the configuration knows such.
std::optional<std::variant<caller, refusal>> session::identify_by_token(presented_keys& presented) const {
  if (settings_->sealed_keys.secrets.empty() && settings_->jwt.empty()) return std::nullopt;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  if (auto of_sealed = identify_sealed(presented, *settings_, now)) return of_sealed;
  return worker_.tokens->identify(presented, settings_, worker_.alarms.now(), now);
}

std::variant<session::admitted, api_error> session::admit(std::span<const proxy::header_field> fields,
                                                          const routed_request& wanted) const {
  if (!asks_for_key(wanted.to)) return admitted{};
  auto keys = read_keys(fields, *settings_);
  if (auto* refused = std::get_if<refusal>(&keys)) return to_api_error(*refused);
  auto& presented = std::get<presented_keys>(keys);
  auto of_token = identify_by_token(presented);
  auto who = of_token ? *std::move(of_token) : identify(presented, *settings_, client_.certificate_names());
  if (auto* refused = std::get_if<refusal>(&who)) {
    if (wanted.to == endpoint::metrics) refused->message += metrics_advice;
    return to_api_error(*refused);
  }
  const bool is_for_admins = wanted.to == endpoint::metrics && settings_->metrics_for_admins;
  if (is_for_admins && !sees_all(*settings_, std::get<caller>(who), listener_.role)) return admin_key_required();
  return admitted{std::get<presented_keys>(std::move(keys)), std::get<caller>(std::move(who))};
}

asio::awaitable<after_response> session::answer_endpoint(client_request& request, const routed_request& wanted,
                                                         presented_keys keys, caller who) {
  if (const auto refused = take_side_request(worker_, *limits_, who, wanted.to)) return refuse(request, *refused, who);
  if (wanted.to == endpoint::answer || wanted.to == endpoint::count_tokens)
    return answer_by(wanted, request, std::move(keys), who);
  if (wanted.to == endpoint::kept_response) return answer_kept(request, wanted, std::move(keys), who);
  if (wanted.to == endpoint::metrics) return answer_metrics(request);
  if (wanted.to == endpoint::provider_stats) return answer_stats(request, who);
  if (wanted.to == endpoint::usage) return answer_usage(request, who);
  if (wanted.to == endpoint::advice) return answer_advice(request, who);
  if (wanted.to == endpoint::race) return answer_race(request, wanted.id, who);
  if (wanted.to == endpoint::races) return answer_races(request, who);
  if (wanted.to == endpoint::feed) return answer_feed(request, who);
  if (wanted.to == endpoint::root) return answer_root(request);
  if (wanted.to == endpoint::live || wanted.to == endpoint::ready) return answer_probe(request, wanted);
  return answer_models(request, wanted, who);
}

proxy::memory_budget::account session::account_of(caller who) const {
  return who.key == nullptr ? from_account_ : worker_.load.memory.account_of(who.key->name);
}

asio::awaitable<after_response> session::answer_by(routed_request wanted, client_request& request, presented_keys keys,
                                                   caller who) {
  const std::optional<content_coding> coding = read_content_coding(request.fields);
  if (!coding) co_return co_await refuse_coding(request, who);
  client_.charge(account_of(who));
  proxy::memory_share memory(worker_.load.memory, account_of(who), worker_.alarms);
  if (!memory.grow_to(memory_of_request, proxy::memory_use::arriving))
    co_return co_await refuse_for_memory(request, who);
  request.memory = memory.another();
  style_.then = keeps_alive(request);
  is_body_read_ = reader_.take_body(request);
  if (!is_body_read_) is_body_read_ = co_await read_body(request, who);
  if (!is_body_read_) co_return after_response::close;
  client_.begin_anew();  // that it leaves is noticed at once, however long its prompt was
  if (*coding != content_coding::identity && !request.body.empty()) {
    const auto ended = co_await decode_or_refuse(request, *coding, who);
    if (ended) co_return *ended;
  }
  if (wanted.to == endpoint::count_tokens) co_return co_await answer_count(request, who);
  racing_ = std::make_unique<race_endpoint>(
      worker_, client_,
      admitted_request{*wanted.by, settings_, limits_, std::move(request), std::move(wanted.model), std::move(keys),
                       who, std::move(request_id_), from_, std::move(fields_), style_, std::move(memory), is_https_});
  co_return style_.then;
}

asio::awaitable<after_response> session::refuse_for_memory(const client_request& request, caller who) {
  return refuse(request, memory_overloaded(), who);
}

// None where the body is decoded: an open stream does not keep room for the errors that it never had.
asio::awaitable<std::optional<after_response>> session::decode_or_refuse(client_request& request, content_coding coding,
                                                                         caller who) {
  const std::optional<api_error> error = co_await decode_body(request, coding);
  if (!error) co_return std::nullopt;
  if (!client_.has_left()) co_return co_await refuse(request, *error, who);
  note_departure(request, who);
  co_return after_response::close;
}

// False when it did not come; that is answered then.
asio::awaitable<bool> session::read_body(client_request& request, caller who) {
  const std::optional<refusal> refused = co_await reader_.read_body(request);
  if (!refused) co_return true;
  const api_error error = client_.is_interrupted() ? gateway_draining() : to_api_error(*refused);
  request.body.clear();
  request.body.shrink_to_fit();  // not held until the client has taken the answer
  request.memory.shrink_to(0);
  style_.then = after_response::close;
  if (client_.has_left()) note_departure(request, who);
  else note_refusal(request, error, who);
  co_await send(error_response(error, worded(error), fields_, style_));
  co_return false;
}

asio::awaitable<after_response> session::refuse_coding(const client_request& request, caller who) {
  fields_.add("accept-encoding", served_codings);
  api_error error = bad_request("the body's Content-Encoding is not supported: send gzip, deflate or none", {},
                                "unsupported_content_encoding");
  error.status = 415;
  return refuse(request, error, who);
}

// Whole in memory, as max_body allows; between two steps the loop turns.
asio::awaitable<std::optional<api_error>> session::decode_body(client_request& request, content_coding coding) {
  using progress = body_decoder::progress;
  const std::size_t encoded_bytes = request.body.size();
  const std::size_t max_body = settings_->limits.max_body;
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
    co_return bad_request("the body cannot be decoded: it is not what its Content-Encoding says", {},
                          "invalid_content_encoding");
  request.body = std::move(decoder).take();
  request.memory.shrink_to(request.body.size());
  co_return std::nullopt;
}

asio::awaitable<after_response> session::answer_preflight(const client_request& request) {
  for (const auto& [name, value] : preflight_headers(request.fields)) fields_.add(name, value);
  return send(whole_response(204, {}, {}, fields_, style_));
}

asio::awaitable<after_response> session::refuse(const client_request& request, const api_error& error, caller who) {
  note_refusal(request, error, who);
  return send(error_response(error, worded(error), fields_, style_));
}

asio::awaitable<after_response> session::send(std::string response) {
  const std::string_view piece = response;
  const bool is_sent = co_await client_.write(std::span(&piece, 1));
  co_return is_sent ? style_.then : after_response::close;
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

}  // namespace photofinish::gateway
