// Writes a conversation's turns as messages of two alternating roles, for APIs that refuse any other order. [pure]
// Blank texts are omitted. The results of calls begin the next message, in the order of the calls. Each subclass writes
// the JSON of blocks for its API. If an API cannot express a block, the block's JSON is empty and its name is stored in
// `form_`.
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/paired_results.hpp"
#include "proxy/conversation/translated_text.hpp"
#include "proxy/json/character_set.hpp"
#include "proxy/json/values/data_url.hpp"

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// True if a text consists only of white space. APIs refuse blank blocks of text. `raw` is the text of a JSON string
// between its quotes.
bool is_blank(std::string_view raw);

// Returns the text without white space at its end.
std::string_view without_blank_end(std::string_view raw);

class alternating_turns {
 public:
  virtual ~alternating_turns() = default;

  // Writes the members "system":[…],"messages":[…].
  void write();

 protected:
  // An API's rule for the ids of calls.
  struct id_rule {
    character_set letters;
    std::size_t longest = SIZE_MAX;
  };

  alternating_turns(const conversation& said, translated_text& form, id_rule ids)
      : said_(said), form_(form), id_rule_(ids), results_(said) {}

  // Returns the JSON of a text block. `text` is a JSON string that was taken from `of`, a block of the client's
  // request.
  virtual std::string text_block(std::string_view text, const block& of) = 0;
  virtual std::string media(const block& each) = 0;
  // Returns the JSON of a reasoning block. Returns an empty string if this API cannot read the reasoning, because the
  // API would then refuse the whole request.
  virtual std::string thought(const block& each) = 0;
  virtual std::string call_block(const std::string& id, std::string_view name, std::string_view arguments) = 0;
  // Returns the JSON of a tool result. If `result` is null, the text of the result is `missing_result`.
  virtual std::string result_block(const std::string& id, const block* result) = 0;
  // Returns a block that the API requires at the end of the current message, or an empty string if none is required.
  virtual std::string last_block() { return {}; }

  // Returns the JSON of the parts of a tool result, without blank parts.
  std::string parts_of(const block& result);

  // Returns the media data of a block, or the data in the block's data: URL.
  static inline_media media_of(const block& each);

  // Records that the API cannot express the feature `what`. Returns an empty string.
  std::string unsaid(std::string_view what) { return form_.unsupported = what, std::string(); }

  const conversation& said_;
  translated_text& form_;

 private:
  enum class role { none, user, assistant };

  struct open_call {
    const block* call;
    std::string id;
  };

  std::size_t write_instructions();
  void begin(role who, std::string_view block);
  void end();
  void put(role who, const std::string& block);
  void write_said(const block& each, bool is_instruction);
  void write_assistant(const turn& turn, bool is_last);
  void write_own_text(const block& each, bool is_last);
  void write_thought(const block& each);
  void write_call(const block& each);
  std::string id_for(const block& call);
  std::string shortened(std::string id, std::size_t longest) const;
  void write_results_of_calls();
  void write_left_result(const block& each);

  id_rule id_rule_;
  role now_ = role::none;
  std::vector<open_call> calls_;  // the tool calls of the current message
  std::set<std::string> ids_;
  // the last number that was appended to each repeated id to make it unique; the key is the repeated id
  std::map<std::string, std::size_t> repeated_;
  paired_results results_;
};

}  // namespace photofinish::proxy
