#include "gateway/requests/unraced_answers.hpp"

#include "gateway/api/messages/token_count.hpp"
#include "gateway/api/model_name.hpp"
#include "gateway/requests/stages/request_limits.hpp"
#include "gateway/requests/stored_responses.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <cstddef>
#include <functional>
#include <utility>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

// The maximum size of a body whose tokens the worker itself counts. Counting such a body usually takes a tenth of a
// millisecond, and at worst a few milliseconds.
constexpr std::size_t most_counted_here = 8u << 10;

constexpr std::size_t longest_shown_model = 256;  // the maximum length of a model name in the log

// Returns the number of tokens in the request as JSON. A long body is counted on another thread. The caller must be
// allowed to use the model, as for a request that generates an answer. Stores the model's name in `call`.
asio::awaitable<std::variant<std::string, api_error>> count_tokens(client_call& call, std::string body, caller who) {
  std::variant<token_count, api_error> counted;
  if (body.size() <= most_counted_here) {
    counted = count_request(std::move(body), call.worker.outbound.parser());
  } else {
    std::function<void()> work = [&counted, &body] {
      proxy::tolerant_parser of_its_own;
      counted = count_request(std::move(body), of_its_own);
    };
    co_await call.worker.beside(std::move(work));
  }
  if (auto* error = std::get_if<api_error>(&counted)) co_return std::move(*error);
  auto& made = std::get<token_count>(counted);
  call.asked_model = made.model.substr(0, longest_shown_model);
  auto resolved = resolve_model(*call.settings, made.model, who);
  if (auto* error = std::get_if<api_error>(&resolved)) co_return std::move(*error);
  co_return std::move(made.json);
}

asio::awaitable<after_response> stream_kept_answer(client_call& call, client_request& request,
                                                   stored_response_query question) {
  const caller who = question.who;
  // A stream to an HTTP/1.0 client ends when the connection closes.
  if (call.style.is_http_1_0) call.style.then = after_response::close;
  const stored_response_stream done =
      co_await stream_stored_response(call.worker, call.client, std::move(question), call.fields, call.style);
  if (call.client.has_left()) {
    call.note_departure(request, who);
    co_return after_response::close;
  }
  if (done.refused) co_return co_await call.refuse(request, *done.refused, who);
  if (done.end == answer_end::complete) {
    call.note_answer(request, who);
    co_return call.style.then;
  }
  call.note_broken(request, who);
  co_return after_response::close;
}

}  // namespace

asio::awaitable<after_response> answer_stored_response(client_call& call, client_request& request,
                                                       routed_request wanted, presented_keys keys, caller who) {
  const load_place place(call.worker.load.requests);  // counts this request as a running request
  if (place.number() > call.settings->limits.max_inflight) {
    const api_error full = requests_overloaded();
    co_return co_await call.refuse(request, full, who);
  }
  call.client.charge(call.account_of(who));
  proxy::memory_share memory(call.worker.load.memory, call.account_of(who), call.worker.alarms);
  if (!memory.grow_to(memory_of_request, proxy::memory_use::arriving))
    co_return co_await call.refuse_for_memory(request, who);
  const limited_request limited{.table = call.limits, .who = who};
  auto taken = take_limits(call.worker, limited, call.fields);
  if (auto* awaited = std::get_if<awaited_limits>(&taken)) {
    auto waited = co_await await_limits(call.worker, limited, std::move(*awaited), call.fields);
    taken = std::move(waited);
  }
  if (const auto* refused = std::get_if<api_error>(&taken)) co_return co_await call.refuse(request, *refused, who);
  proxy::memory_share answers = memory.another();  // the memory of the answer, kept until the answer is written
  stored_response_query question{wanted.action, std::move(wanted.id), request, call.settings,
                                 call.limits,   std::move(keys),      who,     &answers};
  if (asks_for_stream(question)) co_return co_await stream_kept_answer(call, request, std::move(question));
  auto answer = co_await fetch_stored_response(call.worker, call.client, std::move(question));
  if (call.client.has_left()) {
    call.note_departure(request, who);
    co_return after_response::close;
  }
  if (call.client.is_interrupted()) answer = gateway_draining();
  if (const auto* error = std::get_if<api_error>(&answer)) co_return co_await call.refuse(request, *error, who);
  call.note_answer(request, who);
  std::string text = whole_response(200, "application/json", std::get<std::string>(answer), call.fields, call.style);
  answer.emplace<std::string>();
  co_return co_await call.send(std::move(text));
}

asio::awaitable<after_response> answer_count(client_call& call, client_request& request, caller who) {
  const load_place place(call.worker.load.requests);
  if (place.number() > call.settings->limits.max_inflight) {
    const api_error full = requests_overloaded();
    co_return co_await call.refuse(request, full, who);
  }
  const std::variant<std::string, api_error> counted =
      co_await count_tokens(call, std::move(request.body), who);
  if (const auto* error = std::get_if<api_error>(&counted)) co_return co_await call.refuse(request, *error, who);
  call.fields.add(token_count_header, token_count_kind);
  call.note_answer(request, who);
  std::string text = whole_response(200, "application/json", std::get<std::string>(counted), call.fields, call.style);
  co_return co_await call.send(std::move(text));
}

}  // namespace photofinish::gateway
