#include "tests/style/rules.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace photofinish::style {
namespace {

// Whose headers a folder may include.
const std::map<std::string, std::set<std::string>>& arrows() {
  static const std::map<std::string, std::set<std::string>> allowed{
      {"metrics", {"metrics"}},
      {"proxy", {"proxy"}},
      {"racing", {"racing", "proxy"}},
      {"gateway", {"gateway", "racing", "proxy", "metrics"}},
  };
  return allowed;
}

// Depth first; the files on the way are those between the start and here.
class loop_finder {
 public:
  explicit loop_finder(const source_tree& tree) : tree_(tree) {}

  violations run() {
    for (const auto& [path, file] : tree_.files) visit(file);
    return std::move(found_);
  }

 private:
  void visit(const source_file& file) {
    if (!done_.insert(file.path).second) return;
    way_.push_back(file.path);
    for (const include_line& each : file.includes) {
      const source_file* next = each.is_quoted ? tree_.find(each.name) : nullptr;
      if (!next) continue;
      const auto met = std::find(way_.begin(), way_.end(), next->path);
      if (met == way_.end()) visit(*next);
      else report(file, each, {met, way_.end()});
    }
    way_.pop_back();
  }

  void report(const source_file& file, const include_line& where, const std::vector<std::string>& loop) {
    std::string text = "closes a loop of includes: ";
    for (const std::string& path : loop) text += path + " -> ";
    found_.push_back({file.path, where.line, text + where.name});
  }

  const source_tree& tree_;
  std::set<std::string> done_;
  std::vector<std::string> way_;
  violations found_;
};

}  // namespace

violations folder_arrows(const source_tree& tree) {
  violations found;
  for (const auto& [path, file] : tree.files) {
    if (!file.is_product()) continue;
    for (const include_line& each : file.includes) {
      if (!each.is_quoted) continue;
      const std::string to = each.name.substr(0, each.name.find('/'));
      if (!arrows().at(file.folder()).contains(to))
        found.push_back({path, each.line, file.folder() + " may not include \"" + each.name + "\""});
    }
  }
  return found;
}

violations include_loops(const source_tree& tree) { return loop_finder(tree).run(); }

}  // namespace photofinish::style
