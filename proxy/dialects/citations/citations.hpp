// The sources that an answer cites. All readers write them in the form of OpenAI's Responses, as JSON. [pure]
//   {"type":"url_citation","start_index":0,"end_index":5,"url":"https://..","title":".."}
// The places are those of the whole text of its choice, in characters (Unicode code points).
#pragma once

#include "proxy/json/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Kept of one block, or of one answer of Gemini's, until its text ends. Answers cite some tens.
inline constexpr std::size_t most_citations = 1024;

struct text_range {
  std::uint64_t begin = 0, end = 0;
};

// `url` and `title` are decoded.
std::string url_citation(std::string_view url, std::string_view title, text_range where);

// `text` is valid UTF-8.
std::uint64_t characters_in(std::string_view text);

// `citation` as chat has it: its members are in a member `url_citation`. None: chat has no such citations.
std::optional<std::string> chat_annotation(std::string_view citation);
// From an entry of chat's `annotations`. None: it cites no URL.
std::optional<std::string> citation_of_annotation(std::string_view annotation);

// The same citation, in a text that begins so many characters later, or earlier.
std::string moved_citation(std::string_view citation, std::int64_t by);

// Citations of Claude and of Converse that have a URL; `where` is the text that cites. An uploaded file that Claude
// cites is a file_citation. None: other APIs have no such citation.
std::optional<std::string> citation_of_claude(std::string_view citation, text_range where);
std::optional<std::string> citation_of_converse(std::string_view citation, text_range where);

// Places in a text that comes in pieces, which Gemini counts in bytes. Pieces of ASCII are not kept.
class text_places {
 public:
  void add(std::string_view text);
  std::uint64_t characters() const { return characters_; }
  std::uint64_t characters_before(std::uint64_t byte) const;
  std::size_t held_bytes() const { return held_; }

 private:
  struct piece {
    std::uint64_t byte, character;  // where it begins
    std::string text;
  };

  std::uint64_t bytes_ = 0, characters_ = 0;
  std::vector<piece> pieces_;  // those with letters beyond ASCII
  std::size_t held_ = 0;
};

// Citations of a Gemini answer: its `groundingMetadata`, and its `citationMetadata`; either may be empty.
std::vector<std::string> citations_of_gemini(std::string_view grounding, std::string_view recited,
                                             const text_places& places);

}  // namespace photofinish::proxy
