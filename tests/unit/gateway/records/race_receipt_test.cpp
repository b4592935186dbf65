// Tests the receipt of a race: its content, which parts of it are stored, and which callers may read it.
#include "gateway/records/race_receipt.hpp"

#include "gateway/housekeeping/stores/receipt_store.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace photofinish::gateway {
namespace {

using nlohmann::json;

race_receipt hedged_race() {
  race_receipt made;
  made.id = "race_1";
  made.caller = 7;
  made.request.route = "fast";
  made.plan.policy = racing::race_policy::adaptive;
  made.plan.sort = racing::target_sort::ttft;
  made.plan.candidates = {{.target = "groq/m", .usual = 0.31, .late = 1.2, .samples = 300}, {.target = "cerebras/m", .usual = 0.4}};
  made.attempts = {{.target = "groq/m", .ended = 0.9},
                   {.target = "cerebras/m", .why = racing::start_reason::hedge, .started = 0.72, .ended = 0.9,
                    .end = racing::attempt_end::won, .first_token = 0.9}};
  made.winner = 1;
  made.plan.skipped = {{"xai/m", racing::skip_reason::cooldown}};
  receipt_choice choice;
  choice.made.order = {0, 1};
  choice.made.count = 2;
  choice.made.hedge_after = 0.72;
  choice.made.hedge_share = 0.06;
  choice.predicted_p50 = 0.3;
  choice.hedge_cost = 120;
  made.choice = choice;
  return made;
}

TEST(RaceReceipt, ItsSummaryIsOneSentence) {
  EXPECT_EQ(sentence_of(hedged_race()),
            "groq/m first (310 ms expected), cerebras/m after 720 ms; cerebras/m won after 900 ms, started as a hedge");
}

TEST(RaceReceipt, ItHasTheIdOfItsListOfPrices) {
  race_receipt made = hedged_race();
  EXPECT_TRUE(json::parse(receipt_page(made)).at("catalogue").is_null());
  made.plan.catalogue = catalogue_settings{}.id_letters();
  EXPECT_EQ(json::parse(receipt_page(made)).at("catalogue"), proxy::built_in_catalogue_id());
}

TEST(RaceReceipt, ItSaysHowLongTheProviderSaysItWaited) {
  race_receipt made = hedged_race();
  made.answer = receipt_answer{.seconds = 2, .queue = 0.17, .prompt = 0.004};
  EXPECT_TRUE(sentence_of(made).ends_with("cerebras/m won after 900 ms (170 ms of that in the queue, as the provider reports), "
                                          "started as a hedge")) << sentence_of(made);
  const json answer = json::parse(receipt_page(made)).at("answer");
  EXPECT_EQ(answer.at("reported_queue_seconds"), 0.17);
  EXPECT_EQ(answer.at("reported_prompt_seconds"), 0.004);
}

TEST(RaceReceipt, ItSaysWhatItsSessionHasUsed) {
  race_receipt made = hedged_race();
  made.request.session = "0f9c2a";
  EXPECT_FALSE(json::parse(receipt_page(made)).contains("session_total")) << "while it runs";
  made.session_total = receipt_total{{.requests = 14, .input_tokens = 120'300, .nano_usd = 420'000'000, .lost_nano_usd = 30'000'000},
                                     std::chrono::sys_time<std::chrono::milliseconds>(std::chrono::milliseconds(1'795'693'200'000))};
  const json page = json::parse(receipt_page(made));
  EXPECT_EQ(page.at("request").at("session"), "0f9c2a");
  const json& total = page.at("session_total");
  EXPECT_EQ(total.at("name"), "0f9c2a");
  EXPECT_EQ(total.at("since_ms"), 1'795'693'200'000);
  EXPECT_EQ(total.at("requests"), 14);
  EXPECT_EQ(total.at("input_tokens"), 120'300);
  EXPECT_DOUBLE_EQ(total.at("cost_usd"), 0.42);
  EXPECT_DOUBLE_EQ(total.at("lost_cost_usd"), 0.03);
  EXPECT_FALSE(page.contains("project_total"));
}

TEST(RaceReceipt, ThePageSaysWhoStartedWhenAndWhy) {
  const json page = json::parse(receipt_page(hedged_race()));
  EXPECT_EQ(page.at("id"), "race_1");
  EXPECT_EQ(page.at("policy"), "adaptive");
  EXPECT_EQ(page.at("winner"), "cerebras/m");
  EXPECT_EQ(page.at("attempts")[1].at("why"), "hedge");
  EXPECT_EQ(page.at("attempts")[1].at("started_seconds"), 0.72);
  EXPECT_EQ(page.at("attempts")[0].at("end"), "lost");
  EXPECT_EQ(page.at("candidates")[0].at("ttft_seconds").at("p50"), 0.31);
  EXPECT_EQ(page.at("choice").at("order"), json({"groq/m", "cerebras/m"}));
  EXPECT_EQ(page.at("choice").at("hedge").at("after_seconds"), 0.72);
  EXPECT_EQ(page.at("choice").at("cost").at("hedge"), 120);
  EXPECT_EQ(page.at("skipped")[0].at("reason"), "cooldown");
}

TEST(RaceReceipt, ARaceByAnotherPolicyHasNoChoice) {
  race_receipt plain = hedged_race();
  plain.plan.policy = racing::race_policy::all;
  plain.choice.reset();
  plain.plan.candidates.clear();
  plain.winner.reset();
  const json page = json::parse(receipt_page(plain));
  EXPECT_FALSE(page.contains("choice"));
  EXPECT_TRUE(page.at("winner").is_null());
  EXPECT_EQ(page.at("summary"), "all; no target answered");
}

TEST(RaceReceipt, TheRowSaysWhetherAConversationStayed) {
  race_receipt made = hedged_race();
  EXPECT_FALSE(json::parse(race_row(made)).contains("prompt_cache")) << "the race follows no prompt cache";
  made.plan.candidates[0].prefix = receipt_prefix{.matched_tokens = 92'000, .age = 41, .hit_chance = 0.97};
  made.choice->made.warm = 0;
  made.choice->turns = 12;
  EXPECT_EQ(json::parse(race_row(made)).at("prompt_cache"), json({{"warm_first", true}, {"turns", 12}}));
}

TEST(RaceReceipt, TheRowSaysWhatAConversationLeftAndWhy) {
  race_receipt made = hedged_race();
  made.plan.candidates[1].prefix = receipt_prefix{.matched_tokens = 92'000};
  made.choice->made.warm = 1;
  made.choice->made.moved = racing::move_cause::slower;
  made.choice->made.move_cost = 0.25;
  made.choice->is_money = true;
  const json row = json::parse(race_row(made)).at("prompt_cache");
  EXPECT_EQ(row.at("warm_first"), false);
  EXPECT_EQ(row.at("moved_from"), "cerebras/m");
  EXPECT_EQ(row.at("move_cause"), "slower");
  EXPECT_EQ(row.at("move_cost_usd"), 0.25);
}

TEST(RaceReceipt, AnyBytesInANameAreValidJson) {
  race_receipt odd = hedged_race();
  odd.attempts[0].target = "a/\xff\"\n";
  EXPECT_TRUE(json::accept(receipt_page(odd)));
}

std::shared_ptr<const race_receipt> numbered(int number, std::size_t name_bytes = 10) {
  race_receipt made = hedged_race();
  made.id = "race_" + std::to_string(number);
  made.attempts[0].target = std::string(name_bytes, 'x');
  return std::make_shared<const race_receipt>(std::move(made));
}

TEST(ReceiptStore, ACallerSeesItsOwnAlone) {
  receipt_store store;
  store.put(numbered(1));
  EXPECT_TRUE(store.find("race_1", 7));
  EXPECT_FALSE(store.find("race_1", 8));
  EXPECT_FALSE(store.find("race_2", 7));
}

TEST(ReceiptStore, TheOldestMakeRoomByNumberAndByBytes) {
  receipt_store store;
  for (int number = 0; number < 12'000; ++number) store.put(numbered(number));
  EXPECT_LE(store.size(), receipt_store::most);
  EXPECT_LE(store.bytes(), receipt_store::most_bytes);
  EXPECT_FALSE(store.find("race_0", 7));
  EXPECT_TRUE(store.find("race_11999", 7));
  for (int number = 20'000; number < 20'100; ++number) store.put(numbered(number, 1 << 20));
  EXPECT_LE(store.bytes(), receipt_store::most_bytes);
  EXPECT_LT(store.size(), 20u);
  EXPECT_TRUE(store.find("race_20099", 7));
}

}  // namespace
}  // namespace photofinish::gateway
