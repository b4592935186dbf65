#include "gateway/server/worker.hpp"

#include "gateway/front/socket_address.hpp"
#include "gateway/housekeeping/credential_network.hpp"
#include "gateway/records/request_log.hpp"
#include "gateway/requests/views/view_table.hpp"
#include "proxy/loop/spawn.hpp"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <spdlog/spdlog.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using metrics::refused_connection;

namespace {

// Clients without room that are answered with patience; to the rest the answer is sent, and they are closed.
constexpr std::size_t most_overload_responses = 64;

// Of one worker in a second, in the audit log.
constexpr std::size_t most_audited_refusals = 5;

// A third of the descriptors: a client that is served needs at least one more, for its provider, and a race several.
std::size_t room_for_clients() {
  rlimit descriptors{};
  const bool is_known = ::getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && descriptors.rlim_cur != RLIM_INFINITY;
  return is_known ? static_cast<std::size_t>(descriptors.rlim_cur) / 3 : SIZE_MAX;
}

constexpr std::string_view too_many_connections =
    "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\nconnection: close\r\n"
    "content-length: 120\r\n\r\n"
    R"({"error":{"message":"the gateway is at max_connections","type":"server_error","param":null,)"
    R"("code":"gateway_overloaded"}})";
static_assert(too_many_connections.size() - too_many_connections.find('{') == 120,
              "the body is as long as its content-length says");

// At least so many may shake hands with a worker, however few connections there may be.
constexpr std::size_t least_entrances = 16;

}  // namespace

worker::worker(std::size_t index, std::shared_ptr<const config> settings, metrics::series_budget& series,
               server_load& load, std::uint64_t fingerprint_salt)
    : index_(index),
      fingerprint_salt_(fingerprint_salt),
      room_(room_for_clients()),
      settings_(std::move(settings)),
      shard_(series),
      load_(load),
      random_(std::random_device{}()) {
  declare(*settings_);
}

worker::~worker() = default;

void worker::listen(listening_socket socket, const listener_traits& listener) {
  const tcp protocol = listener.address.host.find(':') != std::string::npos ? tcp::v6() : tcp::v4();
  acceptors_.emplace_back(loop_, outbound_.alarms(), std::move(socket), protocol,
                          [this, listener](tcp::socket client) { take(std::move(client), listener); });
}

void worker::start(housekeeper& keeper, const protocols& speaks, std::shared_ptr<const limit_table> limits,
                   std::function<void()> on_drained) {
  audited_ = std::make_unique<line_budget>(outbound_.alarms(),
                                           [&keeper](std::size_t count) { keeper.refusals_left_out(count); },
                                           most_audited_refusals);
  keeper.reports().share_receipts(fingerprint_salt_);
  const auto mail_to = [this](auto& box) { return [this, &box](auto noted) { box.note(index_, std::move(noted)); }; };
  account_books books{shard_, prices_, lines_, load_.background, mail_to(keeper.scores()),
                      mail_to(keeper.usage()), mail_to(keeper.speeds()), mail_to(keeper.advice().races())};
  late_ = std::make_unique<late_accounts>(std::move(books), mail_to(keeper.traces()));
  attempt_means attempts{outbound_, shard_, redactors_, speaks.dialects, worker_flights(load_.flights), credentials_,
                         worker_rooms(load_.rooms)};
  credentials_.on_renew([&keeper](const proxy::credential_source& source, std::uint64_t serial) {
    keeper.credentials().renew(source, serial);
  });
  run_beside beside = [&keeper, executor = loop_.get_executor()](std::function<void()> work) {
    return keeper.parsing().run(std::move(work), executor);
  };
  services_ = std::make_unique<services>(services{loop_.get_executor(), outbound_, outbound_.alarms(), shard_, keeper,
                                                  load_, *late_, lines_, batch_, random_, fingerprint_salt_, speaks,
                                                  std::move(attempts), std::move(beside), prices_,
                                                  step_sender(keeper.speeds(), index_), index_, settings_,
                                                  std::move(limits), std::make_shared<const racing::scoreboard>()});
  services_->speaks.views = all_views();
  services_->tokens = &tokens_;
  services_->audited = audited_.get();
  tokens_.on_unknown_key([&keeper](const jwks_source& source) { keeper.credentials().ask_for_keys(source); });
  for (acceptor& each : acceptors_) {
    proxy::spawn_vital(loop_, "a listener", each.run(), [this] {
      --accepting_;
      idle_.wake();
    });
    ++accepting_;
  }
  thread_ = std::thread([this, on_drained = std::move(on_drained)]() mutable { run(std::move(on_drained)); });
}

void worker::run(std::function<void()> on_drained) {
  auto work = asio::make_work_guard(loop_);
  proxy::spawn_vital(loop_, "a worker's end", drained(), [&] { work.reset(); });
  loop_.run();
  audited_.reset();  // it may tell the housekeeper, which goes before this worker
  on_drained();
}

void worker::take(tcp::socket socket, const listener_traits& listener) {
  if (is_cut_) return;
  error_code ignored;
  if (const auto problem = problem_of(socket, listener.role))  // nothing was read, and nothing is written
    return note_refused(socket.remote_endpoint(ignored), *problem);
  entrance_rules rules = rules_for(listener.role);
  const std::size_t most = std::min(settings_->limits.max_connections, room_);
  load_place place(load_.connections);
  if (place.number() > most && listener.role != listener_role::admin) {  // who watches over us is let in
    place = {};
    note_turned_away(socket);
    if (rules.are_none()) turn_away(std::move(socket));  // others would not understand it
    return;
  }
  if (rules.are_none()) return let_in(std::move(socket), listener, std::move(place));
  begin_entrance(std::move(socket), listener, std::move(place), std::move(rules));
}

void worker::let_in(tcp::socket socket, const listener_traits& listener, load_place place,
                    std::unique_ptr<client_tls> tls, std::optional<tcp::endpoint> from) {
  const auto at = sessions_.emplace(sessions_.end(), std::move(place), std::move(socket), *services_, listener,
                                    std::move(tls), from);
  try {
    proxy::spawn(loop_, "a session", at->its.run(), [this, at] { session_ended(at); });
  } catch (...) {  // it never began
    session_ended(at);
    throw;
  }
  if (is_draining_) at->its.drain();  // out of the backlog
}

void worker::turn_away(tcp::socket socket) {
  if (overload_responses_.size() < std::min(most_overload_responses, room_ / 8))
    return answer_briefly(std::move(socket), too_many_connections);
  ::send(socket.native_handle(), too_many_connections.data(), too_many_connections.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void worker::answer_briefly(tcp::socket socket, std::string_view answer) {
  const auto at = overload_responses_.emplace(overload_responses_.end(), std::move(socket), outbound_.alarms(),
                                              outbound_.scratch());
  const auto ended = [this, at] {
    overload_responses_.erase(at);
    if (overload_responses_.empty()) idle_.wake();
  };
  try {
    proxy::spawn(loop_, "the answer to a client without room", at->run(answer), ended);
  } catch (...) {  // it never began
    ended();
    throw;
  }
}

void worker::note_turned_away(const tcp::socket& socket) {
  metrics::request_observation seen{.route = shard_.route("_none"), .client = shard_.client("_none")};
  seen.endpoint = metrics::endpoint::other;
  seen.outcome = metrics::request_outcome::gateway_error;
  shard_.observe(seen);
  shard_.cell<metrics::names::overload_refusals_total>(metrics::overload_reason::max_connections).add(1);
  error_code ignored;
  log_request(lines_, plain_request{.id = {}, .peer = socket.remote_endpoint(ignored), .outcome = seen.outcome,
                                    .status = 503, .code = "gateway_overloaded",
                                    .overload = metrics::overload_reason::max_connections});
}

void worker::session_ended(std::list<seated_session>::iterator which) {
  sessions_.erase(which);
  if (sessions_.empty()) idle_.wake();
}

asio::awaitable<void> worker::drained() {
  while (!is_draining_ || accepting_ > 0 || !entrances_.empty() || !pushed_out_.empty() || !sessions_.empty() ||
         !overload_responses_.empty())
    co_await idle_.wait();
  co_await late_->drained();
  co_await outbound_.stop();
}

void worker::adopt(std::shared_ptr<const config> settings, std::shared_ptr<const limit_table> limits,
                   std::shared_ptr<SSL_CTX> tls) {
  asio::post(loop_, [this, settings = std::move(settings), limits = std::move(limits), tls = std::move(tls)]() mutable {
    declare(*settings);
    settings_ = settings;
    tls_ = std::move(tls);
    services_->limits = std::move(limits);
    services_->settings = std::move(settings);
  });
}

void worker::adopt(std::shared_ptr<const racing::scoreboard> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { services_->board = std::move(board); });
}

void worker::adopt(std::shared_ptr<const racing::speed_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { services_->speed = std::move(board); });
}

void worker::adopt(std::shared_ptr<const credential_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { credentials_.adopt(std::move(board)); });
}

void worker::adopt(std::shared_ptr<const jwks_board> board) {
  asio::post(loop_, [this, board = std::move(board)]() mutable { tokens_.adopt(std::move(board)); });
}

void worker::show_races(double per_second) {
  asio::post(loop_, [this, per_second] { services_->sampler.open(per_second); });
}

void worker::leave() {
  asio::post(loop_, [this] { services_->state = service_state::leaving; });
}

void worker::drain() {
  asio::post(loop_, [this] {
    if (std::exchange(is_draining_, true)) return;
    services_->state = service_state::leaving;
    for (acceptor& each : acceptors_) each.stop();
    for (auto at = sessions_.begin(); at != sessions_.end();) (at++)->its.drain();  // a session may end inside
    idle_.wake();
  });
}

void worker::cut() {
  drain();
  asio::post(loop_, [this] {
    is_cut_ = true;  // for what is still in the backlog, too
    for (auto at = entrances_.begin(); at != entrances_.end();)
      (at++)->cut(metrics::refused_connection::late, "the gateway stops");
    for (auto at = sessions_.begin(); at != sessions_.end();) (at++)->its.cut();  // a session may end inside
    for (auto at = overload_responses_.begin(); at != overload_responses_.end();) (at++)->cut();
  });
}

void worker::declare(const config& settings) {
  for (const auto& [name, provider] : settings.providers) {
    shard_.declare_provider(name);
    for (const std::string& model : provider.models)
      if (model != "*") shard_.declare_target(name, model);
  }
  for (const auto& [name, route] : settings.routes) {
    shard_.declare_route(name);
    if (settings.is_zero_config) continue;  // there, targets are declared when they have answered
    (void)names_target(route, [this](const target_name& target) {
      shard_.declare_target(target.provider, target.model);
      return false;
    });
  }
  if (!settings.sealed_keys.secrets.empty()) {
    shard_.declare_usage(sealed_label, metrics::none_label);
    for (const auto& [team, limits] : settings.teams) shard_.declare_usage(sealed_label, team);
  }
  if (!settings.jwt.empty()) {
    shard_.declare_usage(jwt_label, metrics::none_label);
    for (const auto& [team, limits] : settings.teams) shard_.declare_usage(jwt_label, team);
  }
  for (const std::string& project : settings.projects) shard_.declare_project(project);
  for (const guardrail_settings& each : settings.guardrails) shard_.declare_guardrail(each.name);
  for (const access_key& key : settings.access_keys) {
    shard_.declare_client(key.name);
    shard_.declare_usage(key.name, caller{&key}.team());
  }
}

// How clients come in if their addresses are checked, a PROXY header is read, or hands are shaken.

// The admin address is for those who watch over us: probes and scrapers come directly, from wherever they are.
std::optional<turned_back> worker::problem_of(const tcp::socket& socket, listener_role role) const {
  const front_settings& front = settings_->front;
  if (role == listener_role::admin || (!front.proxy_protocol && front.allow_from.empty())) return std::nullopt;
  boost::system::error_code gone;
  const asio::ip::address from = socket.remote_endpoint(gone).address();
  if (front.proxy_protocol) {  // the address that counts is in the header
    if (holds(front.trusted_proxies, bytes_of(from))) return std::nullopt;
    return turned_back{refused_connection::proxy_header, "trusted_proxies does not have " + from.to_string()};
  }
  if (holds(front.allow_from, bytes_of(from))) return std::nullopt;
  return turned_back{refused_connection::address, "allow_from does not have " + from.to_string()};
}

entrance_rules worker::rules_for(listener_role role) const {
  const bool is_admin = role == listener_role::admin;
  const bool has_tls = tls_ && (!is_admin || settings_->front.tls->covers_admin);
  return {settings_, has_tls ? tls_ : nullptr, settings_->front.proxy_protocol && !is_admin};
}

// A quarter of all connections may be shaking hands. Where more come, the oldest goes: one who is in earnest is done
// within a round trip or two, and who only holds a place is the first to lose it.
std::size_t worker::room_for_entrances() const {
  const std::size_t all = std::min(settings_->limits.max_connections, room_);
  return std::max(least_entrances, all / 4 / load_.workers);
}

// It leaves the list before it is cut: it ends in a later turn, and until then others would take it for the oldest.
void worker::push_out_oldest() {
  const auto oldest = entrances_.begin();
  pushed_out_.splice(pushed_out_.end(), entrances_, oldest);
  oldest->note_pushed_out();
  oldest->cut(refused_connection::crowded, "newer connections take its place");
}

void worker::begin_entrance(tcp::socket socket, const listener_traits& listener, load_place place,
                            entrance_rules rules) {
  if (entrances_.size() >= room_for_entrances()) push_out_oldest();
  const auto at = entrances_.emplace(entrances_.end(), std::move(socket), listener, std::move(place), std::move(rules),
                                     outbound_.alarms(), handshakes_);
  const auto ended = [this, at](const std::exception_ptr& bug, std::optional<turned_back> end) {
    if (bug) proxy::report_bug("a handshake", bug);
    if (bug) end.emplace(refused_connection::tls).detail = "internal error";  // short: it allocates nothing
    entrance_ended(at, std::move(end));
  };
  try {
    proxy::spawn(loop_, "a handshake", at->run(), ended);
  } catch (...) {  // it never began
    entrances_.erase(at);
    throw;
  }
}

// It counts among the connections until it is turned back, or its session ends.
void worker::entrance_ended(std::list<entrance>::iterator which, std::optional<turned_back> end) {
  std::list<entrance> ended;
  ended.splice(ended.end(), which->is_pushed_out() ? pushed_out_ : entrances_, which);
  try {
    if (end || is_cut_) leave_entrance(*which, end);
    else let_in(which->take_socket(), which->listener(), which->take_place(), which->take_tls(), which->peer());
  } catch (...) {
    proxy::report_bug("a connection", std::current_exception());
  }
  idle_.wake();
}

void worker::leave_entrance(entrance& which, const std::optional<turned_back>& end) {
  which.take_place();  // it is free before the answer leaves
  if (end) note_refused(which.peer(), *end);
  const bool is_answered = end && !end->answer.empty() && !is_cut_ && overload_responses_.size() < least_entrances;
  if (is_answered) answer_briefly(which.take_socket(), end->answer);
}

void worker::note_refused(const tcp::endpoint& peer, const turned_back& why) {
  load_.refused_connections[why.why].fetch_add(1, std::memory_order_relaxed);
  if (!lines_.take()) return;
  const std::string from = peer.address().to_string();
  spdlog::info("a connection from {} is refused: {}", from, why.detail);
}

}  // namespace photofinish::gateway
