#include "tests/style/source_tree.hpp"

#include "tests/support/source_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace photofinish::style {
namespace {

constexpr std::array product_folders{"gateway", "proxy", "racing", "metrics"};

bool is_word_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) || letter == '_'; }

std::vector<std::string> split_lines(std::string_view content) {
  std::vector<std::string> lines;
  while (!content.empty()) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    lines.emplace_back(content.substr(0, end));
    content.remove_prefix(std::min(end + 1, content.size()));
  }
  return lines;
}

// Reads C++ source text and removes the contents of its literals. Produces two versions of the text: one with comments, and one without
// comments.
class stripper {
 public:
  explicit stripper(std::string_view content) : content_(content) {}

  std::pair<std::string, std::string> run() {
    while (at_ < content_.size()) {
      if (rest().starts_with("//")) take_comment("\n", 0);
      else if (rest().starts_with("/*")) take_comment("*/", 2);
      else if (rest().starts_with("R\"") && !after_word()) take_raw_string();
      else if (rest().front() == '"') take_literal('"');
      else if (rest().front() == '\'' && !after_word()) take_literal('\'');  // 1'000 is a number
      else keep(rest().front()), ++at_;
    }
    return {std::move(text_), std::move(code_)};
  }

 private:
  std::string_view rest() const { return content_.substr(at_); }
  bool after_word() const { return at_ > 0 && is_word_letter(content_[at_ - 1]); }
  void keep(char letter) { text_ += letter, code_ += letter; }

  void skip_to(std::size_t end) {  // drops the text up to `end` except its line breaks
    for (end = std::min(end, content_.size()); at_ < end; ++at_)
      if (content_[at_] == '\n') keep('\n');
  }

  void take_comment(std::string_view terminator, std::size_t counted) {
    const std::size_t found = content_.find(terminator, at_ + counted);
    const std::size_t end = found == std::string_view::npos ? content_.size() : found + counted;
    text_ += content_.substr(at_, end - at_);
    for (; at_ < end; ++at_)
      if (content_[at_] == '\n') code_ += '\n';
  }

  void take_literal(char mark) {
    keep(mark);
    for (++at_; at_ < content_.size() && content_[at_] != mark && content_[at_] != '\n'; ++at_)
      if (content_[at_] == '\\') ++at_;
    if (at_ < content_.size()) keep(content_[at_++]);
  }

  void take_raw_string() {
    const std::size_t open = content_.find('(', at_);
    if (open == std::string_view::npos) return skip_to(content_.size());
    const std::string close = ")" + std::string(content_.substr(at_ + 2, open - at_ - 2)) + "\"";
    keep('"');
    const std::size_t found = content_.find(close, open);
    skip_to(found == std::string_view::npos ? content_.size() : found + close.size());
    keep('"');
  }

  std::string_view content_;
  std::size_t at_ = 0;
  std::string text_;
  std::string code_;
};

// Finds the name in each #include. Reads the name from the original line, because `code` no longer has the contents of literals.
std::vector<include_line> read_includes(const source_file& file) {
  std::vector<include_line> found;
  for (std::size_t i = 0; i < file.code.size(); ++i) {
    if (!file.code[i].starts_with("#include")) continue;
    const std::string& line = file.lines[i];
    const std::size_t open = line.find_first_of("\"<");
    if (open == std::string::npos) continue;
    const std::size_t close = line.find(line[open] == '<' ? '>' : '"', open + 1);
    found.push_back({i + 1, line.substr(open + 1, close - open - 1), line[open] == '"'});
  }
  return found;
}

bool is_of_interest(const std::filesystem::path& path) {
  const std::string extension = path.extension();
  return extension == ".hpp" || extension == ".cpp" || extension == ".sh" || path.filename() == "CMakeLists.txt";
}

// True for files such as .py and .yaml, which have comments but are neither C++ files nor documents. Only the rule for plain English reads
// these files.
bool is_other_file(const std::filesystem::path& path) {
  constexpr std::array<std::string_view, 14> extensions{".py",  ".js",    ".mjs",  ".css",  ".go",      ".yaml",   ".yml",
                                                        ".tpl", ".cmake", ".conf", ".cfg", ".service", ".socket", ".toml"};
  const std::string extension = path.extension();
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end() || path.filename() == "Dockerfile";
}

// True for folders with third-party packages, and for folders with inputs of the fuzzers.
bool is_foreign_folder(const std::filesystem::path& path) {
  const std::string name = path.filename();
  return name == "node_modules" || name == "uplot" || name == "corpus";
}

source_file read_file(const std::filesystem::path& root, const std::filesystem::path& path) {
  std::ifstream file(path);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  return make_file(path.lexically_relative(root).generic_string(), content);
}

// Reads the files of one folder and of its subfolders.
void read_folder(const std::filesystem::path& root, const std::string& folder, source_tree& tree) {
  namespace fs = std::filesystem;
  for (fs::recursive_directory_iterator at(root / folder), end; at != end; ++at) {
    if (at->is_directory() && is_foreign_folder(at->path())) at.disable_recursion_pending();
    if (!at->is_regular_file()) continue;
    const bool is_document = folder == "docs" && at->path().extension() == ".md";
    if (!is_document && !is_of_interest(at->path()) && !is_other_file(at->path())) continue;
    source_file file = read_file(root, at->path());
    auto& kind = is_document ? tree.documents : is_of_interest(at->path()) ? tree.files : tree.other_files;
    kind.emplace(file.path, std::move(file));
  }
}

source_tree read_project() {
  namespace fs = std::filesystem;
  const fs::path root = tests::source_root();
  source_tree tree;
  for (const auto& entry : fs::directory_iterator(root)) tree.top_level.push_back(entry.path().filename());
  std::sort(tree.top_level.begin(), tree.top_level.end());
  for (const std::string& name : tree.top_level)
    if (name.ends_with(".md")) tree.documents.emplace(name, read_file(root, root / name));
  for (const std::string folder : {"gateway", "proxy", "racing", "metrics", "tests", "deploy", "docs"})
    read_folder(root, folder, tree);
  tree.other_files.emplace("CMakeLists.txt", read_file(root, root / "CMakeLists.txt"));
  return tree;
}

}  // namespace

bool source_file::is_product() const {
  return std::find(product_folders.begin(), product_folders.end(), folder()) != product_folders.end();
}

std::string source_file::comment_at(std::size_t line) const {
  const std::string kept = line < text.size() ? text[line] : std::string();
  const std::string_view without = line < code.size() ? std::string_view(code[line]) : std::string_view();
  return kept.size() > without.size() ? kept.substr(without.size()) : std::string();
}

const source_file* source_tree::find(const std::string& path) const {
  const auto found = files.find(path);
  return found == files.end() ? nullptr : &found->second;
}

source_file make_file(std::string path, std::string_view content) {
  source_file file;
  file.path = std::move(path);
  file.lines = split_lines(content);
  if (!file.is_source()) {
    file.text = file.code = file.lines;
    return file;
  }
  const auto [text, code] = stripper(content).run();
  file.text = split_lines(text);
  file.code = split_lines(code);
  file.includes = read_includes(file);
  return file;
}

source_tree make_tree(const std::vector<std::pair<std::string, std::string>>& files) {
  source_tree tree;
  for (const auto& [path, content] : files)
    (path.ends_with(".md") ? tree.documents : tree.files).emplace(path, make_file(path, content));
  return tree;
}

const source_tree& project_tree() {
  static const source_tree tree = read_project();
  EXPECT_GT(tree.files.size(), 100u) << "is this the project's folder: " << tests::source_root();
  return tree;
}

std::string describe(const violations& found) {
  std::string text;
  for (const violation& each : found)
    text += each.path + ":" + std::to_string(each.line) + ": " + each.what + "\n";
  return text;
}

std::size_t columns(std::string_view line) {
  return static_cast<std::size_t>(
      std::count_if(line.begin(), line.end(), [](char byte) { return (byte & 0xC0) != 0x80; }));
}

bool is_word_at(std::string_view code, std::size_t at, std::string_view word) {
  if (code.substr(at, word.size()) != word) return false;
  const std::size_t after = at + word.size();
  return (at == 0 || !is_word_letter(code[at - 1])) && (after >= code.size() || !is_word_letter(code[after]));
}

}  // namespace photofinish::style
