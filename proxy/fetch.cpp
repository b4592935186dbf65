#include "proxy/fetch.hpp"

#include "proxy/failures/network_failures.hpp"
#include "proxy/loop/spawn.hpp"
#include "proxy/providers/url.hpp"

#include <boost/asio/io_context.hpp>

#include <exception>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

namespace asio = boost::asio;

fetch::fetch(outbound& over, const provider& from)
    : over_(over), from_(from), exchange_(over.pool(), from, over.scratch()) {}

asio::awaitable<result<fetched>> fetch::run(fetch_request request) {
  alarm limit(over_.alarms(), [this] {
    is_late_ = true;
    exchange_.cancel();
  });
  limit.arm(over_.alarms().now() + request.patience);
  request.head.host = host_field(from_.url);
  const std::string_view text = request.body;
  std::span<const std::string_view> body;
  if (!text.empty()) body = {&text, 1};
  auto head = co_await exchange_.start(request.head, body);
  if (!head) co_return explained(std::move(head).error());
  fetched answer;
  answer.head = *std::move(head);
  co_await read_body(answer, request.max_body);
  co_return answer;
}

asio::awaitable<void> fetch::read_body(fetched& into, std::size_t most) {
  while (into.body.size() < most) {
    auto bytes = co_await exchange_.next();
    if (!bytes) into.broken = explained(std::move(bytes).error());
    if (into.broken || bytes->empty()) co_return;
    into.body += bytes->substr(0, most - into.body.size());
  }
  exchange_.cancel();  // the connection is closed, because the remaining bytes are not needed
}

failure fetch::explained(failure why) const {
  return is_late_ ? network_failure(failure_kind::timeout, "no answer in time") : why;
}

namespace {

asio::awaitable<void> ask(outbound& over, const provider& from, fetch_request request,
                          std::optional<result<fetched>>& into) {
  {
    fetch call(over, from);
    auto answer = co_await call.run(std::move(request));
    into.emplace(std::move(answer));
  }
  co_await over.stop();
}

}  // namespace

result<fetched> fetch_alone(const base_url& from, fetch_request request) {
  provider asked;
  asked.url = from;
  asked.limits.max_spares = 0;
  std::optional<result<fetched>> answer;
  std::exception_ptr bug;
  asio::io_context loop(1);
  outbound over(loop);
  spawn(loop, "a fetch", ask(over, asked, std::move(request), answer),
        [&bug](const std::exception_ptr& error) { bug = error; });
  loop.run();
  if (bug) std::rethrow_exception(bug);
  return *std::move(answer);
}

}  // namespace photofinish::proxy
