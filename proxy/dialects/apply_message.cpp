#include "proxy/dialects/apply_message.hpp"

#include "proxy/json/json_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace photofinish::proxy {
namespace {

struct apply_part {
  std::string_view opening, closing;
  std::optional<std::string_view> inside = std::nullopt;
};

// the three parts of a code edit: instruction, code and update, in this order
using apply_parts = std::array<apply_part, 3>;

// The maximum size of the message's JSON, in bytes. Models that apply edits read at most 256,000 tokens. Searching a
// longer message would delay other requests of this worker.
constexpr std::size_t longest_edit = 2u << 20;

// True if the current part of the message can end before the text `rest`. This is the case if `rest` is empty, or if it
// begins with the opening tag of a part that was not found yet. White space at the beginning of `rest` is ignored.
bool is_part_over(std::string_view rest, const apply_parts& parts) {
  rest = without_space(rest);
  return rest.empty() || std::any_of(parts.begin(), parts.end(), [rest](const apply_part& each) {
           return !each.inside && rest.starts_with(each.opening);
         });
}

// Returns the offset of the closing tag that ends a part of the message, or npos if there is none. The part may itself
// contain closing tags, for example if it is HTML code. Therefore, the part ends at the first closing tag that is
// followed by another part or by the end of the text. If there is no such tag, the part ends at its last closing tag
// before another part.
std::size_t end_of_part(std::string_view text, std::string_view closing, const apply_parts& parts) {
  std::size_t at = text.find(closing);
  for (; at != std::string_view::npos; at = text.find(closing, at + closing.size())) {
    // The maximum distance in bytes between a closing tag and the next opening tag. There are normally only a few line
    // ends between the tags.
    constexpr std::size_t looked_at = 64;
    const std::string_view rest = text.substr(at + closing.size());
    if (rest.size() <= looked_at ? is_part_over(rest, parts)
                                 : !without_space(rest.substr(0, looked_at)).empty() &&
                                       is_part_over(rest.substr(0, looked_at), parts))
      return at;
  }
  const std::size_t first = text.find(closing);
  if (first == std::string_view::npos) return first;
  std::size_t next = text.size();
  for (const apply_part& each : parts)
    if (!each.inside) next = std::min(next, text.find(each.opening, first));
  return text.rfind(closing, next);
}

apply_part* first_part(std::string_view text, apply_parts& parts, std::size_t& at) {
  apply_part* first = nullptr;
  at = std::string_view::npos;
  for (apply_part& each : parts) {
    const std::size_t found = each.inside ? std::string_view::npos : text.find(each.opening);
    if (found >= at) continue;
    at = found;
    first = &each;
  }
  return first;
}

void add_around(std::string& around, std::string_view text) {
  text = without_space(text);
  if (text.empty()) return;
  if (!around.empty()) around += '\n';
  around += text;
}

// Appends the text in a message's content. Returns false if the content contains anything other than text.
bool add_content(std::string_view content, std::string& text) {
  if (json_is_string(content)) return text = json_unescape(json_raw_string(content)), true;
  if (!json_is_array(content)) return false;
  for (const std::string_view part : json_elements(content)) {
    const auto said = json_find(part, "text");
    if (json_find(part, "type") != R"("text")" || !said || !json_is_string(*said)) return false;
    if (!text.empty()) text += '\n';
    text += json_unescape(json_raw_string(*said));
  }
  return true;
}

}  // namespace

std::optional<apply_edit> read_apply_edit(std::string_view text) {
  apply_parts parts{apply_part{"<instruction>", "</instruction>"}, apply_part{"<code>", "</code>"},
                    apply_part{"<update>", "</update>"}};
  std::string around;
  std::size_t at = 0;
  const bool begins_with_text = first_part(text, parts, at) != nullptr && !without_space(text.substr(0, at)).empty();
  while (apply_part* const part = first_part(text, parts, at)) {
    add_around(around, text.substr(0, at));
    text.remove_prefix(at + part->opening.size());
    part->inside = text;  // end_of_part() ignores all parts that were already found
    const std::size_t end = end_of_part(text, part->closing, parts);
    if (end == std::string_view::npos) return std::nullopt;
    part->inside = text.substr(0, end);
    text.remove_prefix(end + part->closing.size());
  }
  add_around(around, text);
  const auto& [instruction, code, update] = parts;
  if (!code.inside || !update.inside) return std::nullopt;
  const bool is_instructed = instruction.inside && !without_space(*instruction.inside).empty();
  return apply_edit{.instruction = is_instructed ? std::string(*instruction.inside) : around,
                    .code = std::string(*code.inside),
                    .update = std::string(*update.inside),
                    .leaves_text_out = is_instructed && !around.empty(),
                    .begins_with_text = begins_with_text};
}

std::optional<apply_edit> read_apply_edit(const client_body& chat) {
  const std::string_view last = json_last_element(chat.value_of("messages"));
  if (last.size() > longest_edit || json_find(last, "role") != R"("user")") return std::nullopt;
  std::string text;
  if (!add_content(json_find(last, "content").value_or(std::string_view{}), text)) return std::nullopt;
  return read_apply_edit(text);
}

std::string write_apply_message(const apply_edit& edit) {
  std::string message;
  if (!edit.instruction.empty()) message.append("<instruction>").append(edit.instruction).append("</instruction>");
  message.append("<code>").append(edit.code).append("</code>");
  message.append("<update>").append(edit.update).append("</update>");
  return message;
}

bool is_beside_apply_message(std::string_view parameter) {
  constexpr std::array<std::string_view, 5> names{"tools", "tool_choice", "parallel_tool_calls", "functions",
                                                  "function_call"};
  return std::find(names.begin(), names.end(), parameter) != names.end();
}

}  // namespace photofinish::proxy
