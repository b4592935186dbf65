// Shared by the readers of all APIs: turns, limits, and errors that name their place. [pure]
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

// Limit of content blocks in one request, nested blocks included. The longest honest conversations have about ten
// thousand. Each block takes about 300 bytes while the request is raced.
constexpr std::size_t max_blocks = 50'000;

class conversation_builder {
 public:
  explicit conversation_builder(wire_format from) { made_.from = from; }

  conversation& now() { return made_; }

  // Chooses the turn of the next blocks: the last turn if `who` is its speaker and may continue it, otherwise a new
  // one.
  void begin_turn(speaker who);
  void go_on_as(speaker who);

  // Adds a block to the current turn. False if there are too many blocks.
  bool add(const block& each);
  // Adds a part of the next result. False if there are too many blocks.
  bool add_part(const block& each);
  std::uint32_t parts_so_far() const { return static_cast<std::uint32_t>(made_.parts.size()); }

  void hint(std::string_view name);           // `name` is a literal, or kept
  void need_native(std::string_view name);    // listed once each, at most a few
  // Notes a tool that the provider of the client's API runs itself. The tool is needed (`need_native`), except a search
  // of the web or of the client's tools if the client also offers tools of its own. Then it is a hint (decision 71).
  void offer_hosted_tool(std::string_view type);
  std::string_view keep(std::string text) { return made_.made.emplace_back(std::move(text)); }

  // Sets the reader's place: "input[3]", then the path inside it. Only errors use it.
  void enter(std::string_view list, std::size_t index);
  void enter_part(std::string_view list, std::size_t index);

  // Notes the error in `member` of the reader's place. Always returns false.
  bool fail(std::string_view member, std::string_view expected);
  // Notes an error if a required string is absent.
  bool check_text(std::string_view value, std::string_view member);
  // These read top-level members of a request. If a value has the wrong type, no translation can know the client's
  // intention. The API's own providers get the value unchanged and refuse it in their own words.
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
