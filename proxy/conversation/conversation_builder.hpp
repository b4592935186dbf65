// Builds a conversation for the readers of all APIs: adds turns, checks limits, and reports errors
// with their place. [pure]
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

// Limit of content blocks in one request, including nested blocks. The longest honest conversations have about ten
// thousand. Each block takes about 300 bytes while the request is raced.
constexpr std::size_t max_blocks = 50'000;

class conversation_builder {
 public:
  explicit conversation_builder(wire_format from) { made_.from = from; }

  conversation& now() { return made_; }

  // These functions choose the turn of the next blocks. begin_turn() begins a new turn. go_on_as() continues the last
  // turn if `who` is its speaker.
  void begin_turn(speaker who);
  void go_on_as(speaker who);

  // Adds a block to the current turn. Returns false if there are too many blocks.
  bool add(const block& each);
  // Adds a part of the next result. Returns false if there are too many blocks.
  bool add_part(const block& each);
  std::uint32_t parts_so_far() const { return static_cast<std::uint32_t>(made_.parts.size()); }

  void hint(std::string_view name);           // `name` must be a string literal, or a text that this object keeps
  void need_native(std::string_view name);    // adds a feature to a short list that has each feature once
  // Notes a tool that the provider of the client's API runs itself. The tool is needed (`need_native`), unless
  // it searches the web or the client's tools and the client also offers tools of its own. Such a search is only
  // a hint (decision 71).
  void offer_hosted_tool(std::string_view type);
  std::string_view keep(std::string text) { return made_.made.emplace_back(std::move(text)); }

  // Sets the reader's place in the body: "input[3]", then the path inside that element. Only error
  // messages use the place.
  void enter(std::string_view list, std::size_t index);
  void enter_part(std::string_view list, std::size_t index);

  // Notes an error in the member `member` at the reader's place. Always returns false.
  bool fail(std::string_view member, std::string_view expected);
  // Notes an error if a required string is absent.
  bool check_text(std::string_view value, std::string_view member);
  // These functions read top-level members of a request. If a value has the wrong type, no translation can know the
  // client's intention. The API's own providers get the value unchanged and refuse it in their own words.
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
  std::vector<std::string_view> searches_;  // names of offered hosted searches, such as "tools.web_search"
  std::optional<request_fault> fault_;
  std::string_view list_, part_list_;
  std::size_t index_ = 0, part_index_ = 0;
};

}  // namespace photofinish::proxy
