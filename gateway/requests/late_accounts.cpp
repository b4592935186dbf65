#include "gateway/requests/late_accounts.hpp"

#include <boost/asio/co_spawn.hpp>

#include <spdlog/spdlog.h>

#include <exception>

namespace photofinish::gateway {

namespace asio = boost::asio;

void late_accounts::settle(open_account& counted) const {
  if (counted.record.race.winner) counted.record.counted = counted.tokens.result();
  const request_use used = account(books_, counted.record);
  using enum metrics::token_direction;
  counted.hold.settle(used.tokens[input], used.tokens[output], used.nano_usd(), counted.record.ended_at);
}

void late_accounts::close(std::unique_ptr<open_account> account) {
  if (!account->tokens.is_waiting()) return settle(*account);
  const auto at = waiting_.insert(waiting_.end(), std::move(account));
  asio::co_spawn(executor_, (*at)->tokens.all_counted(), [this, at](std::exception_ptr) {
    try {
      settle(**at);
    } catch (const std::exception& bug) {
      spdlog::error("the records of a request could not be written: {}", bug.what());
    }
    waiting_.erase(at);
    if (waiting_.empty()) empty_.wake();
  });
}

asio::awaitable<void> late_accounts::drained() {
  while (!waiting_.empty()) co_await empty_.wait();
}

}  // namespace photofinish::gateway
