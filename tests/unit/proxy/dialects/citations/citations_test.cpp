#include "proxy/dialects/citations/citations.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace photofinish::proxy {
namespace {

TEST(Citations, CountCharactersAndNoBytes) {
  EXPECT_EQ(characters_in(""), 0u);
  EXPECT_EQ(characters_in("abc"), 3u);
  EXPECT_EQ(characters_in("\xC3\xA9\xE6\x97\xA5\xF0\x9F\x8C\x8D"), 3u);
}

TEST(Citations, FindCharactersByBytesInATextOfPieces) {
  const std::vector<std::string> pieces{"ab", "c\xC3\xA9", "de", "\xE6\x97\xA5\xE6\x9C\xAC", "f"};
  text_places places;
  std::string whole;
  for (const std::string& each : pieces) places.add(each), whole += each;
  for (std::size_t at = 0; at <= whole.size(); ++at) {
    const bool begins_character = at == whole.size() || (static_cast<unsigned char>(whole[at]) & 0xC0) != 0x80;
    if (!begins_character) continue;
    EXPECT_EQ(places.characters_before(at), characters_in(whole.substr(0, at))) << at;
  }
  EXPECT_EQ(places.characters_before(whole.size() + 9), characters_in(whole));
  EXPECT_EQ(places.characters(), characters_in(whole));
}

TEST(Citations, AsciiIsNotKept) {
  text_places places;
  for (int count = 0; count < 1000; ++count) places.add("word ");
  EXPECT_EQ(places.held_bytes(), 0u);
  EXPECT_EQ(places.characters_before(1234), 1234u);
}

TEST(Citations, ChatHasTheSameMembersInsideAnother) {
  const std::string flat = url_citation("https://e.org/\"a\"", "A \"title\"", {2, 7});
  const auto nested = chat_annotation(flat);
  ASSERT_TRUE(nested);
  EXPECT_EQ(*nested, R"({"type":"url_citation","url_citation":{"start_index":2,"end_index":7,"url":"https://e.org/\"a\"","title":"A \"title\""}})");
  EXPECT_EQ(citation_of_annotation(*nested), flat);
  EXPECT_FALSE(chat_annotation(R"({"type":"file_citation","file_id":"f","index":1})"));
  EXPECT_FALSE(citation_of_annotation(R"({"type":"file","file":{"hash":"h"}})"));
}

TEST(Citations, MoveWithTheTextThatTheyStandIn) {
  EXPECT_EQ(moved_citation(R"({"start_index":2,"end_index":7,"x":[1, 2]})", 3), R"({"start_index":5,"end_index":10,"x":[1, 2]})");
  EXPECT_EQ(moved_citation(R"({"start_index":2,"end_index":7})", -4), R"({"start_index":0,"end_index":3})");
  EXPECT_EQ(moved_citation(R"({"type":"file_path","index":9})", 3), R"({"type":"file_path","index":9})");
}

TEST(Citations, ClaudesOfTheWebHaveAUrlAndThoseOfAFileItsId) {
  const text_range where{1, 4};
  const std::string url = url_citation("https://e.org", "T", where);
  EXPECT_EQ(citation_of_claude(R"({"type":"web_search_result_location","url":"https://e.org","title":"T","encrypted_index":"x","cited_text":"c"})", where), url);
  EXPECT_EQ(citation_of_claude(R"({"type":"search_result_location","source":"https://e.org","title":"T","search_result_index":0})", where), url);
  EXPECT_FALSE(citation_of_claude(R"({"type":"search_result_location","source":"notes","title":"T"})", where));
  EXPECT_FALSE(citation_of_claude(R"({"type":"char_location","document_index":0,"document_title":"D","file_id":null})", where));
  EXPECT_EQ(citation_of_claude(R"({"type":"page_location","document_title":"D","file_id":"f"})", where),
            R"({"type":"file_citation","file_id":"f","filename":"D","index":4})");
}

TEST(Citations, GeminisNameEachSourceOfEachSupport) {
  text_places places;
  places.add("\xC3\x84 Paris");
  const auto all = citations_of_gemini(
      R"({"groundingChunks":[{"web":{"uri":"https://a.org","title":"A"}},{"retrievedContext":{"uri":"https://b.org"}},{"web":{}}],
          "groundingSupports":[{"segment":{"startIndex":3,"endIndex":8,"text":"Paris"},"groundingChunkIndices":[0,1,2,9]},{"segment":{"endIndex":2},"groundingChunkIndices":[0]}]})",
      R"({"citationSources":[{"startIndex":0,"endIndex":2,"uri":"https://c.org"}]})", places);
  EXPECT_EQ(all, (std::vector{url_citation("https://a.org", "A", {2, 7}), url_citation("https://b.org", "", {2, 7}),
                              url_citation("https://a.org", "A", {0, 1}), url_citation("https://c.org", "", {0, 1})}));
  EXPECT_TRUE(citations_of_gemini("", "", places).empty());
}

}  // namespace
}  // namespace photofinish::proxy
