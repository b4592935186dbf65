// A conversation's turns as messages of two roles that alternate, for APIs that refuse all else: no text is blank, and
// the results of calls stand first behind them, in their order. [pure]
// Which words a block becomes is the API's own; empty: it has none, which `form_` then says.
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

// Whether a text, between its quotes, says nothing: such blocks are refused.
bool is_blank(std::string_view raw);

// The same text without white space at its end.
std::string_view without_blank_end(std::string_view raw);

class alternating_turns {
 public:
  virtual ~alternating_turns() = default;

  // "system":[…],"messages":[…]
  void write();

 protected:
  // What an API asks of calls' ids.
  struct id_rule {
    character_set letters;
    std::size_t longest = SIZE_MAX;
  };

  alternating_turns(const conversation& said, translated_text& form, id_rule ids)
      : said_(said), form_(form), id_rule_(ids), results_(said) {}

  // `text` is a JSON string; `of` is what it came in.
  virtual std::string text_block(std::string_view text, const block& of) = 0;
  virtual std::string media(const block& each) = 0;
  // Empty: this family cannot read it, and would refuse the whole request.
  virtual std::string thought(const block& each) = 0;
  virtual std::string call_block(const std::string& id, std::string_view name, std::string_view arguments) = 0;
  // Null: there is none, and `missing_result` stands in its place.
  virtual std::string result_block(const std::string& id, const block* result) = 0;
  // What else a message needs that is about to end.
  virtual std::string last_block() { return {}; }

  // Of a result, without blank ones.
  std::string parts_of(const block& result);

  // Where a block says it is, or a URL that holds it.
  static inline_media media_of(const block& each);

  // Notes what the API has no words for. Returns an empty text.
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
  std::vector<open_call> calls_;  // of the message that is open
  std::set<std::string> ids_;
  std::map<std::string, std::size_t> repeated_;  // an id -> the last number behind it
  paired_results results_;
};

}  // namespace photofinish::proxy
