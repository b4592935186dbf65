// The sources that an answer cites. [pure] All readers write a citation as JSON in the form of OpenAI's Responses:
// {"type":"url_citation","start_index":0,"end_index":5,"url":"https://..","title":".."}. Positions are in the whole
// text of the choice, in characters (Unicode code points).
#pragma once

#include "proxy/json/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Limit of citations that are held for one block, or for one answer of Gemini, until its text ends. Answers cite
// some dozens of sources.
inline constexpr std::size_t most_citations = 1024;

struct text_range {
  std::uint64_t begin = 0, end = 0;
};

// Returns the JSON of a citation. `url` and `title` are decoded texts.
std::string url_citation(std::string_view url, std::string_view title, text_range where);

// Returns the number of characters in `text`, which must be valid UTF-8.
std::uint64_t characters_in(std::string_view text);

// Returns `citation` in the form of the chat API, with its members in a member `url_citation`. Returns nullopt if chat
// has no such citation.
std::optional<std::string> chat_annotation(std::string_view citation);
// Converts an entry of chat's `annotations` to a citation. Returns nullopt if it cites no URL.
std::optional<std::string> citation_of_annotation(std::string_view annotation);

// Returns the same citation for a text that begins `by` characters later. `by` may be negative.
std::string moved_citation(std::string_view citation, std::int64_t by);

// These functions convert citations of Claude and of Converse that have a URL. `where` is the text that cites. An
// uploaded file that Claude cites becomes a file_citation. They return nullopt if other APIs have no such citation.
std::optional<std::string> citation_of_claude(std::string_view citation, text_range where);
std::optional<std::string> citation_of_converse(std::string_view citation, text_range where);

// Converts positions in bytes, as Gemini reports them, to positions in characters. The text comes in pieces, and pieces
// of ASCII are not kept.
class text_places {
 public:
  void add(std::string_view text);
  std::uint64_t characters() const { return characters_; }
  std::uint64_t characters_before(std::uint64_t byte) const;
  std::size_t held_bytes() const { return held_; }

 private:
  struct piece {
    std::uint64_t byte, character;  // position of the piece in the whole text, in bytes and in characters
    std::string text;
  };

  std::uint64_t bytes_ = 0, characters_ = 0;
  std::vector<piece> pieces_;  // pieces with characters beyond ASCII
  std::size_t held_ = 0;
};

// Returns the citations of a Gemini answer: its `groundingMetadata` and its `citationMetadata`. Either may be empty.
std::vector<std::string> citations_of_gemini(std::string_view grounding, std::string_view recited,
                                             const text_places& places);

}  // namespace photofinish::proxy
