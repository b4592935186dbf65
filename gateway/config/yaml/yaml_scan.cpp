#include "gateway/config/yaml/yaml_scan.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace photofinish::gateway {
namespace {

bool is_space(char letter) { return letter == ' ' || letter == '\t' || letter == '\r' || letter == '\n'; }

struct opening {
  std::size_t offset;
  int line;
};

// Scans the text up to the character at which the parser stopped, and records the brackets, quotes and indentations
// that are open at this character.
class scanner {
 public:
  scanner(std::string_view text, std::size_t noticed) : text_(text), end_(std::min(noticed, text.size())) {}

  void run() {
    while (at_ < end_) {
      if (is_line_start_) begin_line();
      else step();
    }
  }

  const std::vector<opening>& brackets() const { return brackets_; }
  // Returns the start of a multi-line quoted text that is still open, or that ended in the last scanned line.
  const std::optional<opening>& long_quote() const { return long_quote_; }
  // Returns a line with a wrong indentation as a likely cause of the error. Returns nothing if that line is more than
  // one line before the given line.
  std::optional<likely_cause> indentation_near(int line) const {
    return indentation_ && indentation_line_ >= line - 1 ? indentation_ : std::nullopt;
  }

 private:
  struct level {
    std::size_t indent;
    int line;
  };

  char letter() const { return text_[at_]; }
  bool follows_space() const { return at_ == 0 || is_space(text_[at_ - 1]); }
  bool begins_value() const {
    constexpr std::string_view before_values = "[{,:";
    return follows_space() || (!brackets_.empty() && before_values.find(text_[at_ - 1]) != before_values.npos);
  }

  void end_line() {
    ++at_;
    ++line_;
    is_line_start_ = true;
  }

  void skip_line() {
    at_ = std::min(text_.find('\n', at_), text_.size());
    if (at_ < text_.size()) end_line();
  }

  // Handles the beginning of a line, and measures the indentation of text outside brackets.
  void begin_line() {
    is_line_start_ = false;
    const std::size_t first = std::min(text_.find_first_not_of(' ', at_), text_.size());
    const std::size_t indent = first - at_;
    const bool is_empty = first == text_.size() || text_[first] == '\n' || text_[first] == '\r' || text_[first] == '#';
    if (is_empty) return skip_line();
    if (block_text_ && indent > *block_text_) return skip_line();  // the line belongs to a text that begins with | or >
    block_text_.reset();
    long_quote_.reset();
    if (brackets_.empty()) note_indent(first, indent);
    at_ = first;
  }

  void note_indent(std::size_t first, std::size_t indent) {
    const bool is_deeper = levels_.empty() || indent > levels_.back().indent;
    if (is_deeper) {
      const bool may_be_deeper = levels_.empty() || has_opened_block_;
      if (!may_be_deeper) note_cause(first, deeper_than_it_may(indent));
      levels_.push_back({indent, line_});
    } else {
      const int deepest = levels_.back().line;
      while (levels_.size() > 1 && levels_.back().indent > indent) levels_.pop_back();
      if (levels_.back().indent != indent) note_cause(first, between(indent, deepest));
      levels_.back().line = line_;
    }
    // A line such as "- a: 1" opens a list at the dash, and a map after the dash.
    for (std::size_t dash = first; dash + 1 < text_.size() && text_[dash] == '-' && text_[dash + 1] == ' ';) {
      const std::size_t inner = text_.find_first_not_of(' ', dash + 1);
      if (inner == std::string_view::npos || text_[inner] == '\n') break;
      levels_.push_back({levels_.back().indent + (inner - dash), line_});
      dash = inner;
    }
    has_opened_block_ = opens_block(first);
  }

  // Records a likely cause of the error. It replaces any earlier cause, because an earlier line may be the continuation
  // of a text, which this scanner cannot detect.
  void note_cause(std::size_t offset, std::string message) {
    indentation_ = likely_cause{offset, std::move(message)};
    indentation_line_ = line_;
  }

  // True if the next line may have a deeper indentation. This is allowed after a line that ends in ':' or '-', with or
  // without an anchor, and after a continued text.
  bool opens_block(std::size_t first) const {
    std::string_view line = text_.substr(first, std::min(text_.find('\n', first), text_.size()) - first);
    if (const std::size_t comment = line.find(" #"); comment != std::string_view::npos) line = line.substr(0, comment);
    while (!line.empty() && is_space(line.back())) line.remove_suffix(1);
    const std::size_t anchor = line.find(": &");
    if (anchor != line.npos && line.find(' ', anchor + 2) == line.npos) return true;
    return line.ends_with(':') || line.ends_with('-') || line.ends_with('|') || line.ends_with('>') ||
           line.find(": ") == std::string_view::npos;
  }

  static std::string spaces(std::size_t count) { return std::to_string(count) + (count == 1 ? " space" : " spaces"); }

  std::string deeper_than_it_may(std::size_t indent) const {
    return "this line is indented by " + spaces(indent) + ", deeper than line " + std::to_string(levels_.back().line) +
           " (" + spaces(levels_.back().indent) + "), which cannot contain nested lines";
  }

  std::string between(std::size_t indent, int deepest) const {
    std::string text = "this line is indented by " + spaces(indent) +
                       ", which does not match the indentation of any line above: ";
    text += "the surrounding map or list is indented by " + spaces(levels_.back().indent) + " (line " +
            std::to_string(levels_.back().line) + ")";
    if (deepest != levels_.back().line) text += ", and line " + std::to_string(deepest) + " is deeper";
    return text;
  }

  void step() {
    const char now = letter();
    if (now == '\n') return end_line();
    if (now == '#' && follows_space()) return skip_line();
    if ((now == '"' || now == '\'') && begins_value()) return skip_quoted(now);
    if ((now == '[' || now == '{') && begins_value()) brackets_.push_back({at_, line_});
    if ((now == ']' || now == '}') && !brackets_.empty()) brackets_.pop_back();
    if ((now == '|' || now == '>') && brackets_.empty() && begins_value() && at_ >= 2 && text_[at_ - 2] == ':')
      block_text_ = levels_.empty() ? 0 : levels_.back().indent;
    ++at_;
  }

  void skip_quoted(char quote) {
    const opening begun{at_, line_};
    for (++at_; at_ < end_; ++at_) {
      if (letter() == '\n') ++line_;
      if (quote == '"' && letter() == '\\') {
        ++at_;
      } else if (letter() == quote) {
        ++at_;
        if (quote == '"' || at_ >= end_ || letter() != '\'') break;  // '' is one quote character
      }
    }
    if (line_ != begun.line) long_quote_ = begun;
  }

  std::string_view text_;
  std::size_t end_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool is_line_start_ = true;
  bool has_opened_block_ = true;
  std::optional<std::size_t> block_text_;  // the indentation of the key whose text begins with | or >
  std::vector<opening> brackets_;
  std::optional<opening> long_quote_;
  std::vector<level> levels_;
  std::optional<likely_cause> indentation_;
  int indentation_line_ = 0;
};

std::string noticed_in(int opened, int noticed) {
  return opened == noticed ? "" : " (detected in line " + std::to_string(noticed) + ")";
}

// Returns the innermost bracket that is open where the parser stopped and that is never closed in the rest of the text.
std::optional<opening> never_closed(const scanner& seen, const scanner& whole) {
  for (auto each = seen.brackets().rbegin(); each != seen.brackets().rend(); ++each)
    for (const opening& open : whole.brackets())
      if (open.offset == each->offset) return *each;
  return std::nullopt;
}

}  // namespace

std::optional<likely_cause> find_cause(std::string_view text, std::size_t noticed, int noticed_line) {
  // Scans to the end of the line, because the parser may stop before the text that explains the problem.
  const std::size_t line_end = std::min(text.find('\n', std::min(noticed, text.size())), text.size());
  scanner seen(text, line_end);
  seen.run();
  if (const auto& quote = seen.long_quote())
    return likely_cause{quote->offset, "the quote that begins here is not closed in the same line: is a quote "
                                       "missing?" +
                                           noticed_in(quote->line, noticed_line)};
  scanner whole(text, text.size());
  whole.run();
  if (const auto open = never_closed(seen, whole))
    return likely_cause{open->offset, std::string("this '") + text[open->offset] + "' is never closed" +
                                          noticed_in(open->line, noticed_line)};
  return seen.indentation_near(noticed_line);
}

}  // namespace photofinish::gateway
