#include "proxy/dialects/apply_message.hpp"

#include "proxy/dialects/openai/openai_dialect.hpp"
#include "proxy/providers/presets.hpp"

#include <nlohmann/json.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {
namespace {

using nlohmann::json;

constexpr std::string_view whole_edit =
    "<instruction>double it</instruction><code>x = 1\n</code><update>x = 2\n</update>";

// Parses a code edit and writes it again. Returns an empty string if the text contains no code edit.
std::string rewritten_edit(std::string_view text) {
  const auto edit = read_apply_edit(text);
  return edit ? write_apply_message(*edit) : std::string();
}

// Puts a single message into a list explicitly, because nlohmann's initializer list would otherwise treat the message as the list.
json chat_with(const json& messages) {
  return {{"model", "m"}, {"messages", messages.is_array() ? messages : json::array({messages})}};
}

json user_says(const json& content) { return {{"role", "user"}, {"content", content}}; }

struct sent_edit {
  json body;
  std::vector<std::string> dropped;
};

sent_edit sent_to_morph(const json& request) {
  const provider& target = presets().at("morph").defaults;
  const secret key("k");
  const auto body = std::make_shared<const client_body>(request.dump());
  prepared_request prepared =
      openai_dialect().prepare({body, wire_format::openai_chat, target, "morph-v3-fast", key, {}});
  std::string text;
  for (const std::string_view piece : prepared.body.pieces()) text += piece;
  return {json::parse(text), prepared.dropped};
}

std::optional<std::string_view> refused_by_morph(const json& request) {
  const client_body body(request.dump());
  return openai_dialect().unsupported_by_model(body, wire_format::openai_chat, "morph-v3-fast", presets().at("morph").defaults);
}

TEST(ApplyMessage, AnEditInOrderStaysAsItIs) { EXPECT_EQ(rewritten_edit(whole_edit), whole_edit); }

TEST(ApplyMessage, PartsAreWrittenInTheModelsOrder) {
  EXPECT_EQ(rewritten_edit("<update>x = 2\n</update>\n<code>x = 1\n</code>\n\n<instruction>double it</instruction>\n"),
            whole_edit);
}

TEST(ApplyMessage, TextAroundIsTheInstructionWhereThereIsNone) {
  EXPECT_EQ(rewritten_edit("Please\n<code>a</code> and <update>b</update> now"),
            "<instruction>Please\nand\nnow</instruction><code>a</code><update>b</update>");
  EXPECT_EQ(rewritten_edit("<code>a</code><update>b</update>"), "<code>a</code><update>b</update>");
}

TEST(ApplyMessage, TextBesideAnInstructionIsLeftOut) {
  const auto edit = read_apply_edit("Hello " + std::string(whole_edit));
  ASSERT_TRUE(edit);
  EXPECT_TRUE(edit->leaves_text_out);
  EXPECT_EQ(write_apply_message(*edit), whole_edit);
}

TEST(ApplyMessage, ClosingTagsInCodeDoNotEndIt) {
  const std::string_view page = "<code><p><code>a</code> or <code>b</code></p></code><update><code>c</code></update>";
  EXPECT_EQ(rewritten_edit(page), page);
  EXPECT_EQ(rewritten_edit("<code>a</code> so that <update>b</update>"),
            "<instruction>so that</instruction><code>a</code><update>b</update>");
}

TEST(ApplyMessage, WithoutCodeUpdateOrAnEndThereIsNoEdit) {
  for (const std::string_view text : {"", "change it", "<code>a</code>", "<update>a</update>",
                                      "<code>a</code><update>b", "<code>a<update>b</update>", "<instruction>a</instruction>"})
    EXPECT_EQ(rewritten_edit(text), "") << text;
}

TEST(ApplyMessage, ItIsTheLastMessageOfAUserAndTextAlone) {
  const std::string text(whole_edit);
  const auto is_edit = [](const json& messages) {
    return read_apply_edit(client_body(chat_with(messages).dump())).has_value();
  };
  EXPECT_TRUE(is_edit({user_says(text)}));
  EXPECT_TRUE(is_edit({user_says({{{"type", "text"}, {"text", "<code>a</code>"}},
                                  {{"type", "text"}, {"text", "<update>b</update>"}}})}));
  EXPECT_FALSE(is_edit({user_says(text), {{"role", "assistant"}, {"content", "done"}}}));
  EXPECT_FALSE(is_edit({user_says({{{"type", "text"}, {"text", text}}, {{"type", "image_url"}}})}));
  EXPECT_FALSE(is_edit(json::array()));
}

TEST(ApplyMessage, MorphGetsItAndNothingAroundIt) {
  json request = chat_with({{{"role", "system"}, {"content", "You edit."}}, user_says("Hi"),
                            {{"role", "assistant"}, {"content", "Hi"}}, user_says(std::string(whole_edit))});
  request["tools"] = {{{"type", "function"}, {"function", {{"name", "f"}}}}};
  request["tool_choice"] = "auto";
  const sent_edit sent = sent_to_morph(request);
  EXPECT_EQ(sent.body, (json{{"model", "morph-v3-fast"},
                             {"stream", true},
                             {"messages", {user_says(std::string(whole_edit))}}}));
  EXPECT_EQ(std::set<std::string>(sent.dropped.begin(), sent.dropped.end()),
            (std::set<std::string>{"messages", "tools"})) << "auto is what an absent tool_choice means";
}

TEST(ApplyMessage, MorphSitsOutWhatIsNotAnEdit) {
  EXPECT_EQ(refused_by_morph(chat_with({user_says("What does this do?")})), "messages");
  EXPECT_EQ(refused_by_morph(chat_with({user_says(std::string(whole_edit))})), std::nullopt);
}

}  // namespace
}  // namespace photofinish::proxy
