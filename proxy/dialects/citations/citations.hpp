// The sources that an answer cites. [pure] All answer readers write a citation in the form of OpenAI's Responses API:
// {"type":"url_citation","start_index":0,"end_index":5,"url":"https://..","title":".."}. Both indexes count characters
// (Unicode code points) from the start of the choice's text.
#pragma once

#include "proxy/json/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// The maximum number of citations that are stored until the text ends, for one block or for one answer of Gemini.
// Answers usually cite a few dozen sources.
inline constexpr std::size_t most_citations = 1024;

struct text_range {
  std::uint64_t begin = 0, end = 0;
};

// Returns the JSON of a citation. `url` and `title` are texts without JSON escapes.
std::string url_citation(std::string_view url, std::string_view title, text_range where);

// Returns the number of characters in `text`, which must be valid UTF-8.
std::uint64_t characters_in(std::string_view text);

// Returns `citation` as an entry of the chat API's list `annotations`. The chat API puts the members of a citation into
// a nested object `url_citation`. Returns nullopt if the chat API cannot express the citation.
std::optional<std::string> chat_annotation(std::string_view citation);
// Converts an entry of the chat API's list `annotations` to a citation. Returns nullopt if the entry does not cite a
// URL.
std::optional<std::string> citation_of_annotation(std::string_view annotation);

// Returns `citation` with both indexes shifted by `by` characters. `by` may be negative.
std::string moved_citation(std::string_view citation, std::int64_t by);

// These functions convert a citation of Claude or Converse. `where` is the range of the answer's text that cites the
// source. A source with a URL becomes a url_citation. An uploaded file that Claude cites becomes a file_citation. Other
// citations cannot be expressed in other APIs, so the functions return nullopt.
std::optional<std::string> citation_of_claude(std::string_view citation, text_range where);
std::optional<std::string> citation_of_converse(std::string_view citation, text_range where);

// Converts byte offsets, which Gemini reports, to character offsets. The text is added piece by piece. Pieces that
// contain only ASCII are not stored.
class text_places {
 public:
  void add(std::string_view text);
  std::uint64_t characters() const { return characters_; }
  std::uint64_t characters_before(std::uint64_t byte) const;
  std::size_t held_bytes() const { return held_; }

 private:
  struct piece {
    // the position at which the piece begins in the whole text, in bytes and in characters
    std::uint64_t byte, character;
    std::string text;
  };

  std::uint64_t bytes_ = 0, characters_ = 0;
  std::vector<piece> pieces_;  // the pieces that contain characters outside ASCII
  std::size_t held_ = 0;
};

// Returns the citations of an answer of Gemini. `grounding` is the answer's `groundingMetadata`, and `recited` is the
// answer's `citationMetadata`. Both may be empty.
std::vector<std::string> citations_of_gemini(std::string_view grounding, std::string_view recited,
                                             const text_places& places);

}  // namespace photofinish::proxy
