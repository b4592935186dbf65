#include "tests/style/english/prose.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace photofinish::style {
namespace {

constexpr std::string_view blanks = " \t\r";
constexpr std::string_view none;

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(blanks);
  if (first == std::string_view::npos) return none;
  return text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

// Collects passages of prose line by line.
class passage_list {
 public:
  void begin(std::size_t line, std::string_view text) {
    is_open_ = !without_blanks(text).empty();
    if (is_open_) passages_.push_back({line, std::string(without_blanks(text))});
  }

  void add(std::size_t line, std::string_view text) {
    if (!is_open_ || without_blanks(text).empty()) return begin(line, text);
    passages_.back().text.append(" ").append(without_blanks(text));
  }

  void add_fragment(std::size_t line, std::string_view text) {
    begin(line, text);
    if (is_open_) passages_.back().has_sentences = false;
    end();
  }

  void end() { is_open_ = false; }
  bool is_open() const { return is_open_; }
  std::vector<passage> take() { return std::move(passages_); }

 private:
  std::vector<passage> passages_;
  bool is_open_ = false;
};

struct comment_line {
  std::size_t column = 0;  // the column of the first line of the comment
  bool is_alone = false;  // true if no code precedes the comment in its line
  std::string_view text;  // the text of the comment without marks such as // or #
};

std::string_view without_marks(std::string_view comment) {
  comment = without_blanks(comment);
  if (comment.ends_with("*/")) comment.remove_suffix(2);
  for (const std::string_view mark : {"///", "//", "/*", "*", "#"})
    if (comment.starts_with(mark)) return comment.substr(mark.size());
  return comment;
}

comment_line comment_from(std::string_view line, std::size_t column) {
  return {column, without_blanks(line.substr(0, column)).empty(), without_marks(line.substr(column))};
}

// Returns the column of the mark that starts a comment. The mark must be outside of literals and at the beginning of a word.
std::size_t find_mark(std::string_view line, std::string_view mark, bool is_python) {
  char quote = 0;
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char before = at == 0 ? ' ' : line[at - 1];
    const bool is_quote = line[at] == '"' || line[at] == '`' || line[at] == '\'';
    if (quote != 0 && line[at] == '\\') ++at;
    else if (quote != 0) quote = line[at] == quote ? '\0' : quote;
    else if (blanks.find(before) != std::string_view::npos && line.substr(at).starts_with(mark)) return at;
    else if (is_quote && (is_python || line[at] != '\'' || std::isalnum(static_cast<unsigned char>(before)) == 0)) quote = line[at];
  }
  return std::string_view::npos;
}

// Finds comments in languages other than C++. Each language has one mark for comments on one line, and another mark for texts of several
// lines.
class comment_finder {
 public:
  explicit comment_finder(std::string_view path)
      : is_python_(path.ends_with(".py")), has_slashes_(path.ends_with("js") || path.ends_with(".go") || path.ends_with(".css")) {}

  comment_line read(std::string_view line) {
    const std::size_t first = std::min(line.find_first_not_of(blanks), line.size());
    if (!terminator_.empty()) return continue_text(line, first);
    if (has_slashes_ && line.substr(first).starts_with("/*")) return begin_text(line, first, "*/", true);
    if (is_python_ && line.substr(first).starts_with(three_quotes)) return begin_text(line, first, three_quotes, true);
    const std::size_t column = find_mark(line, has_slashes_ ? "//" : "#", is_python_);
    const std::size_t quotes = is_python_ ? line.find(three_quotes) : std::string_view::npos;
    if (quotes < column) return begin_text(line, quotes, three_quotes, false);
    return column == std::string_view::npos ? comment_line{} : comment_from(line, column);
  }

 private:
  static constexpr std::string_view three_quotes = "\"\"\"";

  comment_line begin_text(std::string_view line, std::size_t at, std::string_view terminator, bool is_comment) {
    terminator_ = terminator;
    is_comment_ = is_comment;
    column_ = at;
    return continue_text(line, at + terminator.size());
  }

  comment_line continue_text(std::string_view line, std::size_t at) {
    const std::size_t end = line.find(terminator_, at);
    if (end != std::string_view::npos) terminator_ = none;
    if (!is_comment_) return {};
    const std::string_view text = line.substr(at, end == std::string_view::npos ? end : end - at);
    return {column_, true, is_python_ ? text : without_marks(text)};
  }

  bool is_python_;
  bool has_slashes_;
  bool is_comment_ = false;
  std::size_t column_ = 0;
  std::string_view terminator_;  // the mark that ends the open comment or docstring of several lines; empty if none is open
};

comment_line comment_of_cpp(const source_file& file, std::size_t line) {
  const std::string comment = file.comment_at(line);
  const std::string_view whole = file.lines[line];
  return comment.empty() ? comment_line{} : comment_from(whole, whole.size() - comment.size());
}

// A line that contains only a comment continues the previous line's comment if both begin in the same column.
std::vector<passage> comments_of(const source_file& file) {
  passage_list found;
  comment_finder finder(file.path);
  std::size_t column = 0;
  for (std::size_t i = 0; i < file.lines.size(); ++i) {
    const comment_line next = file.is_source() ? comment_of_cpp(file, i) : finder.read(file.lines[i]);
    if (next.is_alone && next.column == column) found.add(i + 1, next.text);
    else found.begin(i + 1, next.text);
    column = next.column;
  }
  return found.take();
}

// Returns the text of the list item in this line, or an empty string if the line is not a list item.
std::string_view item_of(std::string_view line) {
  const std::size_t digits = line.find_first_not_of("0123456789");
  if (line.starts_with("- ") || line.starts_with("* ")) return line.substr(2);
  if (digits == 0 || digits == std::string_view::npos || !line.substr(digits).starts_with(". ")) return none;
  return line.substr(digits + 2);
}

// Reads the prose of a Markdown document.
class document_reader {
 public:
  std::vector<passage> read(const source_file& page) {
    for (std::size_t i = 0; i < page.lines.size(); ++i) read_line(i + 1, page.lines[i]);
    return found_.take();
  }

 private:
  void read_line(std::size_t number, std::string_view whole) {
    std::string_view line = without_blanks(whole);
    const std::size_t indent = std::min(whole.find_first_not_of(' '), whole.size());
    if (line.starts_with("```") || line.starts_with("~~~")) {
      is_code_ = !is_code_;
      return found_.end();
    }
    if (is_code_) return;
    if (line.empty() || line.starts_with('<')) return found_.end();
    if (indent >= 4 && !found_.is_open() && !is_in_list_) return;
    if (line.starts_with("> ")) line.remove_prefix(2);
    const std::string_view item = item_of(line);
    if (!found_.is_open() && indent == 0) is_in_list_ = line.starts_with("!!! ");
    if (!item.empty()) is_in_list_ = true;
    if (line.starts_with('#')) found_.add_fragment(number, line.substr(std::min(line.find_first_not_of('#'), line.size())));
    else if (line.starts_with('|')) read_row(number, line);
    else if (!item.empty()) found_.begin(number, item);
    else found_.add(number, line);
  }

  void read_row(std::size_t number, std::string_view line) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find('|'), line.size());
      found_.add_fragment(number, line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
  }

  passage_list found_;
  bool is_code_ = false;
  bool is_in_list_ = false;  // true after a list item, which may have further indented paragraphs
};

}  // namespace

std::vector<passage> prose_of(const source_file& file) {
  return file.path.ends_with(".md") ? document_reader().read(file) : comments_of(file);
}

}  // namespace photofinish::style
