// Tests which receipts of races are stored, shown and added to the usage totals.
#include "gateway/housekeeping/stores/forecast_store.hpp"

#include <gtest/gtest.h>

namespace photofinish::gateway {
namespace {

std::shared_ptr<race_receipt> receipt_of(const std::string& id, const std::string& session, bool is_over = true) {
  auto made = std::make_shared<race_receipt>();
  made->id = id;
  made->request.session = session;
  made->used = {.requests = 1, .nano_usd = 5};
  if (is_over) made->answer.emplace();
  return made;
}

struct speed_keeping_test : ::testing::Test {
  std::size_t shown = 0;
  boost::asio::io_context loop;
  forecast_store keeping{loop, 1, [](auto) {}, [this](const auto&) { ++shown; }};
};

TEST_F(speed_keeping_test, ARaceThatRunsIsShownAndNeitherKeptNorSummed) {
  auto running = receipt_of("r", "s", false);
  keeping.note(0, running);
  keeping.drain();
  EXPECT_EQ(shown, 1u);
  EXPECT_EQ(keeping.receipts().size(), 0u);
  auto ended = receipt_of("r", "s");
  keeping.note(0, ended);
  keeping.drain();
  const auto kept = keeping.receipts().find("r", std::nullopt);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->session_total->amounts.requests, 1u);
  EXPECT_FALSE(kept->project_total);
}

TEST_F(speed_keeping_test, WhatFindsNoRoomIsNotTakenAndCanBeKeptAllTheSame) {
  for (std::size_t each = 0; each < most_receipts; ++each) {
    auto receipt = receipt_of(std::to_string(each), "s");
    keeping.note(0, receipt);
  }
  keeping.note(0, receipt_of("late", "s"));
  EXPECT_EQ(loop.run(), 2u) << "the ring is emptied early, and the receipt without room comes on the loop";
  const auto kept = keeping.receipts().find("late", std::nullopt);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->session_total->amounts.requests, most_receipts + 1);
  EXPECT_EQ(shown, most_receipts + 1);
}

}  // namespace
}  // namespace photofinish::gateway
