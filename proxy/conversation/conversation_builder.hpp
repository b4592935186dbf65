// Builds a conversation for the readers of all APIs: adds turns, checks limits, and reports errors with their
// path in the body. [pure]
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

// The maximum number of content blocks in one request, including nested blocks. The longest real conversations have
// about ten thousand blocks. Each block takes about 300 bytes until the request is answered.
constexpr std::size_t max_blocks = 50'000;

class conversation_builder {
 public:
  explicit conversation_builder(wire_format from) { made_.from = from; }

  conversation& now() { return made_; }

  // begin_turn() begins a new turn, to which blocks are then added. go_on_as() continues the last turn if that turn has
  // the role `who`, and otherwise begins a new turn.
  void begin_turn(speaker who);
  void go_on_as(speaker who);

  // Adds a block to the current turn. Returns false if there are too many blocks.
  bool add(const block& each);
  // Adds a part of a tool result. All parts of a result must be added before the result itself. Returns false if there
  // are too many blocks.
  bool add_part(const block& each);
  std::uint32_t parts_so_far() const { return static_cast<std::uint32_t>(made_.parts.size()); }

  void hint(std::string_view name);           // `name` must be a string literal, or a text that keep() stored
  // Records a feature that only the client's own API has, unless it is already recorded.
  void need_native(std::string_view name);
  // Records a tool that the provider of the client's API runs itself. Usually, the request then requires a provider of
  // that API (`need_native`). However, a search tool may be dropped if the client also offers tools of its own
  // (decision 71).
  void offer_hosted_tool(std::string_view type);
  std::string_view keep(std::string text) { return made_.made.emplace_back(std::move(text)); }

  // Sets the reader's current path in the body: "input[3]", then the path inside that element. Only
  // error messages use the path.
  void enter(std::string_view list, std::size_t index);
  void enter_part(std::string_view list, std::size_t index);

  // Records an error in the request member `member` at the reader's current path. Always returns false.
  bool fail(std::string_view member, std::string_view expected);
  // Records an error if a required string is absent.
  bool check_text(std::string_view value, std::string_view member);
  // These functions read top-level members of a request. If a value has the wrong type, the gateway cannot know the
  // client's intention. Providers of the client's own API then get the value unchanged and report the error in their
  // own words.
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
  // Names of search tools that providers run themselves, such as "tools.web_search".
  std::vector<std::string_view> searches_;
  std::optional<request_fault> fault_;
  std::string_view list_, part_list_;
  std::size_t index_ = 0, part_index_ = 0;
};

}  // namespace photofinish::proxy
