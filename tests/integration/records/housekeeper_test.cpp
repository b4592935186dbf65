// Tests the work that the housekeeper runs on separate threads, outside the thread of its event loop.
#include "gateway/housekeeping/housekeeper.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <exception>
#include <optional>
#include <string>

namespace photofinish::gateway {
namespace {

namespace asio = boost::asio;

TEST(Housekeeper, AScrapeDoesNotWaitForTheCountingOfALongText) {
  housekeeper keeper({}, {}, 1, [](const auto&) {});
  asio::io_context worker{1};
  std::optional<std::uint64_t> tokens;
  bool is_counted_at_the_scrape = false;
  ASSERT_TRUE(keeper.counting().count(std::string(8u << 20, 'a'), worker.get_executor(),
                                  [&tokens](std::uint64_t counted) { tokens = counted; }));
  EXPECT_FALSE(keeper.counting().count("more than may wait", worker.get_executor(), [](std::uint64_t) { FAIL(); }));
  const auto scrape = [&]() -> asio::awaitable<void> {
    const std::string page = (co_await keeper.metrics_page()).text;
    EXPECT_NE(page.find("photofinish_build_info"), std::string::npos);
    is_counted_at_the_scrape = tokens.has_value();
  };
  asio::co_spawn(worker, scrape(), [](std::exception_ptr bug) { EXPECT_FALSE(bug); });
  worker.run();
  EXPECT_FALSE(is_counted_at_the_scrape);
  EXPECT_GT(tokens.value_or(0), 1000u);
}

}  // namespace
}  // namespace photofinish::gateway
