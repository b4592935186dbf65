// Walks through arbitrary text as JSON, and edits the text by replacing ranges of bytes. The walk never reads outside of the text, even if
// the text is invalid. If the text is valid, the edited text is valid JSON with exactly the requested changes.
#include "proxy/json/json_edits.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <simdjson.h>

#include <optional>

namespace photofinish::fuzz {
namespace {

using members = std::vector<std::pair<std::string, std::string>>;  // one pair for each member: the raw key, and the text of the value

void walk(std::string_view text, int depth) {
  if (depth > 8) return;
  proxy::json_walk object(text);
  while (const auto member = object.next_member()) {
    proxy::json_unescape(member->raw_key);
    walk(member->value, depth + 1);
  }
  proxy::json_walk array(text);
  while (const auto element = array.next_element()) walk(*element, depth + 1);
  proxy::json_find(text, "key");
  if (proxy::json_is_string(text)) proxy::json_unescape(proxy::json_raw_string(text));
}

members members_of(std::string_view object) {
  members found;
  proxy::json_walk walk(object);
  while (const auto member = walk.next_member()) found.emplace_back(member->raw_key, member->value);
  return found;
}

// Edits the text. The bytes of the text determine which members the edit keeps, removes, replaces or adds at the front.
void edit(std::string_view text) {
  simdjson::dom::parser parser;
  simdjson::dom::object document;
  if (parser.parse(simdjson::padded_string(text)).get(document) != simdjson::SUCCESS) return;

  std::mt19937_64 random = chance(text);
  proxy::json_edits edits(text);
  members wanted, kept;
  proxy::json_walk walk(text);
  while (const auto member = walk.next_member()) {
    const auto decision = random() % 3;
    if (decision == 0) edits.remove_member(*member);
    if (decision == 1) edits.replace(member->value, R"({"new":[]})");
    if (decision != 0) kept.emplace_back(member->raw_key, decision == 1 ? R"({"new":[]})" : member->value);
  }
  for (auto put = random() % 3; put > 0; --put) {
    edits.insert_member(text, R"("put":1)");
    wanted.emplace_back("put", "1");
  }
  wanted.insert(wanted.end(), kept.begin(), kept.end());

  std::string edited;
  for (const std::string_view piece : edits.pieces()) edited += piece;
  require(parser.parse(edited).get(document) == simdjson::SUCCESS, "edited JSON is valid");
  require(members_of(edited) == wanted, "the edited object holds the members it should, in order");
  require(document.size() == wanted.size(), "a parser sees as many members");
}

void check_strings(std::string_view text) {
  simdjson::dom::parser parser;
  std::string_view decoded;
  const std::string quoted = proxy::json_quote(text);
  if (parser.parse(quoted).get(decoded) == simdjson::SUCCESS)
    require(decoded == text, "a quoted text reads back as it was");
  else
    require(!simdjson::validate_utf8(text), "every UTF-8 text can be quoted");
}

}  // namespace
}  // namespace photofinish::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace photofinish::fuzz;
  const exact_bytes bytes(as_text(data, size));
  walk(bytes.view(), 0);
  edit(bytes.view());
  check_strings(bytes.view());
  return 0;
}
