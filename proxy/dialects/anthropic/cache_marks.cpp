#include "proxy/dialects/anthropic/cache_marks.hpp"

#include "proxy/conversation/object_members.hpp"
#include "proxy/dialects/rare_key_check.hpp"
#include "proxy/json/json_text.hpp"
#include "proxy/words/contains.hpp"

#include <string>
#include <string_view>

namespace photofinish::proxy {
namespace {

constexpr std::string_view mark_key = "cache_control";
constexpr std::string_view usual_mark = R"({"type":"ephemeral"})";

std::string mark_member(std::string_view mark) { return R"("cache_control":)" + std::string(mark); }

std::string_view last_content_of_user(std::string_view messages) {
  std::string_view content;
  for (const std::string_view each : json_elements(messages)) {
    const object_members message(each);
    if (message.word("role") == "user") content = message["content"];
  }
  return content;
}

// Returns false for blocks that cannot have a cache mark, such as empty texts and thinking blocks.
bool may_be_marked(const object_members& block) {
  const std::string_view type = block.word("type");
  if (type == "text") return !block.word("text").empty();
  return type == "image" || type == "document" || type == "tool_result";
}

// Adds a cache mark to the last block of the last user message. Returns false if the block cannot have a cache mark.
bool mark_last_block(std::string_view messages, std::string_view mark, json_edits& edits) {
  const std::string_view content = last_content_of_user(messages);
  if (json_is_string(content)) {
    if (json_raw_string(content).empty()) return false;
    const std::string text = R"({"type":"text","text":)" + std::string(content);
    edits.replace(content, "[" + text + "," + mark_member(mark) + "}]");
    return true;
  }
  const std::string_view last = json_last_element(content);
  const object_members block(last);
  if (!block[mark_key].empty()) return true;
  if (!may_be_marked(block)) return false;
  edits.insert_member(last, mark_member(mark));
  return true;
}

}  // namespace

void edit_cache_marks(const attempt_request& request, const claude_plan& plan, prepared_request& prepared) {
  const client_body& body = *request.body;
  const behaviour& behaves = request.target.behaves;
  json_edits& edits = prepared.body.edits();
  if (contains(behaves.drop_params, mark_key)) return;
  if (const json_member* const top = body.members().find(mark_key)) {
    if (plan.cloud->takes_top_mark || json_is_null(top->value)) return;
    edits.remove_member(*top);
    if (!mark_last_block(body.value_of("messages"), top->value, edits)) prepared.dropped.emplace_back(mark_key);
    return;
  }
  if (!behaves.prompt_cache.adds_marks || !request.is_translated || may_hold(body, mark_key)) return;
  // Every cloud accepts a cache mark on a block, but only some clouds accept a mark for the whole request.
  const bool is_known_to_take_top = plan.is_at_anthropic || cloud_of(request.target) == "azure";
  if (is_known_to_take_top) edits.insert_member(body.json(), mark_member(usual_mark));
  else mark_last_block(body.value_of("messages"), usual_mark, edits);
}

}  // namespace photofinish::proxy
