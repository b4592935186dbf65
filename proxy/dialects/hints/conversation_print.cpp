#include "proxy/dialects/hints/conversation_print.hpp"

#include "proxy/conversation/attribution.hpp"
#include "proxy/conversation/object_members.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/json/keyed_stream.hpp"
#include "proxy/words/contains.hpp"

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

// The key of the conversation hash is public. This is safe because the cache hint is a second hash of this hash, with a
// secret key (cache_hint.hpp). The conversation hash itself never leaves the process.
constexpr hash_key print_key{0x70686f746f66696eull, 0x6973682068696e74ull};

// The maximum size of a piece of the conversation that the hash covers completely, in bytes. For larger pieces, such as
// an attached file of many megabytes, the hash covers the beginning, the end and the size.
constexpr std::size_t most_of_piece = 256u << 10;

constexpr std::array<std::string_view, 2> mark_keys{"cache_control", "prompt_cache_breakpoint"};
constexpr std::array<std::string_view, 3> states{"previous_response_id", "conversation", "thread"};

bool is_mark(const json_member& member) { return contains(mark_keys, member.raw_key); }

class beginning_printer {
 public:
  // Adds a piece of the conversation to the hash. `kind` distinguishes pieces with the same text, such as a
  // system text and a message.
  void add(char kind, std::string_view piece) {
    stream_.add({&kind, 1});
    if (piece.size() > most_of_piece) add_ends(piece);
    else stream_.add(piece);
    last_ = stream_.end_part();
  }

  void add_tools(std::string_view tools) {
    for (const std::string_view each : json_elements(tools)) add_object('t', each, "function");
  }

  // Adds the content of a message, which is a text or a list of blocks. To set a cache mark, clients turn a text into a
  // block. Therefore, a text and a list with the same text give the same hash.
  void add_content(std::string_view content, std::string_view left_out = {}) {
    if (json_is_string(content)) return add('x', json_raw_string(content));
    for (const std::string_view block : json_elements(content)) {
      if (block.data() == left_out.data()) continue;
      const object_members members(block);
      const std::string_view text = members["text"];
      if (json_is_string(text)) add('x', json_raw_string(text));
      else add_object('b', block, {});
    }
  }

  // Adds the messages up to the first answer after a user message. Some conversations begin with text of the assistant,
  // or with a summary of an earlier conversation. Returns false if there is no user message.
  bool add_messages(std::string_view list) {
    bool has_user = false;
    for (const std::string_view each : json_elements(list)) {
      const object_members message(each);
      const std::string_view type = message.word("type"), role = message.word("role");
      const bool is_message = type.empty() || type == "message";
      const bool is_of_client = is_message && (role == "user" || role == "system" || role == "developer");
      if (has_user && !is_of_client) break;
      has_user |= is_of_client && role == "user";
      add('m', role);
      if (is_message) add_content(message["content"]);
      else add_object('i', each, {});
    }
    return has_user;
  }

  // Returns the hash of all pieces added so far.
  wide_hash print() const { return last_; }

 private:
  void add_ends(std::string_view piece) {
    stream_.add(piece.substr(0, most_of_piece / 2));
    stream_.add(piece.substr(piece.size() - most_of_piece / 2));
    stream_.add(std::to_string(piece.size()));
  }

  // Adds all members of an object except cache marks. If the value of the member `inner` is an object, its members are
  // added one by one.
  void add_object(char kind, std::string_view object, std::string_view inner) {
    if (!json_is_object(object)) return add(kind, object);
    for (const json_member& member : json_members(object)) {
      if (is_mark(member)) continue;
      if (!inner.empty() && member.raw_key == inner) add_object(kind, member.value, {});
      else add(kind, member.whole);
    }
    add(kind, {});
  }

  keyed_stream stream_{print_key};
  wide_hash last_;
};

bool continues_stored(const client_body& body) {
  for (const std::string_view each : states)
    if (!json_is_absent(body.value_of(each))) return true;
  return false;
}

// Adds the input of a Responses request. The input is a list of items, or a text that stands for a single message.
bool add_input(std::string_view input, beginning_printer& into) {
  if (!json_is_string(input)) return into.add_messages(input);
  into.add('m', "user");
  into.add_content(input);
  return true;
}

}  // namespace

std::optional<wide_hash> print_conversation(const client_body& body, wire_format format) {
  if (body.is_form() || continues_stored(body)) return std::nullopt;
  beginning_printer printer;
  bool has_user = false;
  printer.add_tools(body.value_of("tools"));
  if (format == wire_format::openai_chat) {
    has_user = printer.add_messages(body.value_of("messages"));
  } else if (format == wire_format::anthropic_messages) {
    const std::string_view system = body.value_of("system");
    const bool is_left_out = json_is_string(system) && is_attribution(system);
    if (!is_left_out) printer.add_content(system, attribution_block(system));
    has_user = printer.add_messages(body.value_of("messages"));
  } else if (format == wire_format::openai_responses) {
    printer.add_content(body.value_of("instructions"));
    has_user = add_input(body.value_of("input"), printer);
  }
  return has_user ? std::optional(printer.print()) : std::nullopt;
}

}  // namespace photofinish::proxy
