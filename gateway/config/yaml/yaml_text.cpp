#include "gateway/config/yaml/yaml_text.hpp"

#include "gateway/config/yaml/yaml_scan.hpp"

#include <algorithm>

namespace photofinish::gateway {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_continuation(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

bool is_forbidden(char letter) {
  const auto code = static_cast<unsigned char>(letter);
  return (code < 0x20 && letter != '\t' && letter != '\n' && letter != '\r') || code == 0x7F;
}

}  // namespace

yaml_text::yaml_text(std::string_view source) : content_(source) {
  if (content_.starts_with(byte_order_mark)) content_.remove_prefix(byte_order_mark.size());
  line_starts_.push_back(0);
  for (std::size_t i = 0; i < content_.size(); ++i)
    if (content_[i] == '\n') line_starts_.push_back(i + 1);
}

std::string_view yaml_text::line_at(int line) const {
  const auto index = static_cast<std::size_t>(std::max(0, line));
  if (index >= line_starts_.size()) return {};
  const std::string_view rest = content_.substr(line_starts_[index]);
  return rest.substr(0, std::min(rest.find('\n'), rest.size()));
}

text_position yaml_text::position(int line, int byte_column) const {
  const std::string_view before = line_at(line).substr(0, static_cast<std::size_t>(std::max(0, byte_column)));
  const auto continuations = std::count_if(before.begin(), before.end(), is_continuation);
  return {std::max(0, line) + 1, std::max(0, byte_column) + 1 - static_cast<int>(continuations)};
}

text_position yaml_text::position_of(std::size_t offset) const {
  const auto next_line = std::upper_bound(line_starts_.begin(), line_starts_.end(), offset);
  const auto line = next_line - line_starts_.begin() - 1;
  return position(static_cast<int>(line), static_cast<int>(offset - *(next_line - 1)));
}

text_position yaml_text::end() const { return position_of(content_.find_last_not_of(" \t\r\n") + 1); }

std::optional<text_position> yaml_text::first_forbidden_character() const {
  const auto found = std::find_if(content_.begin(), content_.end(), is_forbidden);
  if (found == content_.end()) return std::nullopt;
  return position_of(static_cast<std::size_t>(found - content_.begin()));
}

bool yaml_text::is_quote_closed(int line, int byte_column) const {
  std::size_t open = line_starts_[static_cast<std::size_t>(line)] + static_cast<std::size_t>(byte_column);
  // Skips an anchor or a tag before the opening quote.
  while (open < content_.size() && (content_[open] == '&' || content_[open] == '!')) {
    open = std::min(content_.find_first_of(" \t\r\n", open), content_.size());
    open = std::min(content_.find_first_not_of(" \t\r\n", open), content_.size());
  }
  if (open >= content_.size() || (content_[open] != '"' && content_[open] != '\'')) return true;
  const char quote = content_[open];
  for (std::size_t i = open + 1; i < content_.size(); ++i) {
    const bool is_doubled = quote == '\'' && content_.substr(i, 2) == "''";
    if (is_doubled || (quote == '"' && content_[i] == '\\')) {
      ++i;  // skips the character after the escape character
    } else if (content_[i] == quote) {
      return true;
    }
  }
  return false;
}

yaml_problem yaml_text::explain(const std::string& message, text_position noticed, std::size_t offset) const {
  const std::string in_line = explain_line(message, noticed.line - 1);
  if (!in_line.empty()) return {noticed, in_line};
  const bool is_structure = message.starts_with("end of ") || message.starts_with("illegal ");
  if (is_structure)
    if (const auto cause = find_cause(content_, offset, noticed.line))
      return {position_of(cause->offset), cause->message};
  if (message == "illegal map value")
    return {noticed, "the ':' is not allowed here: quote the text, or check the indentation (" + message + ")"};
  return {noticed, "broken YAML: " + message};
}

// Returns an explanation of the parser's message if the cause is visible in the given line alone. Otherwise returns an
// empty text.
std::string yaml_text::explain_line(const std::string& message, int line) const {
  const std::string_view text = line_at(line);
  const std::string_view indentation = text.substr(0, std::min(text.find_first_not_of(" \t"), text.size()));
  const bool is_flow = text.find('{') != std::string_view::npos;
  const bool has_bare_variable = text.find(" ${") != std::string_view::npos;
  if (is_flow && has_bare_variable && message.find("flow") != std::string::npos)
    return "inside { } a variable needs quotes: \"${NAME}\" (" + message + ")";
  if (indentation.find('\t') != std::string_view::npos)
    return "the indentation contains a tab, but YAML requires spaces (" + message + ")";
  if (message == "unknown token") return "text that begins with this character must be quoted (" + message + ")";
  return {};
}

}  // namespace photofinish::gateway
