// Requests that race nothing: about kept responses, and for a count of tokens. A session, continued.
#include "gateway/api/messages/token_count.hpp"
#include "gateway/requests/count_tokens.hpp"
#include "gateway/requests/kept_responses.hpp"
#include "gateway/requests/session.hpp"

#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

asio::awaitable<after_response> session::answer_kept(client_request& request, routed_request wanted,
                                                     presented_keys keys, caller who) {
  proxy::memory_share memory(worker_.load.memory, account_of(who), worker_.alarms);
  if (!memory.grow_to(memory_of_request, proxy::memory_use::arriving))
    co_return co_await refuse_for_memory(request, who);
  kept_question question{wanted.action,   std::move(wanted.id), std::string(request.query), settings_,
                         std::move(keys), who,                  memory.another()};
  const auto answer = co_await ask_for_kept(worker_, client_, std::move(question));
  if (client_.has_left()) {
    note_departure(request, who);
    co_return after_response::close;
  }
  if (const auto* error = std::get_if<api_error>(&answer)) co_return co_await refuse(request, *error, who);
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", std::get<std::string>(answer), fields_, style_));
}

asio::awaitable<after_response> session::answer_count(client_request& request, caller who) {
  const std::variant<std::string, api_error> counted =
      co_await count_tokens(worker_, settings_, std::move(request.body), who);
  if (const auto* error = std::get_if<api_error>(&counted)) co_return co_await refuse(request, *error, who);
  fields_.add(token_count_header, token_count_kind);
  note_answer(request, who);
  co_return co_await send(whole_response(200, "application/json", std::get<std::string>(counted), fields_, style_));
}

}  // namespace photofinish::gateway
