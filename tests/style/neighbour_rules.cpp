#include "tests/style/rules.hpp"

#include <cstddef>
#include <map>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

struct constant {
  std::string space;  // the namespace of the constant, for example "photofinish::proxy"
  std::string path;
  std::size_t line = 0;
};

// Returns the names that an unindented line with constexpr declares, for example a and b in `a = 1, b{2}`.
std::vector<std::string> constants_in(const std::string& line) {
  static const std::regex begins("^(inline )?constexpr "), named("\\b([a-z]\\w*)(\\[[^\\]]*\\])?(\\{| = )");
  std::vector<std::string> names;
  if (!std::regex_search(line, begins)) return names;
  for (std::sregex_iterator each(line.begin(), line.end(), named), end; each != end; ++each)
    if (const std::string name = (*each)[1]; !name.ends_with("_t")) names.push_back(name);
  return names;
}

template <class See>
void each_constant(const source_file& file, bool in_unnamed, const See& see) {
  static const std::regex opens("^namespace ([\\w:]+) \\{");
  std::string space;
  bool is_unnamed = false;
  for (std::size_t index = 0; index < file.code.size(); ++index) {
    const std::string& line = file.code[index];
    std::smatch found;
    if (std::regex_search(line, found, opens)) space = found[1];
    if (line.starts_with("namespace {")) is_unnamed = true;
    if (file.lines[index] == "}  // namespace") is_unnamed = false;
    if (is_unnamed != in_unnamed) continue;
    for (std::string& name : constants_in(line)) see(std::move(name), constant{space, file.path, index + 1});
  }
}

}  // namespace

violations hidden_constants(const source_tree& tree) {
  std::multimap<std::string, constant> of_headers;
  for (const auto& [path, file] : tree.files)
    if (file.is_product() && file.is_header())
      each_constant(file, false, [&](std::string name, constant at) { of_headers.emplace(std::move(name), at); });
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_product() || !file.is_cpp()) continue;
    each_constant(file, true, [&](const std::string& name, const constant& at) {
      for (auto [each, end] = of_headers.equal_range(name); each != end; ++each)
        if (at.space.starts_with(each->second.space))
          found.push_back({at.path, at.line, "'" + name + "' hides that of " + each->second.path +
                                                 " from the files behind it: give it a name of its own"});
    });
  }
  return found;
}

}  // namespace photofinish::style
