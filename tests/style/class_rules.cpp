#include "tests/style/class_rules.hpp"

#include "tests/style/class_shapes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

// Large classes that have not been split yet, with their present sizes. Remove a class from this list when it is split. Lower its sizes
// when it shrinks. Never raise the sizes.
constexpr std::array<large_class, 0> large{};

constexpr std::array<std::string_view, 0> scattered{};

constexpr std::array<std::string_view, 0> continuing{};

bool is_within(const class_shape& shape, std::size_t methods, std::size_t members) {
  return shape.methods <= methods && shape.members <= members;
}

std::string figures(const class_shape& shape) {
  return shape.name + " has " + std::to_string(shape.methods) + " methods and " + std::to_string(shape.members) + " members";
}

// Maps each class that is declared in a header to the .cpp files that define its methods.
class definition_index {
 public:
  explicit definition_index(const source_tree& tree) {
    std::map<std::string, file_shape> shapes;
    for (const auto& [path, file] : tree.files)
      if (file.is_product() && file.is_source()) shapes.emplace(path, shape_of(file));
    for (const auto& [path, shape] : shapes)
      for (const class_shape& each : shape.classes) declared_[each.name].insert(path);
    for (const auto& [path, shape] : shapes) {
      if (!path.ends_with(".cpp")) continue;
      for (const std::string& owner : shape.owners)
        if (const std::string header = header_of(*tree.find(path), owner); !header.empty())
          files_[{header, owner}].insert(path);
    }
  }

  // Returns the .cpp files of each class. The key is the path of the header and the name of the class.
  const std::map<std::pair<std::string, std::string>, std::set<std::string>>& files() const { return files_; }

 private:
  // Returns the header that declares this class. If several headers declare a class of this name, returns the header that the source file
  // includes.
  std::string header_of(const source_file& source, const std::string& owner) const {
    const auto known = declared_.find(owner);
    if (known == declared_.end() || known->second.contains(source.path)) return {};
    if (known->second.size() == 1) return *known->second.begin();
    for (const include_line& each : source.includes)
      if (known->second.contains(each.name)) return each.name;
    return {};
  }

  std::map<std::string, std::set<std::string>> declared_;
  std::map<std::pair<std::string, std::string>, std::set<std::string>> files_;
};

bool contains(std::span<const std::string_view> list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// Returns the first comment of a file.
std::string first_comment(const source_file& file) {
  std::string comment;
  for (const std::string& line : file.lines) {
    if (!line.starts_with("//")) break;
    comment += line + "\n";
  }
  return comment;
}

bool says_continued(const source_file& file) {
  const std::string comment = first_comment(file);
  for (std::size_t start = comment.find("continued"); start != std::string::npos; start = comment.find("continued", start + 1))
    if (is_word_at(comment, start, "continued") && start > 1 && comment[start - 2] == ',') return true;
  return false;
}

}  // namespace

// Two classes may have the same name, and then share one list entry. The entry stays until both classes are small enough.
violations large_classes(const source_tree& tree, std::span<const large_class> listed) {
  violations found;
  std::set<std::string> large_names;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_product() || !file.is_source()) continue;
    for (const class_shape& shape : shape_of(file).classes) {
      if (is_within(shape, most_methods, most_members)) continue;
      large_names.insert(shape.name);
      const auto is_it = [&shape](const large_class& each) { return each.name == shape.name; };
      const auto row = std::find_if(listed.begin(), listed.end(), is_it);
      const large_class bounds = row == listed.end() ? large_class{shape.name, most_methods, most_members} : *row;
      if (!is_within(shape, bounds.methods, bounds.members))
        found.push_back({path, shape.line, figures(shape) + ", not " + std::to_string(bounds.methods) + " and " +
                                               std::to_string(bounds.members) + ": split it"});
    }
  }
  for (const large_class& each : listed)
    if (!large_names.contains(std::string(each.name)))
      found.push_back({std::string(each.name), 1, "meets the bounds, or is gone: remove it from the list"});
  return found;
}

violations scattered_classes(const source_tree& tree, std::span<const std::string_view> listed) {
  violations found;
  std::set<std::string> several;
  const definition_index index(tree);
  for (const auto& [owner, files] : index.files()) {
    if (files.size() < 2) continue;
    const auto& [header, name] = owner;
    several.insert(name);
    if (contains(listed, name)) continue;
    const std::string own = header.substr(0, header.size() - 4) + ".cpp";
    const std::string first = files.contains(own) ? own : *files.begin();
    for (const std::string& path : files)
      if (path != first) found.push_back({path, 1, "defines methods of " + name + ", as " + first + " does: one .cpp for each class"});
  }
  for (const std::string_view each : listed)
    if (!several.contains(std::string(each)))
      found.push_back({std::string(each), 1, "no longer needs several files: remove it from the list"});
  return found;
}

violations continued_files(const source_tree& tree, std::span<const std::string_view> listed) {
  violations found;
  std::set<std::string> continued;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_product() || !file.is_source() || !says_continued(file)) continue;
    continued.insert(path);
    if (!contains(listed, path)) found.push_back({path, 1, "continues another file: give it an idea of its own"});
  }
  for (const std::string_view each : listed)
    if (!continued.contains(std::string(each)))
      found.push_back({std::string(each), 1, "does not continue another file: remove it from the list"});
  return found;
}

std::span<const large_class> classes_too_large() { return large; }
std::span<const std::string_view> classes_in_several_files() { return scattered; }
std::span<const std::string_view> files_that_continue() { return continuing; }

}  // namespace photofinish::style
