// One request for an answer, whatever its API, from its body to its last byte and its log line: the stages that it
// passes, in their order. The flow decides nothing itself. Why these stages: docs/decisions/0075.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/http/client_request.hpp"
#include "gateway/requests/stages/race_stage.hpp"
#include "gateway/requests/worker/settlement_queue.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

// A request whose body has come, and whose caller is known.
struct admitted_request {
  const api& by;
  std::shared_ptr<const config> settings;  // those that `keys` and `who` were read under
  std::shared_ptr<const limit_table> limits;  // of those
  client_request request;
  std::string model;  // that its path names; empty: its body does
  presented_keys keys;
  caller who;
  std::string id;
  boost::asio::ip::tcp::endpoint peer;
  header_fields fields;  // of every answer
  response_style style;
  proxy::memory_share memory;  // of the request, in addition to its body
  bool is_https = false;       // the client calls over TLS
};

class request_flow {
 public:
  // `worker` and `client` outlive the call of serve().
  request_flow(worker_context& worker, client_connection& client, admitted_request admitted);

  // Answers the request. Afterwards the connection may be used again, or must be closed.
  boost::asio::awaitable<after_response> serve();

 private:
  void describe(admitted_request& admitted);
  boost::asio::awaitable<std::optional<after_response>> prepare();
  void settle();

  std::unique_ptr<request_ledger> account_;  // until the end of serve()
  request_context context_;
  std::shared_ptr<request_plan> plan_;     // until no other target may answer
  std::shared_ptr<const limit_table> table_;  // until the request is admitted
  load_place place_;  // among all requests that race; the race takes it over
  client_reply reply_{context_};
  guardrail_stage guardrails_{context_};
  cache_stage cache_{context_};
  delivery_stage delivery_{context_, cache_, reply_};
  continuation_stage continuation_{context_, cache_, reply_};
  race_stage race_{context_, plan_, {guardrails_, cache_, delivery_, continuation_, reply_}};
};

}  // namespace photofinish::gateway
