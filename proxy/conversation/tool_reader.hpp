// Parts of requests that several readers find in the same form. [pure]
#pragma once

#include "proxy/conversation/conversation.hpp"
#include "proxy/conversation/conversation_builder.hpp"
#include "proxy/conversation/object_members.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace photofinish::proxy {

// Only the tools that `allowed`, a list of objects with a name, leaves.
void keep_allowed_tools(std::vector<tool>& tools, std::string_view allowed);

// The word by which a signature's API is called on its way through a client, and back.
wire_format format_called(std::string_view word);

// `text`, a string, is the signature of `into`: of the client's own API, or carried for another.
void read_signature(std::string_view text, wire_format own, conversation_builder& builder, block& into);

// Past steps of the tools that Anthropic runs itself. No other API takes such a step back. The model's text has what a
// search found, so that the step can be left out (decision 71). The output of code is data: others get it as a text.
// `type` is a block's. False for steps of other kinds (mcp_tool_use): no other API can say them.
bool is_hosted_step(std::string_view type);

// Adds the step `raw` to the current turn, and names what other APIs do not get. False: there are too many blocks.
bool add_hosted_step(const object_members& step, std::string_view raw, conversation_builder& builder);

// The members of a client's objects that no reader knows. Each becomes a hint, at most eight of one request: a client
// may send any number of names.
class unknown_members {
 public:
  // `place` is a literal in front of the name: "tools[].".
  void name(const object_members& object, std::span<const std::string_view> known, std::string_view place,
            conversation_builder& builder);

  // Members of content parts and of tools.
  void name_of_chat_part(const object_members& part, conversation_builder& builder);
  void name_of_chat_tool(const object_members& offered, const object_members& function, conversation_builder& builder);
  void name_of_response_part(const object_members& part, conversation_builder& builder);
  void name_of_response_tool(const object_members& offered, conversation_builder& builder);
  void name_of_message_block(const object_members& content, conversation_builder& builder);
  void name_of_message_tool(const object_members& offered, conversation_builder& builder);

 private:
  struct named_member {
    std::string_view place;
    std::string_view raw_key;
    bool operator==(const named_member&) const = default;
  };
  std::vector<named_member> named_;
};

}  // namespace photofinish::proxy
