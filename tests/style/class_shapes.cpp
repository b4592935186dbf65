#include "tests/style/class_shapes.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace photofinish::style {
namespace {

struct token {
  std::string_view text;
  std::size_t line = 1;
};

bool is_name_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_'; }

bool is_name(std::string_view text) { return !text.empty() && is_name_letter(text.front()); }

void add_tokens(std::string_view line, std::size_t number, std::vector<token>& tokens) {
  if (line.starts_with("#")) return;
  for (std::size_t start = 0; start < line.size();) {
    std::size_t end = start + 1;
    if (is_name_letter(line[start]))
      while (end < line.size() && is_name_letter(line[end])) ++end;
    else if (line.substr(start, 2) == "::" || line.substr(start, 2) == "->") ++end;
    if (line[start] != ' ') tokens.push_back({line.substr(start, end - start), number});
    start = end;
  }
}

// Reads the declarations of a source file scope by scope. A scope is a namespace or the body of a class.
class shape_reader {
 public:
  explicit shape_reader(const source_file& file) {
    for (std::size_t index = 0; index < file.code.size(); ++index) add_tokens(file.code[index], index + 1, tokens_);
  }

  file_shape read() {
    while (next_ < tokens_.size()) {
      read_scope(nullptr);
      ++next_;  // skips an unmatched closing bracket
    }
    return std::move(shape_);
  }

 private:
  std::string_view text(std::size_t index) const {
    return index < tokens_.size() ? tokens_[index].text : std::string_view();
  }
  std::string_view here() const { return text(next_); }
  bool is_over() const { return next_ >= tokens_.size(); }

  // Returns the index of the token after the bracket that matches the opening bracket at `open`.
  std::size_t end_of_brackets(std::size_t open) const {
    int depth = 0;
    for (std::size_t index = open; index < tokens_.size(); ++index) {
      const std::string_view each = text(index);
      if (each == "(" || each == "[" || each == "{") ++depth;
      if ((each == ")" || each == "]" || each == "}") && --depth == 0) return index + 1;
    }
    return tokens_.size();
  }

  // Returns the index of the token after a list of template arguments that begins at `open`. Returns `open` if the `<` is a comparison.
  std::size_t end_of_list(std::size_t open) const {
    int depth = 0;
    for (std::size_t index = open; index < tokens_.size();) {
      const std::string_view each = text(index);
      if (each == ";" || each == "}") return open;
      if (each == "(" || each == "[" || each == "{") {
        index = end_of_brackets(index);
        continue;
      }
      if (each == "<") ++depth;
      ++index;
      if (each == ">" && --depth == 0) return index;
    }
    return open;
  }

  bool begins_list(std::size_t index) const { return text(index) == "<" && index > 0 && is_name(text(index - 1)); }

  // Reads declarations until the closing bracket of the scope. `owner` is the index of the class whose body is read, or null.
  void read_scope(const std::size_t* owner) {
    while (!is_over() && here() != "}") {
      if (here() == ";") ++next_;
      else if (is_access()) next_ += 2;
      else read_declaration(owner);
    }
  }

  bool is_access() const {
    return (here() == "public" || here() == "protected" || here() == "private") && text(next_ + 1) == ":";
  }

  void skip_prefixes() {
    for (;;) {
      if (here() == "[" && text(next_ + 1) == "[") next_ = end_of_brackets(next_);
      else if (here() == "alignas" || (here() == "explicit" && text(next_ + 1) == "(")) next_ = end_of_brackets(next_ + 1);
      else if (here() == "template" && text(next_ + 1) == "<") next_ = std::max(end_of_list(next_ + 1), next_ + 2);
      else return;
    }
  }

  void read_declaration(const std::size_t* owner) {
    skip_prefixes();
    if (here() == "namespace" || here() == "extern") return read_namespace();
    constexpr std::array<std::string_view, 4> uncounted{"using", "typedef", "friend", "static_assert"};
    if (std::find(uncounted.begin(), uncounted.end(), here()) != uncounted.end()) return read_member(nullptr);
    if (here() == "enum" || here() == "class" || here() == "struct" || here() == "union") {
      if (const std::size_t body = body_of_type(); body < tokens_.size()) return read_type(owner, body);
      if (text(next_ + 2) == ";") return void(next_ += 3);  // a forward declaration
    }
    read_member(owner);
  }

  void read_namespace() {
    while (!is_over() && here() != "{" && here() != ";" && here() != "(") ++next_;
    if (here() != "{") return read_member(nullptr);
    ++next_;
    read_scope(nullptr);
    ++next_;
  }

  // Returns the index of the bracket that opens the body of the next type. Returns the number of tokens if the type is only declared.
  std::size_t body_of_type() const {
    for (std::size_t index = next_ + 1; index < tokens_.size();) {
      const std::string_view each = text(index);
      if (each == "{") return index;
      if (each == ";" || each == "(" || each == "=" || each == "*" || each == "&") break;
      if (each == "[") index = end_of_brackets(index);
      else if (begins_list(index)) index = std::max(end_of_list(index), index + 1);
      else ++index;
    }
    return tokens_.size();
  }

  std::string name_of_type(std::size_t body) const {
    std::string name;
    for (std::size_t index = next_ + 1; index < body; ++index) {
      const std::string_view each = text(index);
      if (each == ":" || each == "<" || each == "final") break;
      if (is_name(each)) name = each;
    }
    return name;
  }

  void read_type(const std::size_t* owner, std::size_t body) {
    if (here() == "enum") {
      next_ = end_of_brackets(body);
    } else {
      const std::size_t index = shape_.classes.size();
      shape_.classes.push_back({name_of_type(body), tokens_[next_].line});
      next_ = body + 1;
      read_scope(&index);
      ++next_;
    }
    if (here() != ";") read_member(owner);  // reads a variable that is declared together with its type
  }

  void read_member(const std::size_t* owner) {
    member_kind kind;
    const std::size_t begin = next_;
    while (!is_over() && here() != ";" && here() != "}") {
      if (here() == "{") {
        const bool is_body = kind.is_method && !kind.is_list_of_bases(text(next_ - 1));
        next_ = end_of_brackets(next_);
        if (is_body) break;
        kind.is_named = true;
      } else {
        read_token(kind, begin);
      }
    }
    if (here() == ";") ++next_;
    if (owner == nullptr) return;
    class_shape& shape = shape_.classes[*owner];
    if (kind.is_method && !kind.is_deleted) ++shape.methods;
    if (!kind.is_method && !kind.is_constant) shape.members += kind.names;
  }

  // The properties of a declaration, updated by each token that is read.
  struct member_kind {
    bool is_method = false;
    bool is_named = false;       // true after the name of the declaration and its initial value were read
    bool has_value = false;      // after `=`
    bool has_bases = false;      // true after the `:` of a constructor's initializer list was read
    bool is_static = false;
    bool is_constant = false;
    bool is_deleted = false;
    std::size_t names = 1;

    bool is_list_of_bases(std::string_view before) const { return has_bases && (is_name(before) || before == ">"); }
  };

  void read_token(member_kind& kind, std::size_t begin) {
    const std::string_view each = here();
    if (each == "operator" && !kind.has_value) return read_operator(kind, begin);
    if (each == "(") {
      if (!kind.is_method && !kind.is_named && !kind.has_value) begin_method(kind, begin);
      next_ = end_of_brackets(next_);
      return;
    }
    if (each == "decltype" || each == "alignas") return void(next_ = end_of_brackets(next_ + 1));
    if (each == "[") return void(next_ = end_of_brackets(next_));
    if (begins_list(next_)) return void(next_ = std::max(end_of_list(next_), next_ + 1));
    if (each == "=") kind.has_value = true;
    if (each == ":" && kind.is_method) kind.has_bases = true;
    if (each == "delete" && kind.has_value && text(next_ - 1) == "=") kind.is_deleted = true;
    if (each == "," && !kind.is_method) ++kind.names, kind.has_value = false;
    kind.is_static |= each == "static";
    kind.is_constant |= kind.is_static && !kind.has_value && (each == "constexpr" || each == "const");
    ++next_;
  }

  void begin_method(member_kind& kind, std::size_t begin) {
    const bool is_pointer = text(next_ + 1) == "*" || text(next_ + 1) == "&";
    if (is_pointer) return void(kind.is_named = true);
    kind.is_method = true;
    std::size_t name = next_ - 1;
    if (name > begin && text(name - 1) == "~") --name;
    note_owner(name, begin);
  }

  void read_operator(member_kind& kind, std::size_t begin) {
    kind.is_method = true;
    note_owner(next_, begin);
    ++next_;
    if (here() == "(" && text(next_ + 1) == ")") next_ += 2;
    while (!is_over() && here() != "(" && here() != ";") ++next_;
  }

  // Records the class of a method that is defined as `class::name`. `name` is the index of the first token of the method's name.
  void note_owner(std::size_t name, std::size_t begin) {
    if (name < begin + 2 || text(name - 1) != "::") return;
    std::size_t last = name - 2;
    if (text(last) == ">")
      for (int depth = 0; last > begin; --last) {
        if (text(last) == ">") ++depth;
        if (text(last) == "<" && --depth == 0) break;
      }
    if (text(last) == "<") --last;
    shape_.owners.emplace_back(text(last));
  }

  std::vector<token> tokens_;
  std::size_t next_ = 0;
  file_shape shape_;
};

}  // namespace

file_shape shape_of(const source_file& file) { return shape_reader(file).read(); }

}  // namespace photofinish::style
