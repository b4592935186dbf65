// What the readers of all APIs share: turns that grow, limits, and faults that name their place. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace photofinish::proxy {

// Content blocks of one request, nested ones too. The longest honest conversations have some ten thousand; each takes
// some 300 bytes while the request is raced.
constexpr std::size_t max_blocks = 50'000;

class conversation_builder {
 public:
  explicit conversation_builder(wire_format from) { made_.from = from; }

  conversation& now() { return made_; }

  // The turn that the next blocks belong to: the last one where `who` is speaking already and may go on.
  void begin_turn(speaker who);
  void go_on_as(speaker who);

  // Of the current turn. False: there are too many.
  bool add(const block& each);
  // Of the next result that is added.
  bool add_part(const block& each);
  std::uint32_t parts_so_far() const { return static_cast<std::uint32_t>(made_.parts.size()); }

  void hint(std::string_view name);           // `name` is a literal, or kept
  void need_native(std::string_view name);    // each once, at most a few
  // A tool of the client's list that the provider of the client's API runs itself. It is needed (`need_native`), unless
  // it searches the web or the tools of the client, and the client offers such tools: then it is a hint (decision 71).
  void offer_hosted_tool(std::string_view type);
  std::string_view keep(std::string text) { return made_.made.emplace_back(std::move(text)); }

  // Where the reader is: "input[3]", then what is inside. Used for faults alone.
  void enter(std::string_view list, std::size_t index);
  void enter_part(std::string_view list, std::size_t index);

  // Notes what is wrong with `member` of where the reader is. Always false.
  bool fail(std::string_view member, std::string_view expected);
  // A string that may not be absent: noted where it is.
  bool check_text(std::string_view value, std::string_view member);
  // Top-level members of a request: if the value has another type than the API's, no translation can say what the
  // client means. The API's own providers get it as it is, and refuse it in their own words.
  void take_number(std::string_view value, std::string_view name, std::string_view& into);
  void take_text(std::string_view value, std::string_view name, std::string_view& into);
  void take_stops(std::string_view value, std::string_view name);
  void take_flag(std::string_view value, std::string_view name, std::optional<bool>& into);

  std::variant<conversation, request_fault> finish();

 private:
  bool is_full();
  void settle_searches();
  void join_media(block& each);
  std::string_view joined_base64(std::string_view quoted);

  conversation made_;
  std::vector<std::string_view> searches_;  // "tools.web_search", kept
  std::optional<request_fault> fault_;
  std::string_view list_, part_list_;
  std::size_t index_ = 0, part_index_ = 0;
};

}  // namespace photofinish::proxy
