// Tests the prefixes of a prompt. Equal prompts have equal prefixes, whatever their spelling and cache marks. After any change of the text,
// the prefixes differ.
#include "gateway/simulator/prompts/prompt_prefixes.hpp"
#include "gateway/simulator/sim_request.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::gateway::simulator {
namespace {

constexpr proxy::hash_key key{1, 2};

std::vector<prompt_boundary> read(sim_api api, const std::string& body, std::uint64_t root = 7) {
  simdjson::dom::parser parser;
  return read_prefixes(layout_of(api), parser.parse(body).value(), root, key);
}

// Returns how many boundaries at the beginning of two prompts have equal hashes.
std::size_t shared(const std::vector<prompt_boundary>& one, const std::vector<prompt_boundary>& other) {
  std::size_t count = 0;
  while (count < one.size() && count < other.size() && one[count].hash == other[count].hash) ++count;
  return count;
}

std::vector<prompt_boundary> messages(const std::string& list, const std::string& more = "") {
  return read(sim_api::messages, R"({"model":"m",)" + more + R"("messages":[)" + list + "]}");
}

const std::string asked = R"({"role":"user","content":"list the files"})";
const std::string answered = R"({"role":"assistant","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]})";
const std::string further = R"({"role":"user","content":"now delete them"})";

TEST(PromptPrefixes, ALongerConversationBeginsWithTheShorterOne) {
  const auto first = messages(asked), second = messages(asked + "," + answered + "," + further);
  ASSERT_EQ(first.size(), 1u);
  ASSERT_EQ(second.size(), 4u);  // one prompt boundary for each block
  EXPECT_EQ(shared(first, second), 1u);
  EXPECT_TRUE(second[0].ends_message);
  EXPECT_FALSE(second[1].ends_message);
  EXPECT_TRUE(second[2].ends_message);
  EXPECT_LT(second[0].tokens, second[1].tokens);
}

TEST(PromptPrefixes, EveryChangeBreaksWhatComesAfterIt) {
  const std::string all = asked + "," + answered + "," + further;
  const std::string tools = R"("tools":[{"name":"ls"},{"name":"rm"}],"system":[{"type":"text","text":"Be brief."}],)";
  const auto usual = messages(all, tools);
  ASSERT_EQ(usual.size(), 7u);
  const auto changed = [&](const std::string& from, const std::string& to) {
    std::string list = all, more = tools;
    for (std::string* each : {&list, &more})
      if (const auto at = each->find(from); at != std::string::npos) each->replace(at, from.size(), to);
    return shared(usual, messages(list, more));
  };
  EXPECT_EQ(changed("rm", "mv"), 1u);
  EXPECT_EQ(changed("brief", "short"), 2u);
  EXPECT_EQ(changed("files", "pages"), 3u);
  EXPECT_EQ(changed("two", "too"), 5u);
  EXPECT_EQ(changed("them", "all"), 6u);
  EXPECT_EQ(shared(usual, messages(all, tools + R"("thinking":{"type":"enabled","budget_tokens":2000},)")), 3u);
  EXPECT_EQ(shared(usual, messages(all, tools + R"("max_tokens":9,"stream":true,)")), 7u);
}

TEST(PromptPrefixes, AnotherRootSharesNothing) {
  const std::string body = R"({"messages":[)" + asked + "]}";
  EXPECT_EQ(shared(read(sim_api::chat, body, 1), read(sim_api::chat, body, 2)), 0u);
}

TEST(PromptPrefixes, MarksAndSpacesAreNoPartOfThePrompt) {
  const auto plain = messages(asked + "," + further);
  const auto marked = messages(
      R"( {"role": "user", "content": [{"type": "text", "text": "list the files", "cache_control": {"type": "ephemeral"}}]},)" + further);
  const auto reordered = messages(R"({"role":"user","content":[{"text":"list the files","type":"text"}]},)" + further);
  EXPECT_EQ(shared(plain, marked), 2u);
  EXPECT_EQ(shared(plain, reordered), 2u);
  EXPECT_EQ(plain[0].tokens, marked[0].tokens);
  EXPECT_EQ(plain[0].mark, prompt_mark::none);
  EXPECT_EQ(marked[0].mark, prompt_mark::usual);
}

TEST(PromptPrefixes, MarksSayHowLongTheirPrefixLives) {
  const auto marked = [](const std::string& mark) {
    return messages(R"({"role":"user","content":[{"type":"text","text":"a","cache_control":)" + mark + "}]}").at(0).mark;
  };
  EXPECT_EQ(marked(R"({"type":"ephemeral","ttl":"1h"})"), prompt_mark::one_hour);
  EXPECT_EQ(marked(R"({"type":"ephemeral","ttl":"5m"})"), prompt_mark::five_minutes);
  EXPECT_EQ(marked(R"({"type":"ephemeral"})"), prompt_mark::usual);
  EXPECT_EQ(marked("null"), prompt_mark::none);
}

TEST(PromptPrefixes, OneMarkAtTheTopIsThatOfTheLastBlock) {
  const auto marked = messages(asked + "," + further, R"("cache_control":{"type":"ephemeral"},)");
  EXPECT_EQ(marked[0].mark, prompt_mark::none);
  EXPECT_EQ(marked[1].mark, prompt_mark::usual);
}

TEST(PromptPrefixes, ConversesMarksAreBlocksOfTheirOwn) {
  const std::string before = R"({"system":[{"text":"Be brief."})", after = R"(],"messages":[{"role":"user","content":[{"text":"hi"}]}]})";
  const auto plain = read(sim_api::converse, before + after);
  const auto marked = read(sim_api::converse, before + R"(,{"cachePoint":{"type":"default","ttl":"1h"}})" + after);
  ASSERT_EQ(marked.size(), 2u);
  EXPECT_EQ(shared(plain, marked), 2u);
  EXPECT_EQ(marked[0].mark, prompt_mark::one_hour);
}

TEST(PromptPrefixes, EveryApiHasToolsThenInstructionsThenMessages) {
  const std::vector<std::pair<sim_api, std::string>> bodies{
      {sim_api::chat, R"({"tools":[{"a":1}],"messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]})"},
      {sim_api::responses, R"({"tools":[{"a":1}],"instructions":"s","input":"u"})"},
      {sim_api::responses, R"({"tools":[{"a":1}],"instructions":"s","input":[{"role":"user","content":"u"}]})"},
      {sim_api::messages, R"({"tools":[{"a":1}],"system":"s","messages":[{"role":"user","content":"u"}]})"},
      {sim_api::gemini, R"({"tools":[{"a":1}],"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"parts":[{"text":"u"}]}]})"},
      {sim_api::converse, R"({"toolConfig":{"tools":[{"a":1}]},"system":[{"text":"s"}],"messages":[{"content":[{"text":"u"}]}]})"}};
  for (const auto& [api, body] : bodies) {
    const auto all = read(api, body);
    ASSERT_EQ(all.size(), 3u) << body;
    for (const prompt_boundary& each : all) EXPECT_TRUE(each.ends_message) << body;
    std::string another = body;
    another.replace(another.find("\"u\""), 3, "\"v\"");
    EXPECT_EQ(shared(all, read(api, another)), 2u) << body;
  }
}

// Claude Code adds a block with billing data to the system prompt. The block is different in each request, so it must not count as a part
// of the prompt.
TEST(PromptPrefixes, TheAttributionOfMessagesIsNoPartOfThePrompt) {
  const auto body = [](const std::string& attribution) {
    return R"({"system":[{"type":"text","text":")" + attribution + R"("},{"type":"text","text":"Be brief."}],)" +
           R"("messages":[{"role":"user","content":"hi"}]})";
  };
  const auto first = read(sim_api::messages, body("x-anthropic-billing-header: cch=1;"));
  ASSERT_EQ(first.size(), 2u);
  EXPECT_EQ(shared(first, read(sim_api::messages, body("x-anthropic-billing-header: cch=2;"))), 2u);
  EXPECT_EQ(shared(first, read(sim_api::messages, body("another text"))), 0u);
}

TEST(PromptPrefixes, ItemsWithoutContentCountToo) {
  const std::string call = R"({"type":"function_call","name":"ls","arguments":"{}","call_id":"1"})";
  const auto all = read(sim_api::responses, R"({"input":[)" + call + R"(,{"type":"function_call_output","call_id":"1","output":"a"}]})");
  EXPECT_EQ(all.size(), 2u);
  EXPECT_EQ(messages(R"({"role":"user","content":[]})").size(), 1u);
}

TEST(PromptPrefixes, TokensAreAQuarterOfTheBytes) {
  const std::string text(4000, 'x');
  const std::string body = R"({"messages":[{"role":"user","content":")" + text + R"("}]})";
  const auto all = read(sim_api::chat, body);
  EXPECT_GE(all[0].tokens, 1000u);
  EXPECT_LE(all[0].tokens, body.size() / 4);
}

TEST(PromptPrefixes, AHugeNumberOfBlocksKeepsTheNewest) {
  std::string list = asked;
  for (int count = 0; count < 20'000; ++count) list += ",1";
  const auto all = messages(list), longer = messages(list + ",2");
  EXPECT_LE(all.size(), most_boundaries);
  EXPECT_GE(all.size(), most_boundaries / 2);
  EXPECT_EQ(all.back().hash, longer[longer.size() - 2].hash);
}

}  // namespace
}  // namespace photofinish::gateway::simulator
