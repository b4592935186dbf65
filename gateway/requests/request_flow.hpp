// One request for an answer, in any API, from its body to its last byte and its log line. It runs the stages in their
// order and decides nothing itself. Why these stages: docs/decisions/0075.
#pragma once

#include "gateway/access/keys.hpp"
#include "gateway/requests/client_call.hpp"
#include "gateway/requests/stages/race_stage.hpp"
#include "gateway/requests/worker/settlement_queue.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <optional>
#include <string>

namespace photofinish::gateway {

class request_flow {
 public:
  // Takes the id and the fields of a call whose body was read and whose caller is known. The call's worker and client
  // outlive serve(). `model`: the model in the path; empty: the body names it. `memory`: for the request, in addition
  // to its body.
  request_flow(client_call& call, const api& by, client_request request, std::string model, presented_keys keys,
               const caller& who, proxy::memory_share memory);

  // Answers the request. The result says whether the connection may be used again or must be closed.
  boost::asio::awaitable<after_response> serve();

 private:
  void describe(client_call& call);
  boost::asio::awaitable<std::optional<after_response>> prepare();
  void settle();

  std::unique_ptr<request_ledger> account_;  // kept until the end of serve()
  request_context context_;
  std::shared_ptr<request_plan> plan_;     // kept until no other target may answer
  std::shared_ptr<const limit_table> table_;  // kept until the request is admitted
  load_place place_;  // its place among all racing requests, until the race takes it over
  client_reply reply_{context_};
  guardrail_stage guardrails_{context_};
  cache_stage cache_{context_};
  delivery_stage delivery_{context_, cache_, reply_};
  continuation_stage continuation_{context_, cache_, reply_};
  race_stage race_{context_, plan_, {guardrails_, cache_, delivery_, continuation_, reply_}};
};

}  // namespace photofinish::gateway
