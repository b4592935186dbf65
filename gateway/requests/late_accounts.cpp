#include "gateway/requests/late_accounts.hpp"

#include <boost/asio/co_spawn.hpp>

#include <spdlog/spdlog.h>

#include <exception>

namespace photofinish::gateway {

namespace asio = boost::asio;

namespace {

void settle(services& worker, open_account& counted) {
  if (counted.record.race.winner) counted.record.counted = counted.tokens.result();
  const account_books books{worker.shard, worker.prices, worker.lines, [&worker](noted_attempt noted) {
                              worker.keeper.note(worker.worker, std::move(noted));
                            }};
  account(books, counted.record);
}

}  // namespace

void late_accounts::close(services& worker, std::unique_ptr<open_account> account) {
  if (!account->tokens.is_waiting()) return settle(worker, *account);
  const auto at = waiting_.insert(waiting_.end(), std::move(account));
  asio::co_spawn(worker.executor, (*at)->tokens.all_counted(), [this, &worker, at](std::exception_ptr) {
    try {
      settle(worker, **at);
    } catch (const std::exception& bug) {
      spdlog::error("a request could not be accounted for: {}", bug.what());
    }
    waiting_.erase(at);
    if (waiting_.empty()) empty_.wake();
  });
}

asio::awaitable<void> late_accounts::drained() {
  while (!waiting_.empty()) co_await empty_.wait();
}

}  // namespace photofinish::gateway
