// Answers one request in any API, from its body to its last byte and its log line. The flow only runs the stages of a
// request one after another; the stages make the decisions. docs/decisions/0075 explains the stages.
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
  // Moves the id and the header fields out of `call`. Before this call, the request's body must have been read, and its
  // caller must be known. The call's worker and client must outlive serve(). `model` is the model in the URL path, or
  // empty if the body names the model. `memory` accounts for the memory of the request except its body.
  request_flow(client_call& call, const api& by, client_request request, std::string model, presented_keys keys,
               const caller& who, proxy::memory_share memory);

  // Answers the request. The result tells the session to use the connection again or to close it.
  boost::asio::awaitable<after_response> serve();

 private:
  void describe(client_call& call);
  boost::asio::awaitable<std::optional<after_response>> prepare();
  void settle();

  std::unique_ptr<request_ledger> account_;  // the accounting of the request, in use until serve() returns
  request_context context_;
  std::shared_ptr<request_plan> plan_;     // the plan of the race; null once no other target is needed
  std::shared_ptr<const limit_table> table_;  // the limit table; null after the request was charged to its limits
  load_place place_;  // counts this request as running; moved to the race when the race starts
  client_reply reply_{context_};
  guardrail_stage guardrails_{context_};
  cache_stage cache_{context_};
  delivery_stage delivery_{context_, cache_, reply_};
  continuation_stage continuation_{context_, cache_, reply_};
  race_stage race_{context_, plan_, {guardrails_, cache_, delivery_, continuation_, reply_}};
};

}  // namespace photofinish::gateway
