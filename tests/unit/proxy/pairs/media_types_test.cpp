// Tests media without a type or without a "data:" prefix, at providers of every other API.
#include "tests/unit/proxy/pairs/asked_providers.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace photofinish::proxy::pairs {
namespace {

json image_request(const client& from, const std::string& url) {
  if (from.format == wire_format::openai_chat)
    return {{"messages", {{{"role", "user"}, {"content", {{{"type", "image_url"}, {"image_url", {{"url", url}}}}}}}}}};
  if (from.format == wire_format::openai_responses)
    return {{"input", {{{"role", "user"}, {"content", {{{"type", "input_image"}, {"image_url", url}}}}}}}};
  const json source = {{"type", "url"}, {"url", url}};
  return {{"max_tokens", 50},
          {"messages", {{{"role", "user"}, {"content", {{{"type", "image"}, {"source", source}}}}}}}};
}

bool has_own_words(const asked_provider& each) {
  return each.format != wire_format::openai_chat && each.format != wire_format::openai_responses;
}

TEST(MediaTypes, TheFirstBytesShowATypeThatIsMissing) {
  const std::vector<std::pair<std::string, std::string>> files{{"iVBORw0KGgoAAAANSUhEUg==", "png"},
                                                               {"/9j/4AAQSkZJRgABAQ==", "jpeg"},
                                                               {"R0lGODlhAQABAIAAAA==", "gif"},
                                                               {"UklGRhoAAABXRUJQVlA4", "webp"}};
  for (const auto& [data, type] : files)
    for (const client& from : clients)
      for (const asked_provider& to : others_than(from)) {
        SCOPED_TRACE(std::string(from.name) + " to " + to.name + ": " + type);
        const asked got = ask(from, to, image_request(from, "data:;base64," + data));
        ASSERT_EQ(got.unsupported, "");
        const std::string sent = got.body.dump();
        const std::string word = to.format == wire_format::bedrock_converse ? "\"" + type + "\"" : "image/" + type;
        EXPECT_NE(sent.find(word), std::string::npos) << sent;
        EXPECT_NE(sent.find(data), std::string::npos) << sent;
      }
}

TEST(MediaTypes, AnUnknownFileNeedsItsType) {
  for (const client& from : clients)
    for (const asked_provider& to : others_than(from))
      if (has_own_words(to)) {
        EXPECT_EQ(ask(from, to, image_request(from, "data:;base64,AAAA")).unsupported, "content.image.media_type")
            << from.name << " to " << to.name;
      }
}

TEST(MediaTypes, DataWithoutItsSchemeIsData) {
  for (const client& from : clients)
    for (const asked_provider& to : others_than(from)) {
      SCOPED_TRACE(std::string(from.name) + " to " + to.name);
      const asked got = ask(from, to, image_request(from, "image/png;base64,AAAA"));
      ASSERT_EQ(got.unsupported, "");
      const std::string sent = got.body.dump();
      EXPECT_NE(sent.find("png"), std::string::npos) << sent;
      const bool as_url = sent.find("data:image/png;base64,AAAA") != std::string::npos;
      EXPECT_NE(as_url, has_own_words(to)) << sent;
    }
}

TEST(MediaTypes, ATextThatIsNotAnAddressTakesTheTargetOut) {
  for (const std::string text : {"a picture", "picture.png", "image/png,AAAA", "://x", "1x://y"})
    for (const client& from : clients)
      for (const asked_provider& to : others_than(from))
        if (has_own_words(to)) {
          EXPECT_EQ(ask(from, to, image_request(from, text)).unsupported, "content.image.url")
              << from.name << " to " << to.name << ": " << text;
        }
}

}  // namespace
}  // namespace photofinish::proxy::pairs
