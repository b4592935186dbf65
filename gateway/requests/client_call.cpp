#include "gateway/requests/client_call.hpp"

#include "gateway/api/error_response.hpp"
#include "gateway/http/date_of_now.hpp"
#include "gateway/http/request_id.hpp"
#include "gateway/ingress/forwarded_for.hpp"
#include "gateway/ingress/socket_address.hpp"

namespace photofinish::gateway {

namespace asio = boost::asio;
using metrics::request_outcome;

namespace {

// Returns true if the client caused the error. Examples are HTTP features that this gateway does not support, such as
// the method CONNECT or an unknown HTTP version. An unknown key id is also the client's fault, because anyone can
// invent an id.
bool is_clients_doing(const api_error& error) {
  return error.status < 500 || error.status == 501 || error.status == 505 || error.code == unknown_key_code;
}

}  // namespace

proxy::memory_budget::account account_of_peer(const asio::ip::tcp::endpoint& peer, const proxy::memory_budget& memory) {
  const asio::ip::address address = peer.address();
  if (!address.is_v6()) return memory.account_of(address.to_string());
  const auto bytes = address.to_v6().to_bytes();
  return memory.account_of({reinterpret_cast<const char*>(bytes.data()), bytes.size() / 2});
}

client_call::client_call(worker_context& worker_, client_connection& client_, const listener_traits& listener_,
                         const asio::ip::tcp::endpoint& peer_)
    : worker(worker_),
      client(client_),
      listener(listener_),
      peer(peer_),
      peer_account(account_of_peer(peer_, worker_.load.memory)),
      settings(worker_.snapshots.settings),
      limits(worker_.snapshots.limits),
      caller_address(peer_),
      caller_account(peer_account) {}

void client_call::begin(const client_request& request) {
  const std::string_view given = request.field("x-request-id");
  id = is_usable_request_id(given) ? std::string(given) : new_request_id(worker.random.engine);
  client.set_write_end(proxy::instant::max());
  note_caller(request);
  fields = {};
  fields.add("x-request-id", id);
  style = {.is_http_1_0 = request.is_http_1_0, .date = date_of_now, .comments = comments_for(request.fields)};
  style.is_head_request = request.method == "HEAD";
  error_api = worded_by(request, worker.speaks.apis);
  if (error_api != nullptr && !error_api->id_header().empty()) fields.add(error_api->id_header(), id);
}

// Determines the caller for each request, because one connection of a proxy carries the requests of many callers.
void client_call::note_caller(const client_request& request) {
  asked_model.clear();
  caller_address = peer;
  caller_account = peer_account;
  is_https = client.is_tls();
  const auto& trusted = settings->server.ingress.trusted_proxies;
  if (trusted.empty()) return;
  const ip_bytes bytes = bytes_of(peer.address());
  is_https |= is_forwarded_https(bytes, request.fields, trusted);
  const std::optional<proxied_peer> found = forwarded_peer(bytes, request.fields, trusted);
  if (!found) return;
  caller_address = {address_of(found->address), found->port};
  caller_account = account_of_peer(caller_address, worker.load.memory);
}

proxy::memory_budget::account client_call::account_of(const caller& who) const {
  return who.key == nullptr ? caller_account : worker.load.memory.account_of(who.key->name);
}

asio::awaitable<after_response> client_call::refuse(const client_request& request, const api_error& error,
                                                    const caller& who) {
  note_refusal(request, error, who);
  return send_error(error);
}

asio::awaitable<after_response> client_call::refuse_for_memory(const client_request& request, const caller& who) {
  return refuse(request, memory_overloaded(), who);
}

asio::awaitable<after_response> client_call::send_error(const api_error& error) {
  const std::string body = error_api != nullptr ? error_api->error_json(error) : to_json(error);
  return send(error_response(error, body, fields, style));
}

asio::awaitable<after_response> client_call::send(std::string response) {
  const std::string_view piece = response;
  const bool is_sent = co_await client.write(std::span(&piece, 1));
  co_return is_sent ? style.then : after_response::close;
}

void client_call::note_answer(const client_request& request, const caller& who) {
  note({.id = id, .peer = caller_address, .path = request.path}, request, who);
}

void client_call::note_refusal(const client_request& request, const api_error& error, const caller& who) {
  const std::string path = loggable_path(request.path, settings->access.keys);
  plain_request seen{.id = id, .peer = caller_address, .path = path};
  seen.outcome = is_clients_doing(error) ? request_outcome::client_error : request_outcome::gateway_error;
  if (client.is_interrupted()) seen.outcome = request_outcome::drained;
  seen.status = error.status;
  seen.code = error.code;
  seen.limit = error.limit;
  seen.overload = error.overload;
  note(seen, request, who);
}

// Writes to the audit log that a caller was refused. The number of such lines per second is limited for each worker,
// because any stranger can cause them.
void client_call::audit_refusal(const client_request& request, const api_error& error, const caller& who) {
  if (settings->log.audit_file.empty() || error.status >= 500 || !worker.records.audited.take()) return;
  worker.keeper.note(refused_caller{.status = error.status, .code = error.code, .message = error.message,
                                    .peer = caller_address.address().to_string(),
                                    .forwarded_for = std::string(last_forwarded(request.fields)),
                                    .request_id = id,
                                    .client = who.key == nullptr ? std::string() : std::string(who.name())});
}

void client_call::note_departure(const client_request& request, const caller& who) {
  plain_request seen{.id = id, .peer = caller_address, .path = request.path};
  seen.outcome = client.is_interrupted() ? request_outcome::drained : request_outcome::client_cancelled;
  seen.status = client_left_status;
  note(seen, request, who);
}

void client_call::note_broken(const client_request& request, const caller& who) {
  plain_request seen{.id = id, .peer = caller_address, .path = request.path};
  seen.outcome = client.is_interrupted() ? request_outcome::drained : request_outcome::truncated;
  if (client.is_interrupted()) seen.code = "gateway_draining";
  note(seen, request, who);
}

void client_call::note(plain_request seen, const client_request& request, const caller& who) {
  seen.endpoint = label_of(request.path, worker.speaks.apis);
  seen.method = request.method;
  seen.forwarded_for = last_forwarded(request.fields);
  seen.client = who.name();  // the name of the owner of a sealed key or a token
  seen.team = who.team();
  seen.model = asked_model;
  metrics::request_observation counted{.route = worker.shard.route("_none"),
                                       .client = worker.shard.client(who.label())};
  counted.endpoint = seen.endpoint;
  counted.outcome = seen.outcome;
  worker.shard.observe(counted);
  if (seen.overload) worker.shard.cell<metrics::names::overload_refusals_total>(*seen.overload).add(1);
  log_request(worker.records.lines, seen);
}

}  // namespace photofinish::gateway
