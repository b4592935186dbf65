// A session, continued: finds the caller of a request; counts and logs requests without a race.
#include "gateway/requests/session.hpp"

#include "gateway/access/jwt/jwt_callers.hpp"
#include "gateway/front/forwarded_for.hpp"
#include "gateway/front/socket_address.hpp"

namespace photofinish::gateway {

using metrics::request_outcome;

namespace {

// Parts of HTTP that are not served here, for example CONNECT or version 2, are the client's doing. A key id that its
// issuer may never have shown is, too: any stranger can invent one.
bool is_clients_doing(const api_error& error) {
  return error.status < 500 || error.status == 501 || error.status == 505 || error.code == unknown_key_code;
}

}  // namespace

// An address tells callers without keys apart; of IPv6 the network, for one caller has all of it.
proxy::memory_budget::account session::account_of_peer(const boost::asio::ip::tcp::endpoint& from,
                                                       const proxy::memory_budget& memory) {
  const boost::asio::ip::address peer = from.address();
  if (!peer.is_v6()) return memory.account_of(peer.to_string());
  const auto bytes = peer.to_v6().to_bytes();
  return memory.account_of({reinterpret_cast<const char*>(bytes.data()), bytes.size() / 2});
}

// One connection of a proxy carries the requests of many callers.
void session::note_caller(const client_request& request) {
  asked_model_.clear();
  from_ = peer_;
  from_account_ = peer_account_;
  is_https_ = client_.is_tls();
  const auto& trusted = settings_->front.trusted_proxies;
  if (trusted.empty()) return;
  const ip_bytes peer = bytes_of(peer_.address());
  is_https_ |= is_forwarded_https(peer, request.fields, trusted);
  const std::optional<proxied_peer> found = forwarded_peer(peer, request.fields, trusted);
  if (!found) return;
  from_ = {address_of(found->address), found->port};
  from_account_ = account_of_peer(from_, worker_.load.memory);
}

std::string session::worded(const api_error& error) const {
  return called_ != nullptr ? called_->error_json(error) : to_json(error);
}

void session::note_answer(const client_request& request, caller who) {
  note({.id = request_id_, .peer = from_, .path = request.path}, request, who);
}

void session::note_refusal(const client_request& request, const api_error& error, caller who) {
  const std::string path = loggable_path(request.path, settings_->access_keys);
  plain_request seen{.id = request_id_, .peer = from_, .path = path};
  seen.outcome = is_clients_doing(error) ? request_outcome::client_error : request_outcome::gateway_error;
  if (client_.is_interrupted()) seen.outcome = request_outcome::drained;
  seen.status = error.status;
  seen.code = error.code;
  seen.limit = error.limit;
  seen.overload = error.overload;
  note(seen, request, who);
}

// Who is not let in: a second's worth of lines for each worker, for others may cause them.
void session::audit_refusal(const client_request& request, const api_error& error, caller who) {
  if (settings_->audit_file.empty() || error.status >= 500 || !worker_.audited->take()) return;
  worker_.keeper.note(refused_caller{.status = error.status, .code = error.code, .message = error.message,
                                     .peer = from_.address().to_string(),
                                     .forwarded_for = std::string(last_forwarded(request.fields)),
                                     .request_id = request_id_,
                                     .client = who.key == nullptr ? std::string() : std::string(who.name())});
}

// In the middle of its request.
void session::note_departure(const client_request& request, caller who) {
  plain_request seen{.id = request_id_, .peer = from_, .path = request.path};
  seen.outcome = client_.is_interrupted() ? request_outcome::drained : request_outcome::client_cancelled;
  seen.status = client_left_status;
  note(seen, request, who);
}

void session::note(plain_request seen, const client_request& request, caller who) {
  seen.endpoint = label_of(request.path, worker_.speaks.apis);
  seen.method = request.method;
  seen.forwarded_for = last_forwarded(request.fields);
  seen.client = who.name();  // of a sealed key or a token, whose it is
  seen.team = who.team();
  seen.model = asked_model_;
  metrics::request_observation counted{.route = worker_.shard.route("_none"),
                                       .client = worker_.shard.client(who.label())};
  counted.endpoint = seen.endpoint;
  counted.outcome = seen.outcome;
  worker_.shard.observe(counted);
  if (seen.overload) worker_.shard.cell<metrics::names::overload_refusals_total>(*seen.overload).add(1);
  log_request(worker_.lines, seen);
}

}  // namespace photofinish::gateway
