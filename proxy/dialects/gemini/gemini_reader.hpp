// Reads one answer of Gemini, chunk by chunk, and converts its content to the types of stream_event.hpp. [pure] The
// signature of a call or thought becomes a separate delta directly before that call or thought. The signature of a text
// comes after the complete text, so that it does not split the text. Parts of the answer that the client's API cannot
// express are reported as lost.
#pragma once

#include "proxy/dialects/citations/citations.hpp"
#include "proxy/dialects/event_json.hpp"
#include "proxy/dialects/gemini/partial_arguments.hpp"
#include "proxy/dialects/repairs/lost_parts.hpp"
#include "proxy/failures/result.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/tolerant_json.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

enum class answer_images : std::uint8_t {
  taken,
  lost,  // the client's API cannot express images, so images are reported as lost
};

struct gemini_facts : event_facts {
  bool is_chunk = false;  // true for a chunk of the answer, false for a keep-alive message
};

class gemini_reader {
 public:
  // `answer_id` is used to make ids of calls if Gemini sends none.
  explicit gemini_reader(std::string_view answer_id, answer_images images = answer_images::taken);

  // Reads one chunk, or a list of chunks, which must be valid JSON. Fails if a chunk reports an error, or if the answer
  // can no longer succeed.
  result<void> read(std::string_view json);

  // Stores the service tier from the response head. `trafficType` in the usage has priority.
  void note_tier(std::optional<price_tier> served) { usage_.tier = served; }

  // Must be called after the last chunk of the answer. Adds the remaining content.
  void end();

  // Returns the content that the last call found. Its strings are valid until the next call or until the JSON is freed.
  const gemini_facts& facts() const { return facts_; }
  // Returns the unpaired surrogates at the beginnings and ends of the answer's texts.
  const edge_halves& halves() const { return halves_; }

  // True if all candidates have a finish reason.
  bool is_complete() const;

  // Returns a failure if the answer contains nothing that the client's API can express (see lost_parts). Must be called
  // after end().
  std::optional<failure> failure_if_all_is_lost() const { return lost_.failure_if_alone(); }
  // Returns the size of the data that is stored for citations, in bytes.
  std::size_t held_bytes() const;

 private:
  struct candidate {
    std::int64_t index = 0;
    std::int64_t calls = 0;
    bool has_said = false;    // true if the candidate has text or a call
    bool is_calling = false;  // true if the arguments of the last call are incomplete
    partial_arguments arguments = {};
    std::optional<finish_reason> reason = {};
    std::string word = {};  // the finish reason as Gemini spells it
    std::string why = {};   // Gemini's explanation of the finish reason
    bool is_foreign = false;
    std::vector<std::string> signatures = {};  // the signatures of the current text, which are sent after the text
    std::size_t signature_bytes = 0;
    text_places places = {};     // a converter of byte offsets to character offsets in the candidate's text
    std::string grounding = {};  // the candidate's sources, from Gemini's last report
    std::string recited = {};
  };

  void begin();
  result<void> read_chunk(std::string_view chunk);
  result<void> read_candidate(std::string_view value, std::int64_t position);
  candidate* candidate_at(std::int64_t index);
  bool read_part(std::string_view value, candidate& of);
  void read_signature(std::string_view raw, bool is_of_text, candidate& of);
  void say_signature(std::string_view text, const candidate& of);
  void end_text(candidate& of);
  void read_text(std::string_view text, bool is_thought, candidate& of);
  void read_other(const json_member& member, bool is_thought, candidate& of);
  bool read_image(std::string_view data, std::string_view type, candidate& of);
  void lose(std::string name, const candidate& of);
  void say_citations(const candidate& of);
  bool read_call(std::string_view value, candidate& of);
  bool begin_call(std::string_view name, std::string_view id, candidate& of);
  bool read_partial(std::string_view list, candidate& of);
  void close_call(candidate& of);
  result<void> read_finish(std::string_view raw_word, candidate& of);
  void read_usage(std::string_view value);
  void say(delta said, event_kind kind);
  void say_arguments(std::string_view text, candidate& of);
  std::string words_of(std::string_view raw);
  std::string_view decoded(std::string_view raw);

  std::string call_prefix_;
  answer_images images_;
  lost_parts lost_;
  std::int64_t calls_ = 0;  // the number of calls in all candidates
  std::vector<candidate> candidates_;
  gemini_facts facts_;
  token_usage usage_;  // the largest token counts that were reported so far
  std::list<std::string> texts_;  // the texts of deltas that do not occur literally in the JSON
  edge_halves halves_;
};

}  // namespace photofinish::proxy
