// Tests chat answers in which a provider has chosen arbitrary numbers for the choices. Each choice is looked up once per delta, and the
// memory of each choice is counted.
#include "gateway/api/chat/chat_writers.hpp"
#include "tests/support/allocations.hpp"
#include "tests/unit/gateway/api/answer_driver.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::gateway::testing {
namespace {

constexpr std::size_t many = 100'000;

std::int64_t number(std::size_t choice) { return static_cast<std::int64_t>(choice); }

std::size_t count(std::string_view word, const std::vector<std::string>& in) {
  std::size_t found = 0;
  for (const std::string& each : in) found += each.find(word) != std::string::npos ? 1 : 0;
  return found;
}

std::vector<std::string> chunks_of(chat_chunks& from, const std::vector<delta>& deltas) {
  return from.of({.deltas = deltas});
}

TEST(ChatChunks, EachOfAnyNumberOfChoicesHasItsRoleOnce) {
  chat_chunks chunks({.id = "a"});
  for (int round = 0; round < 2; ++round) {
    std::vector<delta> deltas;
    for (std::size_t choice = 0; choice < many; ++choice)  // the numbers of the choices are as far apart as possible
      deltas.push_back({.kind = delta_kind::text, .choice = number(choice) * 92'233'720'368'547, .text = "x"});
    EXPECT_EQ(count(R"("role":"assistant")", chunks_of(chunks, deltas)), round == 0 ? many : 0u);
  }
}

TEST(ChatChunks, ChoicesThatAreKnownAreHeld) {
  chat_chunks chunks({.id = "a"});
  (void)chunks_of(chunks, {{.kind = delta_kind::text, .choice = 7, .text = "x"}});
  const std::size_t of_one = chunks.held_bytes();
  EXPECT_GE(of_one, sizeof(std::int64_t));
  std::vector<delta> deltas(many, {.kind = delta_kind::text, .text = "x"});
  for (std::size_t at = 0; at < many; ++at) deltas[at].choice = number(at);
  (void)chunks_of(chunks, deltas);
  EXPECT_EQ(chunks.held_bytes(), of_one * many);
}

// The writer keeps some data until the end of the stream. It then sends the data one choice at a time, and releases the memory of each
// choice.
TEST(ChatChunks, TheRestOfAnyNumberOfChoicesIsSaidOnce) {
  chat_chunks chunks({.id = "a"});
  std::vector<delta> deltas;
  for (std::size_t choice = 0; choice < many; ++choice)
    deltas.push_back({.kind = delta_kind::opaque, .choice = number(choice), .text = "B", .id = "gemini"});
  (void)chunks_of(chunks, deltas);
  const std::size_t before = chunks.held_bytes();
  EXPECT_EQ(count("reasoning_details", chunks.rest()), many);
  EXPECT_LT(chunks.held_bytes(), before);
  EXPECT_TRUE(chunks.rest().empty());
}

TEST(ChatStreamWriter, AsksForNoMemoryAtTheEndOfAStreamThatPassed) {
  chat_stream_writer writer({.id = "a"}, {}, true);
  std::string batch;
  outgoing out(batch);
  out.begin_batch();
  const std::size_t before = tests::allocations();
  const bool is_good = writer.add({.kind = proxy::event_kind::end}, out).has_value();
  EXPECT_EQ(tests::allocations(), before) << "the writer makes chunks that say nothing";
  EXPECT_TRUE(is_good);
}

TEST(ChatStreamWriter, WritesTheUsageOfAStreamThatSaysNothingElse) {
  chat_stream_writer writer({.id = "a"}, {}, true);
  answer_driver driven(writer);
  const proxy::token_usage usage{.input_tokens = 3, .output_tokens = 4};
  driven.add({.kind = proxy::event_kind::progress}).say({}, &usage).add({.kind = proxy::event_kind::end});
  EXPECT_EQ(driven.bytes(), "");
  driven.end();
  EXPECT_NE(driven.bytes().find(R"("total_tokens":7)"), std::string::npos);
}

}  // namespace
}  // namespace photofinish::gateway::testing
