#include "gateway/config/yaml/yaml_tree.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>
#include <unordered_map>
#include <utility>

namespace photofinish::gateway {
namespace {

// The maximum number of nodes. Aliases are copied, so without this limit a few lines could use any amount of memory.
constexpr std::size_t most_nodes = 200'000;
constexpr std::string_view merge_key = "<<";

struct bad_yaml {
  text_position at;
  std::string message;
};

std::size_t count_nodes(const yaml_node& node) {
  std::size_t count = 1;
  for (const yaml_node& item : node.items) count += count_nodes(item);
  for (const yaml_member& member : node.members) count += count_nodes(member.value);
  return count;
}

yaml_member* find_member(yaml_node& map, std::string_view key) {
  const auto has_key = [&](const yaml_member& member) { return member.key == key; };
  const auto found = std::find_if(map.members.begin(), map.members.end(), has_key);
  return found == map.members.end() ? nullptr : &*found;
}

class tree_builder : public YAML::EventHandler {
 public:
  explicit tree_builder(const yaml_text& text) : text_(text) {}

  yaml_result take() && { return std::move(result_); }
  bool has_second_document() const { return documents_ > 1; }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 2)
      report(place(mark), "a second document, or an unexpected ',' or ']': a file must contain exactly one "
                          "configuration");
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override { add_leaf({.at = place(mark)}, anchor); }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    const bool is_plain = tag == "?";
    if (!is_plain && tag != "!" && tag != "tag:yaml.org,2002:str")
      report(place(mark), "the tag " + tag + " is not supported here");
    if (!is_plain && !text_.is_quote_closed(mark.line, mark.column))
      throw bad_yaml{place(mark), "this quote is never closed"};
    add_leaf({.kind = yaml_kind::scalar, .at = place(mark), .text = value, .is_plain = is_plain}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto named = anchors_.find(anchor);
    if (named == anchors_.end()) throw bad_yaml{place(mark), "this alias refers to an anchor that contains the alias"};
    copied_nodes_ += count_nodes(named->second);
    if (copied_nodes_ > most_nodes) throw bad_yaml{place(mark), "the aliases make this file too large"};
    add(yaml_node(named->second));
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open_.push_back({{.kind = yaml_kind::sequence, .at = place(mark)}, anchor, std::nullopt});
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string&, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open_.push_back({{.kind = yaml_kind::map, .at = place(mark)}, anchor, std::nullopt});
  }
  void OnMapEnd() override { close(); }

 private:
  struct open_node {
    yaml_node node;
    YAML::anchor_t anchor;
    std::optional<yaml_node> key;  // the last key that was read from a map, until the key's value has been read
    std::unordered_map<std::string, int> lines{};  // the line number of each key that was read from this map
  };

  text_position place(const YAML::Mark& mark) const { return text_.position(mark.line, mark.column); }
  void report(text_position at, std::string message) { result_.problems.push_back({at, std::move(message)}); }

  void add_leaf(yaml_node leaf, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) anchors_[anchor] = leaf;
    add(std::move(leaf));
  }

  void close() {
    open_node done = std::move(open_.back());
    open_.pop_back();
    if (done.node.kind == yaml_kind::map) merge(done.node);
    if (done.anchor != YAML::NullAnchor) anchors_[done.anchor] = done.node;
    add(std::move(done.node));
  }

  void add(yaml_node node) {
    if (open_.empty()) {
      if (documents_ < 2) result_.root = std::move(node);
    } else if (open_.back().node.kind == yaml_kind::sequence) {
      open_.back().node.items.push_back(std::move(node));
    } else if (!open_.back().key) {
      open_.back().key = std::move(node);
    } else {
      const yaml_node key = std::move(*std::exchange(open_.back().key, std::nullopt));
      add_member(open_.back(), key, std::move(node));
    }
  }

  void add_member(open_node& map, const yaml_node& key, yaml_node value) {
    // Uses the key's position for an absent value, because the position that yaml-cpp reports may be several lines
    // away.
    if (value.kind == yaml_kind::null) value.at = key.at;
    if (key.kind != yaml_kind::scalar) return report(key.at, "a key must be plain text");
    const auto [first, is_new] = map.lines.try_emplace(key.text, key.at.line);
    if (!is_new)
      return report(key.at, "'" + key.text + "' is set twice; the first time in line " + std::to_string(first->second));
    map.node.members.push_back({key.text, key.at, std::move(value)});
  }

  // Resolves `<<: *defaults` or `<<: [*a, *b]`. The map's own entries have priority over merged entries. Among several
  // merged maps, earlier maps have priority.
  void merge(yaml_node& map) {
    yaml_member* merged = find_member(map, merge_key);
    if (!merged) return;
    yaml_member source = std::move(*merged);
    map.members.erase(map.members.begin() + (merged - map.members.data()));
    if (source.value.kind != yaml_kind::sequence) return merge_from(source.value, map);
    for (const yaml_node& each : source.value.items) merge_from(each, map);
  }

  void merge_from(const yaml_node& source, yaml_node& map) {
    if (source.kind != yaml_kind::map) return report(source.at, "<< can merge maps only");
    for (const yaml_member& member : source.members)
      if (!find_member(map, member.key)) map.members.push_back(member);
  }

  const yaml_text& text_;
  yaml_result result_;
  int documents_ = 0;
  std::size_t copied_nodes_ = 0;
  std::vector<open_node> open_;
  std::map<YAML::anchor_t, yaml_node> anchors_;
};

yaml_result broken(text_position at, std::string message) {
  yaml_result result;
  result.problems.push_back({at, std::move(message)});
  return result;
}

}  // namespace

yaml_result parse_yaml(std::string_view source) {
  const yaml_text text(source);
  if (const auto at = text.first_forbidden_character())
    return broken(*at, "the file contains a control character, but must be plain UTF-8 text");
  std::istringstream stream{std::string(text.content())};
  tree_builder builder(text);
  try {
    YAML::Parser parser(stream);
    // Stops at a second document, because it is an error. Without this stop, yaml-cpp would return empty documents
    // forever after a stray , or ].
    while (!builder.has_second_document() && parser.HandleNextDocument(builder)) {
    }
  } catch (const bad_yaml& bad) {
    return broken(bad.at, bad.message);
  } catch (const YAML::Exception& bad) {
    const bool is_at_end = static_cast<std::size_t>(std::max(0, bad.mark.pos)) >= text.content().size();
    const text_position at = is_at_end ? text.end() : text.position(bad.mark.line, bad.mark.column);
    const auto offset = is_at_end ? text.content().size() : static_cast<std::size_t>(std::max(0, bad.mark.pos));
    const yaml_problem explained = text.explain(bad.msg, at, offset);
    return broken(explained.at, explained.message);
  }
  return std::move(builder).take();
}

}  // namespace photofinish::gateway
